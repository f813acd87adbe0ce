package simulation

import (
	"context"
	"net/http"
	"sync"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// faults are the present faults of one instance: of all its calls, and of Solana's endpoints. Those of Polygon's
// endpoints are in their nodes.
type faults struct {
	failAt     int  // countdown to the call that fails; 0: none
	blind      bool // every call fails
	interleave int  // countdown to the call during which something else happens; 0: none
	lostAt     int  // countdown to the commit whose answer is lost; 0: none
	conflictAt int  // countdown to the decision that another transaction overtakes, so that it is made again; 0: none
	lag        int  // blocks the endpoint is behind
	invents    bool // it reports a transfer that is in no block
	repeats    bool // it reports every transfer twice
	behind     int  // blocks that the safe and finalized tags are behind what they were
	secondLags bool // the second endpoint does not have the newest blocks yet
}

// evmReader is the real adapter on simulated nodes.
type evmReader struct {
	*evm.Adapter
	in *instance
}

var _ chain.Reader = evmReader{}

// Hosts of the nodes.
const (
	firstHost  = "first.example"
	secondHost = "second.example"
)

// newEVMReader reads the chain through two endpoints, or one.
func (in *instance) newEVMReader(l *testChain) evmReader {
	in.nodes = nodes{}
	var endpoints []string
	for _, host := range in.w.hosts {
		in.nodes[host] = &node{in: in, chain: l}
		endpoints = append(endpoints, "http://"+host)
	}
	a, err := evm.New(evm.Config{
		Profile: l.profile, Endpoints: endpoints, Client: &http.Client{Transport: in.nodes}, Now: in.now,
	})
	in.w.must(err)
	return evmReader{a, in}
}

// Check does not ask: what it compares does not change.
func (r evmReader) Check(context.Context) error { return r.in.call() }

func (r evmReader) Heads(ctx context.Context) (chain.Heads, error) {
	if err := r.in.call(); err != nil {
		return chain.Heads{}, err
	}
	return r.Adapter.Heads(ctx)
}

func (r evmReader) BlockAt(ctx context.Context, number uint64) (chain.Head, bool, error) {
	if err := r.in.call(); err != nil {
		return chain.Head{}, false, err
	}
	return r.Adapter.BlockAt(ctx, number)
}

func (r evmReader) Absent(ctx context.Context, t chain.Transfer, at chain.Head) (chain.Verdict, error) {
	if err := r.in.call(); err != nil {
		return chain.Undecided, err
	}
	return r.Adapter.Absent(ctx, t, at)
}

// reader is a chain.Reader of the simulated chain, with faults.
type reader struct {
	w     *world
	in    *instance
	chain *testChain
	// mu guards what Confirm reads, which is called concurrently.
	mu sync.Mutex
}

var _ chain.Reader = (*reader)(nil)

// call counts a call, which may fail or be interleaved.
func (r *reader) call() error { return r.in.call() }

func (r *reader) height() int { return max(1, len(r.chain.blocks)-r.in.faults.lag) }

func (r *reader) Network() chain.Network { return r.chain.profile.Network }

func (r *reader) Check(context.Context) error { return r.call() }

func (r *reader) Heads(context.Context) (chain.Heads, error) {
	if err := r.call(); err != nil {
		return chain.Heads{}, err
	}
	l, n := r.chain, r.height()
	h := chain.Heads{
		Latest: l.blocks[n-1].Head, Final: l.blocks[max(0, l.safe(n)-r.in.faults.behind)].Head,
		Finalized: l.blocks[max(0, l.finalized(n)-r.in.faults.behind)].Head,
	}
	return h, nil
}

func (r *reader) BlockAt(_ context.Context, number uint64) (chain.Head, bool, error) {
	if err := r.call(); err != nil || number >= uint64(r.height()) {
		return chain.Head{}, false, err
	}
	return r.chain.blocks[number].Head, true, nil
}

func (r *reader) Scan(_ context.Context, from uint64, to chain.Head, watch *chain.WatchSet) ([]chain.Transfer, error) {
	if err := r.call(); err != nil {
		return nil, err
	}
	if to.Number >= uint64(r.height()) || r.chain.blocks[to.Number].Hash != to.Hash {
		return nil, chain.ErrReorged
	}
	watched := make(map[chain.Address]bool, watch.Len())
	watch.All(func(_ []byte, a chain.Address) bool { watched[a] = true; return true })
	var list []chain.Transfer
	for _, b := range r.chain.blocks[from : to.Number+1] {
		for _, t := range b.txs {
			for i, m := range t.moves {
				if watched[m.to] && m.units > 0 && !r.w.hidden[t.hash] {
					list = append(list, r.transfer(b, t.hash, i, m))
				}
			}
		}
	}
	if r.in.faults.invents && len(r.w.shown) > 0 && to.Number >= from {
		b, victim := r.chain.blocks[to.Number], r.w.shown[len(r.w.shown)-1]
		if watched[victim] {
			list = append(list, r.transfer(b, "0xinvented", 0, move{r.chain.profile.Assets[0].Contract, "0xinvented", victim, 1_000_000_000}))
		}
	}
	if r.in.faults.repeats {
		list = append(list, list...)
	}
	return list, nil
}

func (r *reader) transfer(b *block, h chain.TxHash, i int, m move) chain.Transfer {
	t := chain.Transfer{
		Key:  chain.Key{Network: r.chain.profile.Network, Tx: h, Ordinal: i},
		From: m.from, To: m.to, Units: money.UnitsFromUint64(m.units), Block: b.Head, Source: "first",
	}
	for _, a := range r.chain.profile.Assets {
		if a.Contract == m.contract {
			t.Asset = a
		}
	}
	return t
}

// Glance is what the first endpoint shows, which may omit a transaction.
func (r *reader) Glance(_ context.Context, l chain.Look) (chain.Glance, error) {
	if err := r.call(); err != nil {
		return chain.Glance{}, err
	}
	n := r.height()
	seen := chain.Glance{Final: r.chain.blocks[max(0, r.chain.safe(n)-r.in.faults.behind)].Number}
	watched := make(map[chain.Address]bool, l.Watch.Len())
	l.Watch.All(func(_ []byte, a chain.Address) bool { watched[a] = true; return true })
	for _, b := range r.chain.blocks[min(int(l.After), n-1):n] { //nolint:gosec // a simulated chain is short
		for _, t := range b.txs {
			for _, m := range t.moves {
				seen.News = seen.News || watched[m.to] && m.units > 0 && !r.w.hidden[t.hash] && !l.Known(t.hash)
			}
		}
	}
	return seen, nil
}

// Confirm is called concurrently, so it neither counts calls nor draws random numbers.
func (r *reader) Confirm(_ context.Context, transfers []chain.Transfer, at chain.Head) (chain.Verdict, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.in.faults.blind {
		return chain.Undecided, chain.ErrNoEndpoint
	}
	if r.in.faults.secondLags || at.Number >= uint64(len(r.chain.blocks)) {
		return chain.Undecided, nil
	}
	for _, t := range transfers {
		b, found := r.chain.find(t.Tx, int(at.Number)+1)
		if b == nil || b.Hash != t.Block.Hash || t.Ordinal >= len(found.moves) ||
			found.moves[t.Ordinal].units != t.Units.Big().Uint64() {
			return chain.Missing, nil
		}
	}
	return chain.Stands, nil
}

// Absent is the opinion of two endpoints, of which one may lag.
func (r *reader) Absent(_ context.Context, t chain.Transfer, at chain.Head) (chain.Verdict, error) {
	if err := r.call(); err != nil {
		return chain.Undecided, err
	}
	blocks := r.chain.blocks
	if r.in.faults.secondLags || at.Number >= uint64(r.height()) || blocks[at.Number].Hash != at.Hash {
		return chain.Undecided, nil
	}
	b, found := r.chain.find(t.Tx, int(at.Number)+1)
	if b == nil || t.Ordinal >= len(found.moves) {
		return chain.Missing, nil
	}
	m := found.moves[t.Ordinal]
	if m.to != t.To || m.contract != t.Asset.Contract || m.units != t.Units.Big().Uint64() {
		return chain.Missing, nil
	}
	return chain.Stands, nil
}

func (r *reader) Balances(
	_ context.Context, asset chain.Asset, addresses []chain.Address, _ chain.Head,
) ([]money.Units, error) {
	if err := r.call(); err != nil {
		return nil, err
	}
	state := r.chain.blocks[r.height()-1].state
	list := make([]money.Units, len(addresses))
	for i, a := range addresses {
		list[i] = money.UnitsFromUint64(state[holding{a, asset.Contract}])
	}
	return list, nil
}

// Search is what any of two endpoints reports, of which one omits no transaction.
func (r *reader) Search(
	ctx context.Context, from uint64, to chain.Head, watch *chain.WatchSet,
) ([]chain.Transfer, error) {
	hidden := r.w.hidden
	r.w.hidden = nil
	defer func() { r.w.hidden = hidden }()
	return r.Scan(ctx, from, to, watch)
}

// MostHeld is what two endpoints hold to be true, of which one may lag.
func (r *reader) MostHeld(
	ctx context.Context, asset chain.Asset, addresses []chain.Address, at chain.Head,
) ([]money.Units, error) {
	if r.in.faults.secondLags {
		return nil, chain.ErrNoEndpoint
	}
	return r.Balances(ctx, asset, addresses, at)
}

func (r *reader) Find(context.Context, chain.TxHash) (chain.Found, error) {
	return chain.Found{}, fault.New(fault.Unavailable, "the simulation looks up no transactions")
}

func (r *reader) Endpoints() []chain.EndpointHealth { return nil }
