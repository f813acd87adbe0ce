package solana

import (
	"net/http"
	"slices"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	node "github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
	"github.com/florinpay/florin/internal/fault"
)

// Config names the cluster to read and the endpoints to read it through.
type Config struct {
	Profile chain.Profile
	// Endpoints are the http or https addresses of JSON-RPC endpoints, in order of preference. They may hold
	// credentials, which are never logged or shown.
	Endpoints []string
	// Sweeps is the address that every sweep names (SweepsAddress of the seed), whichever gas wallet paid for it;
	// empty where nothing is swept. A new transaction that names it means that deposit accounts may have been
	// emptied and paid the same amount again since they were last read.
	Sweeps chain.Address
	// Treasury is the operator's settlement wallet, which Check verifies; empty where there is none.
	Treasury chain.Address
	// Rate is the most requests that an endpoint gets in any second; 0 is DefaultRate of package endpoint. What else
	// there is to read waits for its turn: with more addresses than the rate allows for, new blocks are reported later.
	Rate float64
	// Clock is the time that the rate goes by; the zero value is the real one.
	Clock node.Clock
	// Alone is what one of two endpoints may decide.
	Alone chain.Alone
	// Thorough reads the history of every account the first time, even of one that does not exist and that no
	// sweep named. It is for rescans: the owner of the seed may have emptied accounts by other means.
	Thorough bool
	// Client makes the requests; nil means a client of the adapter's own. Redirects are never followed.
	Client *http.Client
	// Timeout bounds one request; 0 is DefaultTimeout.
	Timeout time.Duration
	// Now returns the time, for cool-downs and latencies only; nil is time.Now.
	Now func() time.Time
	// Count is called with the endpoint's name and the method of every call; nil: nothing is.
	Count func(endpoint, method string)
}

// Adapter reads Solana. It is safe for concurrent use.
type Adapter struct {
	profile chain.Profile
	pool    *pool
	mints   []mint
	sweeps  solanago.PublicKey // zero: nothing is swept
	rate    float64

	thorough bool
	treasury chain.Address

	heads  headCache
	finals chain.FinalViews
	aged   chain.Aged[chain.Head]
	// known is what scans know of the accounts, by endpoint.
	known     map[*endpoint]*watchedAccounts
	failures  failures
	addresses *rpc.Accounts
}

// mint is an asset with its address as bytes.
type mint struct {
	key   solanago.PublicKey
	asset chain.Asset
}

var _ chain.Reader = (*Adapter)(nil)

const (
	// DefaultTimeout is how long one request may take.
	DefaultTimeout = 20 * time.Second
	// maxEndpoints bounds the configuration; more endpoints only cost memory.
	maxEndpoints = 16
)

// New returns an adapter for the cluster of the profile. It makes no request. It fails with fault.Invalid for
// a malformed address and for assets that contradict each other.
func New(c Config) (*Adapter, error) {
	n := c.Profile.Network
	if n != chain.Solana {
		return nil, fault.New(fault.Invalid, "%s is not Solana", n)
	}
	if len(c.Endpoints) == 0 || len(c.Endpoints) > maxEndpoints {
		return nil, fault.New(fault.Invalid, "%s needs 1 to %d endpoints", n, maxEndpoints)
	}
	if c.Profile.Finality.Tag != chain.TagFinalized {
		return nil, fault.New(fault.Invalid, "money on %s is credited when it is finalized; leave FLORIN_%s_FINALITY out", n, n)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Rate <= 0 {
		c.Rate = node.DefaultRate
	}
	mints, err := mintTable(c.Profile)
	if err != nil {
		return nil, err
	}
	a := &Adapter{
		profile: c.Profile, mints: mints, rate: c.Rate, thorough: c.Thorough, treasury: c.Treasury,
		known: make(map[*endpoint]*watchedAccounts), addresses: new(rpc.Accounts),
	}
	if c.Sweeps != "" {
		if a.sweeps, err = parseKey(string(c.Sweeps)); err != nil {
			return nil, fault.New(fault.Invalid, "address of the sweeps of %s: %s", n, err.Error())
		}
	}
	a.pool = &pool{now: c.Now, alone: c.Alone, genesis: expectedGenesis(mints)}
	for i, raw := range c.Endpoints {
		w, err := rpc.New(raw, c.Client, c.Timeout)
		if err != nil {
			return nil, fault.New(fault.Invalid, "endpoint %d of %s: %s", i+1, n, err.Error())
		}
		if slices.ContainsFunc(a.pool.endpoints, func(e *endpoint) bool { return e.Same(w) }) {
			return nil, fault.New(fault.Invalid,
				"endpoint %d of %s is there twice; a second opinion must come from another provider", i+1, n)
		}
		w.Name = a.pool.uniqueName(w.Name)
		e := &endpoint{Client: w, Health: node.NewHealth(c.Now), pool: a.pool}
		w.Now, w.Observe, w.Count, w.Rate = c.Now, e.observe, c.Count, node.NewRate(c.Rate, c.Clock)
		w.Alone = func() bool { return len(a.pool.others(e)) == 0 }
		a.pool.endpoints = append(a.pool.endpoints, e)
		a.known[e] = newWatchedAccounts(a.addresses)
	}
	return a, nil
}

// mintTable lists the network's assets with their mints.
func mintTable(p chain.Profile) ([]mint, error) {
	var mints []mint
	for _, a := range p.Assets {
		key, err := parseKey(string(a.Contract))
		if err != nil {
			return nil, fault.New(fault.Invalid, "mint of %s on %s: %s", a.Symbol, p.Network, err.Error())
		}
		if slices.ContainsFunc(mints, func(m mint) bool { return m.key == key }) {
			return nil, fault.New(fault.Invalid, "mint %s stands for two assets of %s", a.Contract, p.Network)
		}
		a.Network = p.Network
		mints = append(mints, mint{key, a})
	}
	if len(mints) == 0 {
		return nil, fault.New(fault.Invalid, "%s has no assets", p.Network)
	}
	return mints, nil
}

// mainnetGenesis is the genesis hash of mainnet-beta.
const mainnetGenesis = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"

// expectedGenesis returns mainnet's genesis hash if a mint is one of the compiled-in ones. For other mints it
// is empty: then the first endpoint decides, and all others must agree.
func expectedGenesis(mints []mint) string {
	for _, p := range chain.Profiles() {
		for _, a := range p.Assets {
			if p.Network == chain.Solana &&
				slices.ContainsFunc(mints, func(m mint) bool { return m.asset.Contract == a.Contract }) {
				return mainnetGenesis
			}
		}
	}
	return ""
}

func parseKey(text string) (solanago.PublicKey, error) {
	w, err := chain.ParseAddress(chain.Solana, text)
	if err != nil {
		return solanago.PublicKey{}, err
	}
	return solanago.PublicKey(w.Raw), nil
}

// mint returns the mint of a known asset.
func (a *Adapter) mint(contract chain.Address) (mint, bool) {
	for _, m := range a.mints {
		if m.asset.Contract == contract {
			return m, true
		}
	}
	return mint{}, false
}

// Network names the network the adapter reads.
func (a *Adapter) Network() chain.Network { return a.profile.Network }

// Endpoints returns the health of each endpoint, in the configured order.
func (a *Adapter) Endpoints() []chain.EndpointHealth {
	return a.finals.Mark(a.pool.health())
}
