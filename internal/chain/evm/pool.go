package evm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// pool is the endpoints of one network, in the operator's order of preference.
type pool struct {
	endpoints []*endpoint
	now       func() time.Time

	beating  sync.Mutex
	nextBeat time.Time
}

// do has the first endpoint that can do it do f. An endpoint that fails is
// left alone for a while and the next one is asked; one that lags or shows
// another fork than asked about is passed over. When none is left the result
// is chain.ErrReorged if any showed another fork, errLacking if none of them
// has what was asked for, else chain.ErrNoEndpoint.
func (p *pool) do(ctx context.Context, f func(context.Context, *endpoint) error) error {
	return p.among(ctx, p.ready(), f)
}

func (p *pool) among(ctx context.Context, endpoints []*endpoint, f func(context.Context, *endpoint) error) error {
	var reasons []string
	reorged, lacking := false, false
	for _, e := range endpoints {
		err := p.try(ctx, e, f)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, chain.ErrReorged):
			reorged = true
		case errors.Is(err, errLacking):
			lacking = true
		default:
			reasons = append(reasons, e.name+" "+err.Error())
		}
	}
	if reorged {
		return chain.ErrReorged
	}
	if lacking && len(reasons) == 0 {
		return errLacking
	}
	if len(reasons) == 0 {
		reasons = p.resting()
	}
	return fmt.Errorf("%w: %s", chain.ErrNoEndpoint, strings.Join(reasons, "; "))
}

// try has one endpoint do f and draws the conclusions for its health.
func (p *pool) try(ctx context.Context, e *endpoint, f func(context.Context, *endpoint) error) error {
	err := e.identify(ctx)
	if err == nil {
		err = f(ctx, e)
	}
	switch {
	case err == nil, errors.Is(err, errLacking):
		e.succeeded()
	case ctx.Err() != nil, errors.Is(err, chain.ErrReorged):
		// The caller gave up, or the chain moved: not the endpoint's fault.
	default:
		e.failed(err)
	}
	return err
}

// ready lists the endpoints that are not cooling down: those that keep up with
// the chain first, otherwise in the operator's order.
func (p *pool) ready() []*endpoint {
	var best uint64
	var ready []*endpoint
	heads := make(map[*endpoint]uint64, len(p.endpoints))
	now := p.now()
	for _, e := range p.endpoints {
		e.mu.Lock()
		cooling, head := e.coolUntil.After(now), e.head
		e.mu.Unlock()
		if cooling {
			continue
		}
		heads[e] = head
		best = max(best, head)
		ready = append(ready, e)
	}
	slices.SortStableFunc(ready, func(a, b *endpoint) int {
		return boolInt(heads[a]+lagTolerance < best) - boolInt(heads[b]+lagTolerance < best)
	})
	return ready
}

// lagTolerance is how many blocks an endpoint may be behind the best without
// being asked last: one or two polls of the fastest chain.
const lagTolerance = 10

// without lists the ready endpoints save the named one.
func (p *pool) without(name string) []*endpoint {
	return slices.DeleteFunc(p.ready(), func(e *endpoint) bool { return e.name == name })
}

// resting says why no endpoint can be asked.
func (p *pool) resting() []string {
	var reasons []string
	for _, e := range p.endpoints {
		if h := e.health(); !h.CoolUntil.IsZero() {
			reasons = append(reasons, h.Name+" "+h.Reason)
		}
	}
	return reasons
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
