package solana

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
	node "github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// endpoint is one node and its health.
type endpoint struct {
	*rpc.Client
	*node.Health
	pool *pool
}

// observe counts a request and measures its latency.
func (e *endpoint) observe(took time.Duration, err error) {
	e.pool.count()
	e.Asked(took, err)
}

// wrongCluster: the endpoint belongs to another cluster.
type wrongCluster struct{ got, want string }

func (w wrongCluster) Error() string {
	return fmt.Sprintf("answers for the cluster with genesis hash %s instead of %s; correct its address", w.got, w.want)
}

// identify checks that the node belongs to the cluster before any of its answers is used.
func (e *endpoint) identify(ctx context.Context) error {
	if e.Verified() {
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
	e.Verify()
	return nil
}

// failed records why the endpoint could not answer.
func (e *endpoint) failed(err error) {
	limited, slow := errors.AsType[rpc.RateLimited](err)
	_, other := errors.AsType[wrongCluster](err)
	e.Failed(err, node.Failure{
		Lags: errors.Is(err, rpc.ErrLagging), Limited: slow, After: limited.After, OtherChain: other,
	})
}

// memberTries is how often a node is asked for a slot that it has reported: several may stand behind its address.
const memberTries = 4

// patiently calls f again while the node lacks the slot, which it has reported itself. f makes few requests.
func (e *endpoint) patiently(ctx context.Context, slot uint64, f func() error) (err error) {
	for range memberTries {
		if err = f(); !errors.Is(err, rpc.ErrLagging) || gaveUp(ctx) || e.Height() < slot {
			return err
		}
	}
	return err
}

func (e *endpoint) health() chain.EndpointHealth { return e.State(e.Name, e.Voice(), e.Learnt()) }
