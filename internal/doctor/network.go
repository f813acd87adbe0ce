package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// Reader reads one network, through one endpoint or all of them.
type Reader interface {
	chain.Reader
	// Coins returns what the addresses hold of the native coin.
	Coins(ctx context.Context, addresses []chain.Address, at chain.Head) ([]money.Units, error)
}

// Network is a configured network.
type Network struct {
	Profile chain.Profile
	// Endpoints read through one endpoint each, in the configured order; All through all of them.
	Endpoints []Reader
	All       Reader
	// Gas is the gas wallet, Treasury where top-ups settle; empty: there is none.
	Gas, Treasury chain.Address
	// GasSetting is the setting of the gas wallet's key.
	GasSetting string
	// Watched is an address without money, for queries that find nothing.
	Watched chain.Watched
}

const (
	// endpointLimit bounds all checks of one endpoint.
	endpointLimit = time.Minute
	// rangeBlocks is the range of the log query, as long as those of a server that catches up.
	rangeBlocks = 2_000
	// outageBlocks measure the time between blocks, to find the block of a day ago.
	outageBlocks = 1_000
	// readBack is how old a block an endpoint should have: what a server reads after an outage.
	readBack = 24 * time.Hour
)

// Network checks the network: each endpoint by itself, then what needs the network.
func (r *Report) Network(ctx context.Context, n Network, now func() time.Time) {
	name := string(n.Profile.Network)
	for i, e := range n.Endpoints {
		r.endpoint(ctx, fmt.Sprintf("%s endpoint %d", name, i+1), n, e, now)
	}
	if len(n.Endpoints) == 1 {
		r.addf(name+" endpoints", Warning, "one endpoint: no second one confirms what it reports and calls final; "+
			"add one of another provider to FLORIN_%s_RPC", name)
	} else {
		r.addf(name+" endpoints", Fine, "%d endpoints; two must agree", len(n.Endpoints))
	}
	r.gas(ctx, n)
	if n.Treasury == "" {
		r.addf(name+" treasury", Fine, "none: credits cannot be bought here")
	} else {
		r.addf(name+" treasury", Fine, "%s", n.Treasury)
	}
}

// endpoint checks one endpoint: that it is of the chain, with contracts, tokens and decimals as configured; its head;
// and that it answers queries of logs, and of blocks of a day ago.
func (r *Report) endpoint(ctx context.Context, name string, n Network, e Reader, now func() time.Time) {
	ctx, cancel := context.WithTimeout(ctx, endpointLimit)
	defer cancel()
	health := func() chain.EndpointHealth { return e.Endpoints()[0] }
	if err := e.Check(ctx); err != nil {
		r.addf(name, Wrong, "%s: %s", health().Name, explain(err))
		return
	}
	heads, err := e.Heads(ctx)
	if err != nil {
		r.addf(name, Wrong, "%s: its newest and final blocks cannot be read: %s", health().Name, explain(err))
		return
	}
	if age := now().Sub(heads.Latest.Time); age > n.Profile.HeadLimit {
		r.addf(name, Wrong, "%s: its newest block is %s old, limit %s; use an endpoint that follows the network",
			health().Name, age.Round(time.Second), n.Profile.HeadLimit)
		return
	}
	if err := query(ctx, n, e, heads.Final); err != nil {
		r.addf(name, Wrong, "%s: it does not answer the queries for payments: %s", health().Name, explain(err))
		return
	}
	h := health()
	text := fmt.Sprintf("%s: block %d, %s a call", h.Name, heads.Latest.Number, h.Latency.Round(time.Millisecond))
	if h.Learnt = e.Endpoints()[0].Learnt; len(h.Learnt) > 0 {
		text += "; " + strings.Join(h.Learnt, "; ")
	}
	if err := old(ctx, n, e, heads.Final); err != nil {
		r.addf(name, Warning, "%s; it does not have what is a day old, so an outage of that length needs another endpoint: %s",
			text, explain(err))
		return
	}
	r.addf(name, Fine, "%s; contracts, tokens and decimals are right", text)
}

// query scans the newest final blocks.
func query(ctx context.Context, n Network, e Reader, final chain.Head) error {
	watch := chain.NewWatchSet(1)
	watch.Add(n.Watched)
	_, err := e.Scan(ctx, final.Number-min(final.Number, rangeBlocks), final, watch)
	return err
}

// old scans a block of a day ago.
func old(ctx context.Context, n Network, e Reader, final chain.Head) error {
	if final.Number <= outageBlocks || !n.Profile.Network.EVM() {
		return nil // a chain that has only begun; on Solana old transactions are read by signature
	}
	recent, ok, err := e.BlockAt(ctx, final.Number-outageBlocks)
	if err != nil || !ok {
		return fmt.Errorf("block %d: %w", final.Number-outageBlocks, notThere(err))
	}
	each := max(final.Time.Sub(recent.Time)/outageBlocks, time.Millisecond)
	number := final.Number - min(final.Number-1, uint64(readBack/each))
	head, ok, err := e.BlockAt(ctx, number)
	if err != nil || !ok {
		return fmt.Errorf("block %d: %w", number, notThere(err))
	}
	watch := chain.NewWatchSet(1)
	watch.Add(n.Watched)
	_, err = e.Scan(ctx, number, head, watch)
	return err
}

func notThere(err error) error {
	if err == nil {
		err = chain.ErrNoEndpoint
	}
	return err
}

// gas checks that the gas wallet can pay for sweeps.
func (r *Report) gas(ctx context.Context, n Network) {
	name := string(n.Profile.Network) + " gas wallet"
	if n.Gas == "" {
		r.addf(name, Warning, "none: money stays on deposit addresses until %s is set", n.GasSetting)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, endpointLimit)
	defer cancel()
	heads, err := n.All.Heads(ctx)
	if err != nil {
		r.addf(name, Wrong, "the balance of %s cannot be read: %s", n.Gas, explain(err))
		return
	}
	held, err := n.All.Coins(ctx, []chain.Address{n.Gas}, heads.Latest)
	switch {
	case err != nil:
		r.addf(name, Wrong, "the balance of %s cannot be read: %s", n.Gas, explain(err))
	case held[0].IsZero():
		r.addf(name, Wrong, "%s holds no %s, so nothing is swept: send some to it", n.Gas, n.Profile.Coin)
	default:
		r.addf(name, Fine, "%s holds %s %s", n.Gas, held[0].Format(n.Profile.Network.CoinDecimals()), n.Profile.Coin)
	}
}
