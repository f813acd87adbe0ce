package solana

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/florinpay/florin/internal/chain"
	node "github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// pool is the cluster's endpoints, in the operator's order of preference.
type pool struct {
	endpoints []*endpoint
	now       func() time.Time
	requests  atomic.Int64
	blocks    rpc.BlockCache
	alone     chain.Alone

	mu      sync.Mutex
	genesis string // of the cluster; empty until the first endpoint has answered
}

func (p *pool) count() { p.requests.Add(1) }

// cluster returns the genesis hash that every endpoint must have. The first one reported becomes it, if none
// was known.
func (p *pool) cluster(seen string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.genesis == "" {
		p.genesis = seen
	}
	return p.genesis
}

// do calls f with one endpoint after another until one succeeds. An endpoint that fails cools down; one that
// lags or is on another fork is skipped. When none is left the result is chain.ErrReorged if any was on
// another fork, errLacking if none has the requested item, else chain.ErrNoEndpoint.
func (p *pool) do(ctx context.Context, f func(context.Context, *endpoint) error) error {
	return p.tryEach(ctx, p.ready(), f)
}

// unlessAll is do for what an endpoint may give a verdict against: that of the first one counts if no other one
// succeeds.
func (p *pool) unlessAll(ctx context.Context, f func(context.Context, *endpoint) (verdict, err error)) error {
	var verdict error
	err := p.do(ctx, func(ctx context.Context, e *endpoint) error {
		why, err := f(ctx, e)
		if verdict = cmp.Or(verdict, why); err == nil && why != nil {
			return errLacking // another one may see it otherwise
		}
		return err
	})
	if err != nil && verdict != nil && !gaveUp(ctx) {
		return verdict
	}
	return err
}

// tryEach is do with the given endpoints.
func (p *pool) tryEach(ctx context.Context, endpoints []*endpoint, f func(context.Context, *endpoint) error) error {
	var reasons []error
	reorged, lacking := false, false
	for _, e := range endpoints {
		err := p.try(ctx, e, f)
		switch {
		case err == nil:
			return nil
		case gaveUp(ctx):
			return ctx.Err()
		case errors.Is(err, chain.ErrReorged):
			reorged = true
		case errors.Is(err, errLacking):
			lacking = true
		default:
			reasons = append(reasons, fmt.Errorf("%s %w", e.Name, err))
		}
	}
	switch {
	case reorged:
		return chain.ErrReorged
	case lacking && len(reasons) == 0:
		return errLacking
	case len(reasons) == 0:
		return fmt.Errorf("%w: %s", chain.ErrNoEndpoint, node.CoolingDown(p.health()))
	}
	return fmt.Errorf("%w: %w", chain.ErrNoEndpoint, errors.Join(reasons...))
}

// try calls f with one endpoint and updates its health by the result.
func (p *pool) try(ctx context.Context, e *endpoint, f func(context.Context, *endpoint) error) error {
	err := e.identify(ctx)
	if err == nil {
		err = f(ctx, e)
	}
	switch {
	case err == nil, errors.Is(err, errLacking), rpc.Refused(err):
		e.Succeeded()
	case gaveUp(ctx), node.IsItem(err), errors.Is(err, chain.ErrReorged):
		// The caller gave up, one item is at fault, or the chain moved: not the endpoint's fault.
	default:
		e.failed(err)
	}
	return err
}

// ready lists the endpoints that are not cooling down, in the order in which to ask them (endpoint.Order).
func (p *pool) ready() []*endpoint {
	return node.Ready(p.endpoints)
}

// size returns how many voices the configured endpoints have, of which a quorum decides (chain.Quorum).
func (p *pool) size() int { return len(node.Voices(p.endpoints)) }

// lone reports whether one of two voices is left (chain.Alone).
func (p *pool) lone() bool {
	return p.alone.Lone(node.Moved(p.endpoints, (*endpoint).MovedAt), p.now())
}

// moves reports whether the newest slot of a voice has moved lately: of two, the one that is left does (lone).
func (p *pool) moves(voice string) bool {
	return p.now().Sub(node.Moved(p.endpoints, (*endpoint).MovedAt)[voice]) <= chain.AloneAfter
}

// voices lists one ready endpoint of each voice, the first in the order of ready: those to ask where a quorum decides.
func (p *pool) voices() []*endpoint { return node.Voices(p.ready()) }

// without is voices, except the voice of the named endpoint.
func (p *pool) without(name string) []*endpoint {
	i := slices.IndexFunc(p.endpoints, func(e *endpoint) bool { return e.Name == name })
	if i < 0 {
		return p.voices()
	}
	return node.OtherVoices(p.ready(), p.endpoints[i].Voice())
}

// others lists the ready endpoints except this one, also those of its voice: they may answer where it does not.
func (p *pool) others(e *endpoint) []*endpoint {
	return slices.DeleteFunc(p.ready(), func(o *endpoint) bool { return o == e })
}

// besides lists the ready endpoints of other voices than these.
func (p *pool) besides(not ...string) []*endpoint {
	return slices.DeleteFunc(p.ready(), func(e *endpoint) bool { return slices.Contains(not, e.Voice()) })
}

// health reports the health of each endpoint, in the configured order.
func (p *pool) health() []chain.EndpointHealth {
	healths := make([]chain.EndpointHealth, len(p.endpoints))
	for i, e := range p.endpoints {
		healths[i] = e.health()
	}
	return healths
}

// uniqueName returns the host, with a number if another endpoint has the same one.
func (p *pool) uniqueName(host string) string {
	name := host
	for i := 2; slices.ContainsFunc(p.endpoints, func(e *endpoint) bool { return e.Name == name }); i++ {
		name = fmt.Sprintf("%s#%d", host, i)
	}
	return name
}

// errLacking: the endpoint does not have the thing asked for, and may be right. Another one is tried, and the health
// of this one does not suffer.
var errLacking = errors.New("does not have it")

// named adds the endpoint to an error.
func (e *endpoint) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %w", e.Name, err)
}

// gaveUp reports whether the caller has.
func gaveUp(ctx context.Context) bool { return ctx.Err() != nil }
