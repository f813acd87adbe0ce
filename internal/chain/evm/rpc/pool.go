package rpc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/fault"
)

// Pool is the endpoints of one network, in the operator's order of preference.
// It is safe for concurrent use.
type Pool struct {
	endpoints []*Endpoint
	now       func() time.Time

	tip       demandedTip
	turns     atomic.Uint64
	checking  sync.Mutex
	nextCheck time.Time
}

// DefaultTimeout is how long one request may take: large log queries take
// providers seconds.
const DefaultTimeout = 20 * time.Second

// maxEndpoints bounds the configuration.
const maxEndpoints = 16

// Config says through which endpoints a network is read.
type Config struct {
	Network chain.Network
	ChainID uint64 // EIP-155; an endpoint that answers for another chain is not used
	// Endpoints are the http or https addresses of JSON-RPC endpoints, in
	// order of preference. They may hold credentials, which are never shown.
	Endpoints []string
	// Client makes the requests; nil takes one of the pool's own. Redirects
	// are never followed.
	Client *http.Client
	// Timeout bounds one request; 0 is DefaultTimeout.
	Timeout time.Duration
	// Now returns the time, for cool-downs and timings only; nil is time.Now.
	Now func() time.Time
	// Rate is the most calls that an endpoint gets in a second; 0: as many as are made.
	Rate float64
	// Clock is what the rate, and pauses after a refusal for its sake, go by; the zero value is the real one.
	Clock endpoint.Clock
	// Multicall is the contract that reads many balances at once; zero: Multicall3.
	Multicall Multicall
	// Count is called with the endpoint's name and the method of every call, whatever
	// becomes of it; nil: nothing is.
	Count func(endpoint, method string)
}

// NewPool returns the pool of the endpoints. It makes no request. It fails with
// fault.Invalid for an address that is malformed or given twice.
func NewPool(c Config) (*Pool, error) {
	if len(c.Endpoints) == 0 || len(c.Endpoints) > maxEndpoints {
		return nil, fault.New(fault.Invalid, "%s needs 1 to %d endpoints", c.Network, maxEndpoints)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	p := &Pool{now: c.Now}
	for i, raw := range c.Endpoints {
		w, err := newWire(raw, httpClient(c.Client), c.Now)
		if err != nil {
			return nil, fault.New(fault.Invalid, "endpoint %d of %s: %s", i+1, c.Network, err.Error())
		}
		if p.has(w) {
			return nil, fault.New(fault.Invalid,
				"endpoint %d of %s is there twice; a second opinion must come from another provider", i+1, c.Network)
		}
		w.name, w.timeout = p.uniqueName(w.name), c.Timeout
		e := newEndpoint(w, c.ChainID, endpoint.NewRate(c.Rate, c.Clock))
		if c.Clock.Sleep != nil {
			e.pause = c.Clock.Sleep
		}
		if c.Multicall != (Multicall{}) {
			e.multicall = c.Multicall
		}
		if e.count = c.Count; e.count == nil {
			e.count = func(string, string) {}
		}
		p.endpoints = append(p.endpoints, e)
	}
	return p, nil
}

// Single reports whether the endpoints have one voice, so that none can confirm
// an answer of another.
func (p *Pool) Single() bool { return p.Size() == 1 }

// Lone reports whether one of two voices is left, which may decide by the rule.
func (p *Pool) Lone(rule chain.Alone) bool {
	return rule.Lone(endpoint.Moved(p.endpoints, (*Endpoint).MovedAt), p.now())
}

// Moves reports whether the newest block of a voice has moved lately: of two, the one that is left does (Lone).
func (p *Pool) Moves(voice string) bool {
	return p.now().Sub(endpoint.Moved(p.endpoints, (*Endpoint).MovedAt)[voice]) <= chain.AloneAfter
}

// LoneFinal returns the one voice that is left that says what is final, which may decide by the rule.
func (p *Pool) LoneFinal(rule chain.Alone) (voice string, ok bool) {
	final := endpoint.Moved(p.endpoints, (*Endpoint).FinalMovedAt)
	return rule.LoneFinal(final, endpoint.Moved(p.endpoints, (*Endpoint).MovedAt), p.now())
}

// Now returns the time by the pool's clock.
func (p *Pool) Now() time.Time { return p.now() }

// Size returns how many voices the configured endpoints have, of which a quorum
// decides (chain.Quorum).
func (p *Pool) Size() int { return len(endpoint.Voices(p.endpoints)) }

// Close closes the idle connections of all endpoints.
func (p *Pool) Close() {
	for _, e := range p.endpoints {
		e.client.CloseIdleConnections()
	}
}

// Retry ends every cool-down.
func (p *Pool) Retry() {
	for _, e := range p.endpoints {
		e.Succeeded()
	}
}

// Health reports the health of each endpoint, in the configured order.
func (p *Pool) Health() []chain.EndpointHealth {
	healths := make([]chain.EndpointHealth, len(p.endpoints))
	for i, e := range p.endpoints {
		healths[i] = e.health()
	}
	return healths
}

// Do calls f with one endpoint after the other until it succeeds. An endpoint
// that fails cools down. One that lags, or shows another fork than f expects,
// is skipped. When none is left the result is chain.ErrReorged if any showed
// another fork, ErrNotFound if none has what was asked for, and
// chain.ErrNoEndpoint otherwise.
func (p *Pool) Do(ctx context.Context, f func(context.Context, *Endpoint) error) error {
	return p.Among(ctx, p.Ready(), f)
}

// InTurn is Do that does not always ask the same endpoint first (endpoint.InTurn).
func (p *Pool) InTurn(ctx context.Context, f func(context.Context, *Endpoint) error) error {
	return p.Among(ctx, endpoint.InTurn(p.endpoints, p.turns.Add(1)), f)
}

// Among is Do with these endpoints.
func (p *Pool) Among(ctx context.Context, endpoints []*Endpoint, f func(context.Context, *Endpoint) error) error {
	var reasons []string
	reorged, lacking := false, false
	for _, e := range endpoints {
		err := p.Try(ctx, e, f)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, chain.ErrReorged):
			reorged = true
		case errors.Is(err, ErrNotFound):
			lacking = true
		default:
			reasons = append(reasons, e.name+" "+err.Error())
		}
	}
	if reorged {
		return chain.ErrReorged
	}
	if lacking && len(reasons) == 0 {
		return ErrNotFound
	}
	if len(reasons) == 0 {
		return fmt.Errorf("%w: %s", chain.ErrNoEndpoint, endpoint.CoolingDown(p.Health()))
	}
	return fmt.Errorf("%w: %s", chain.ErrNoEndpoint, strings.Join(reasons, "; "))
}

