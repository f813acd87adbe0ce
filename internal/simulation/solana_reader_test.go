package simulation

import (
	"context"
	"net/http"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// solanaReader is the real adapter on simulated nodes.
type solanaReader struct {
	*solana.Adapter
	in *instance
}

var _ chain.Reader = solanaReader{}

// unhurried is a rate that holds no call back: the simulated time does not pass while one waits.
const unhurried = 1e9

// newSolanaReader reads the chain through its endpoints.
func (in *instance) newSolanaReader(l *testChain) solanaReader {
	in.solana = nodes{}
	var endpoints []string
	for _, host := range in.w.hosts {
		in.solana[host] = &node{in: in, chain: l, host: host}
		endpoints = append(endpoints, "http://"+host)
	}
	a, err := solana.New(solana.Config{
		Profile: l.profile, Endpoints: endpoints, Client: &http.Client{Transport: in.solana}, Now: in.now,
		Sweeps: in.w.sweepsAddress(), Rate: unhurried,
	})
	in.w.must(err)
	return solanaReader{a, in}
}

// sweepsAddress is the address that every sweep on Solana names.
func (w *world) sweepsAddress() chain.Address {
	seed, err := solanaSeed()
	w.must(err)
	return solana.SweepsAddress(seed)
}

// Check does not ask: what it compares does not change.
func (r solanaReader) Check(context.Context) error { return r.in.call() }

func (r solanaReader) Heads(ctx context.Context) (chain.Heads, error) {
	if err := r.in.call(); err != nil {
		return chain.Heads{}, err
	}
	return r.Adapter.Heads(ctx)
}

func (r solanaReader) BlockAt(ctx context.Context, number uint64) (chain.Head, bool, error) {
	if err := r.in.call(); err != nil {
		return chain.Head{}, false, err
	}
	return r.Adapter.BlockAt(ctx, number)
}

func (r solanaReader) Scan(
	ctx context.Context, from uint64, to chain.Head, watch *chain.WatchSet, not ...string,
) ([]chain.Transfer, string, error) {
	if err := r.in.call(); err != nil {
		return nil, "", err
	}
	r.in.scanning = true
	defer func() { r.in.scanning = false }()
	return r.Adapter.Scan(ctx, from, to, watch, not...)
}

func (r solanaReader) QuickRead(ctx context.Context, l chain.Look) (chain.QuickRead, error) {
	if err := r.in.call(); err != nil {
		return chain.QuickRead{}, err
	}
	return r.Adapter.QuickRead(ctx, l)
}

func (r solanaReader) Judge(ctx context.Context, list []chain.Transfer, at chain.Head) ([]chain.Verdict, error) {
	if list[0].Source == "" { // what was reported is judged in parallel, in no certain order
		if err := r.in.call(); err != nil {
			return nil, err
		}
	}
	return r.Adapter.Judge(ctx, list, at)
}

func (r solanaReader) MostHeld(
	ctx context.Context, asset chain.Asset, addresses []chain.Address, at chain.Head,
) ([]money.Units, error) {
	if err := r.in.call(); err != nil {
		return nil, err
	}
	return r.Adapter.MostHeld(ctx, asset, addresses, at)
}

func (solanaReader) Find(context.Context, chain.TxHash) (chain.Found, error) {
	return chain.Found{}, fault.New(fault.Unavailable, "the simulation looks up no transactions")
}
