package evm

import (
	"net/http"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/fault"
)

// Config says which network to read and through which endpoints.
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
	// Now returns the time, for cool-downs and timings only; nil is time.Now.
	Now func() time.Time
	// Rate is the most calls that an endpoint gets in a second; 0: as many as are made, for a node of one's own.
	Rate float64
	// Clock is what the rate, and pauses after a refusal for its sake, go by; the zero value is the real one.
	Clock endpoint.Clock
	// Alone is what one of two endpoints may decide.
	Alone chain.Alone
	// Multicall is the contract that reads many balances at once, where it is; zero: Multicall3.
	Multicall rpc.Multicall
	// Count is called with the endpoint's name and the method of every call; nil: nothing is.
	Count func(endpoint, method string)
}

// Adapter reads one EVM network. It is safe for concurrent use.
type Adapter struct {
	profile    chain.Profile
	pool       *rpc.Pool
	assets     map[rpc.Address]chain.Asset
	heads      headMemory
	finals     chain.FinalViews
	aged       chain.Aged[view]
	alone      chain.Alone
	quickReads quickReadMemory
	slow       slowReceipts
	slowLogs   slowLogs
}

var _ chain.Reader = (*Adapter)(nil)

// New returns an adapter for the network of the profile. It makes no request.
// It fails with fault.Invalid for a malformed endpoint and for assets that
// contradict each other.
func New(c Config) (*Adapter, error) {
	n := c.Profile.Network
	if !n.EVM() {
		return nil, fault.New(fault.Invalid, "%s is not an EVM network", n)
	}
	assets, err := assetTable(c.Profile)
	if err != nil {
		return nil, err
	}
	p, err := rpc.NewPool(rpc.Config{
		Network: n, ChainID: c.Profile.ChainID, Endpoints: c.Endpoints, Client: c.Client,
		Timeout: c.Timeout, Now: c.Now, Rate: c.Rate, Clock: c.Clock, Multicall: c.Multicall,
		Count: c.Count,
	})
	if err != nil {
		return nil, err
	}
	return &Adapter{
		profile: c.Profile, pool: p, assets: assets, alone: c.Alone, slow: slowReceipts{now: p.Now},
		slowLogs: slowLogs{now: p.Now},
	}, nil
}

// assetTable indexes the network's assets by contract.
func assetTable(p chain.Profile) (map[rpc.Address]chain.Asset, error) {
	assets := make(map[rpc.Address]chain.Asset, len(p.Assets))
	for _, a := range p.Assets {
		w, err := chain.ParseAddress(p.Network, string(a.Contract))
		if err != nil {
			return nil, fault.New(fault.Invalid, "contract of %s on %s: %s", a.Symbol, p.Network, err.Error())
		}
		a.Network, a.Contract = p.Network, w.Address
		if _, twice := assets[rpc.Address(w.Raw)]; twice {
			return nil, fault.New(fault.Invalid, "contract %s stands for two assets of %s", a.Contract, p.Network)
		}
		assets[rpc.Address(w.Raw)] = a
	}
	if len(assets) == 0 {
		return nil, fault.New(fault.Invalid, "%s has no assets", p.Network)
	}
	return assets, nil
}

// Network names the network the adapter reads.
func (a *Adapter) Network() chain.Network { return a.profile.Network }

// Profile returns what is configured about the network.
func (a *Adapter) Profile() chain.Profile { return a.profile }

// Pool returns the endpoints through which the network is read.
func (a *Adapter) Pool() *rpc.Pool { return a.pool }

// Close closes the idle connections. A node that shuts down waits seconds for
// connections without requests.
func (a *Adapter) Close() { a.pool.Close() }

// Forget drops what is remembered of the chain, so that endpoints that report another one than before are believed: an
// operator who has compared them has moved the cursor.
func (a *Adapter) Forget() {
	a.heads.forget()
	a.aged.Forget()
	a.pool.Retry()
}

// Endpoints reports the health of each endpoint, in the configured order.
func (a *Adapter) Endpoints() []chain.EndpointHealth { return a.finals.Mark(a.pool.Health()) }