// Try calls f with one endpoint and records in its health how that went.
func (p *Pool) Try(ctx context.Context, e *Endpoint, f func(context.Context, *Endpoint) error) error {
	err := e.identify(ctx)
	if err == nil {
		err = f(ctx, e)
	}
	switch {
	case err == nil, errors.Is(err, ErrNotFound), errors.Is(err, ErrPruned):
		e.Succeeded()
	case ctx.Err() != nil, endpoint.IsItem(err), errors.Is(err, chain.ErrReorged), errors.Is(err, endpoint.ErrBusy):
		// The caller gave up, one item is at fault, or the chain moved: not the endpoint's fault.
	default:
		e.failed(err)
	}
	return err
}

// memberTries is how often an endpoint is asked for a block that it has
// reported: several nodes may stand behind its address, some of them later.
const memberTries = 4

// Patiently calls f again while the endpoint lacks the block of the number, which
// it has reported itself. f makes one request.
func (e *Endpoint) Patiently(ctx context.Context, number uint64, f func() error) (err error) {
	for range memberTries {
		if err = f(); !errors.Is(err, ErrLagging) || e.Height() < number || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// Ready lists the endpoints that are not cooling down, in the order in which to ask them (endpoint.Order).
func (p *Pool) Ready() []*Endpoint {
	return endpoint.Ready(p.endpoints)
}

// Voices lists one ready endpoint of each voice, the first in the order of Ready:
// those to ask where a quorum decides.
func (p *Pool) Voices() []*Endpoint { return endpoint.Voices(p.Ready()) }

// Without is Voices, except the voice of the named endpoint.
func (p *Pool) Without(name string) []*Endpoint {
	i := slices.IndexFunc(p.endpoints, func(e *Endpoint) bool { return e.name == name })
	if i < 0 {
		return p.Voices()
	}
	return endpoint.OtherVoices(p.Ready(), p.endpoints[i].Voice())
}

// httpClient returns a client that follows no redirects, which would carry
// credentials to another host.
func httpClient(given *http.Client) *http.Client {
	c := &http.Client{}
	if given != nil {
		*c = *given
	} else {
		c.Transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
			MaxIdleConnsPerHost: 4, IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
		}
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}

// has reports whether the address is that of an endpoint in the pool.
func (p *Pool) has(w *wire) bool {
	return slices.ContainsFunc(p.endpoints, func(e *Endpoint) bool { return e.target.Same(w.target) })
}

// uniqueName numbers the endpoints of one host.
func (p *Pool) uniqueName(host string) string {
	name := host
	for i := 2; ; i++ {
		taken := false
		for _, e := range p.endpoints {
			taken = taken || e.name == name
		}
		if !taken {
			return name
		}
		name = fmt.Sprintf("%s#%d", host, i)
	}
}
