package solana

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
	node "github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// Cool-downs of an endpoint. They double with every failure in a row.
const (
	firstCoolDown = time.Second
	maxCoolDown   = time.Minute
	// identityTTL is how long a checked genesis hash stays valid.
	identityTTL = 30 * time.Minute
	// quarantine is the cool-down of an endpoint of another cluster.
	quarantine = 5 * time.Minute
	// patience is how often in a row an endpoint may lag before it counts as unhealthy: one address may stand
	// for several nodes.
	patience = 3
)

// endpoint is one node and its health.
type endpoint struct {
	*rpc.Client
	pool *pool

	mu         sync.Mutex
	verified   time.Time // until when the checked genesis hash is valid
	failures   int       // in a row
	lags       int       // in a row
	coolUntil  time.Time
	reason     string
	limited    bool      // the cool-down is because of its rate
	newestSlot uint64    // the newest it has reported
	moved      time.Time // when it was another one last
	latency    node.Latency
	errors     int64
	requests   int64
}

// observe counts a request and measures its latency.
func (e *endpoint) observe(took time.Duration, err error) {
	e.pool.count()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests++
	e.latency.Observe(took, err != nil, e.pool.now())
}

// standing is what the order goes by, and whether it cools down.
func (e *endpoint) standing() (s node.Standing, cooling bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return node.Standing{Head: e.newestSlot, Latency: e.latency.Lately(e.pool.now())}, e.coolUntil.After(e.pool.now())
}

// wrongCluster: the endpoint belongs to another cluster.
type wrongCluster struct{ got, want string }

func (w wrongCluster) Error() string {
	return fmt.Sprintf("answers for the cluster with genesis hash %s instead of %s; correct its address", w.got, w.want)
}

// identify checks that the node belongs to the cluster before any of its answers is used.
func (e *endpoint) identify(ctx context.Context) error {
	e.mu.Lock()
	fresh := e.pool.now().Before(e.verified)
	e.mu.Unlock()
	if fresh {
		return nil
	}
	var genesis string
	if err := e.Ask(ctx, &genesis, "getGenesisHash"); err != nil {
		return err
	}
	if genesis == "" {
		return rpc.Malformed("getGenesisHash")
	}
	if want := e.pool.cluster(genesis); want != genesis {
		return wrongCluster{e.Redact(genesis), want}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.verified = e.pool.now().Add(identityTTL)
	return nil
}

// succeeded records a usable answer.
func (e *endpoint) succeeded() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failures, e.lags, e.coolUntil, e.reason = 0, 0, time.Time{}, ""
}

// failed records why the endpoint could not answer and starts a cool-down, unless the endpoint only lags:
// that passes by itself.
func (e *endpoint) failed(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if errors.Is(err, rpc.ErrLagging) {
		if e.lags++; e.lags >= patience {
			e.reason = err.Error()
		}
		return
	}
	e.reason = err.Error()
	e.errors++
	e.failures++
	wait := min(firstCoolDown<<min(e.failures-1, 10), maxCoolDown)
	limited, ok := errors.AsType[rpc.RateLimited](err)
	if e.limited = ok; ok {
		wait = max(wait, limited.After)
	}
	if _, ok := errors.AsType[wrongCluster](err); ok {
		wait, e.verified = quarantine, time.Time{}
	}
	e.coolUntil = e.pool.now().Add(wait)
}

// recordHead records the newest slot the node knows.
func (e *endpoint) recordHead(slot uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if slot > e.newestSlot {
		e.moved = e.pool.now()
	}
	e.newestSlot = slot
}

// MovedAt returns when the newest slot has moved last.
func (e *endpoint) MovedAt() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.moved
}

// memberTries is how often a node is asked for a slot that it has reported: several may stand behind its address.
const memberTries = 4

// patiently calls f again while the node lacks the slot, which it has reported itself. f makes few requests.
func (e *endpoint) patiently(ctx context.Context, slot uint64, f func() error) (err error) {
	for range memberTries {
		if err = f(); !errors.Is(err, rpc.ErrLagging) || gaveUp(ctx) || e.health().Head < slot {
			return err
		}
	}
	return err
}

func (e *endpoint) health() chain.EndpointHealth {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := chain.EndpointHealth{
		Name: e.Name, Voice: e.Voice(), Healthy: e.reason == "", Head: e.newestSlot, Latency: e.latency.Average(),
		Reason: e.reason, Errors: e.errors, Requests: e.requests, Learnt: e.Learnt(),
	}
	if e.coolUntil.After(e.pool.now()) {
		h.CoolUntil, h.Limited = e.coolUntil, e.limited
	}
	return h
}
