package evm

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

// Config says which network to read and through whom.
type Config struct {
	Profile chain.Profile
	// Endpoints are the http or https addresses of JSON-RPC endpoints, in
	// order of preference. They may hold credentials, which are never shown.
	Endpoints []string
	// Client makes the requests; nil takes one of its own. Redirects are
	// never followed.
	Client *http.Client
	// Timeout bounds one request; 0 is DefaultTimeout.
	Timeout time.Duration
	// Now tells the time, for cool-downs and timings only; nil is time.Now.
	Now func() time.Time
}

// Adapter reads one EVM network. It is safe for concurrent use.
type Adapter struct {
	profile chain.Profile
	pool    *pool
	assets  map[address]chain.Asset
	heads   headMemory
}

var _ chain.Reader = (*Adapter)(nil)

// DefaultTimeout is how long one request may take: large log queries take
// providers seconds.
const DefaultTimeout = 20 * time.Second

// maxEndpoints bounds the configuration; nobody needs more.
const maxEndpoints = 16

// New returns an adapter for the network of the profile. It makes no request.
// It fails with fault.Invalid for an address that is none and for assets that
// contradict each other.
func New(c Config) (*Adapter, error) {
	n := c.Profile.Network
	if !n.EVM() {
		return nil, fault.New(fault.Invalid, "%s is not an EVM network", n)
	}
	if len(c.Endpoints) == 0 || len(c.Endpoints) > maxEndpoints {
		return nil, fault.New(fault.Invalid, "%s needs 1 to %d endpoints", n, maxEndpoints)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	assets, err := assetTable(c.Profile)
	if err != nil {
		return nil, err
	}
	p := &pool{now: c.Now}
	for i, raw := range c.Endpoints {
		w, err := newWire(raw, httpClient(c.Client), c.Now)
		if err != nil {
			return nil, fault.New(fault.Invalid, "endpoint %d of %s: %s", i+1, n, err.Error())
		}
		if p.has(w) {
			return nil, fault.New(fault.Invalid, "endpoint %d of %s is there twice; a second opinion must come from somebody else", i+1, n)
		}
		w.name, w.timeout = p.uniqueName(w.name), c.Timeout
		p.endpoints = append(p.endpoints, newEndpoint(w, c.Profile.ChainID))
	}
	return &Adapter{profile: c.Profile, pool: p, assets: assets}, nil
}

// assetTable indexes the network's assets by contract.
func assetTable(p chain.Profile) (map[address]chain.Asset, error) {
	assets := make(map[address]chain.Asset, len(p.Assets))
	for _, a := range p.Assets {
		w, err := chain.ParseAddress(p.Network, string(a.Contract))
		if err != nil {
			return nil, fault.New(fault.Invalid, "contract of %s on %s: %s", a.Symbol, p.Network, err.Error())
		}
		a.Network, a.Contract = p.Network, w.Address
		if _, twice := assets[address(w.Raw)]; twice {
			return nil, fault.New(fault.Invalid, "contract %s stands for two assets of %s", a.Contract, p.Network)
		}
		assets[address(w.Raw)] = a
	}
	if len(assets) == 0 {
		return nil, fault.New(fault.Invalid, "%s has no assets", p.Network)
	}
	return assets, nil
}

// httpClient returns a client that follows no redirect: it would carry
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

// has reports whether the address is one of the endpoints' already.
func (p *pool) has(w *wire) bool {
	return slices.ContainsFunc(p.endpoints, func(e *endpoint) bool { return e.target.String() == w.target.String() })
}

// uniqueName tells endpoints of one host apart.
func (p *pool) uniqueName(host string) string {
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

// Network names the network the adapter reads.
func (a *Adapter) Network() chain.Network { return a.profile.Network }

// Close lets go of connections that are open and unused. A node that stops
// waits seconds for those on which nothing was asked yet.
func (a *Adapter) Close() {
	for _, e := range a.pool.endpoints {
		e.client.CloseIdleConnections()
	}
}

// Endpoints tells the health of each endpoint, in the configured order.
func (a *Adapter) Endpoints() []chain.EndpointHealth {
	healths := make([]chain.EndpointHealth, len(a.pool.endpoints))
	for i, e := range a.pool.endpoints {
		healths[i] = e.health()
	}
	return healths
}
