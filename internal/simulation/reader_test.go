package simulation

import (
	"context"
	"net/http"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
)

// faults are the present faults of one instance: of all its calls, and of what makes its sweeps. Those of its endpoints
// are in their nodes.
type faults struct {
	failAt     int  // countdown to the call that fails; 0: none
	blind      bool // every call fails
	interleave int  // countdown to the call during which something else happens; 0: none
	lostAt     int  // countdown to the commit whose answer is lost; 0: none
	conflictAt int  // countdown to the decision that another transaction overtakes, so that it is made again; 0: none
	lag        int  // blocks the endpoint is behind
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
	thirdHost  = "third.example"
)

// newEVMReader reads the chain through its endpoints.
func (in *instance) newEVMReader(l *testChain) evmReader {
	in.nodes = nodes{}
	var endpoints []string
	for _, host := range in.w.hosts {
		in.nodes[host] = &node{in: in, chain: l, host: host}
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

func (r evmReader) Judge(ctx context.Context, list []chain.Transfer, at chain.Head) ([]chain.Verdict, error) {
	if list[0].Source == "" { // what was reported is judged in parallel, in no certain order
		if err := r.in.call(); err != nil {
			return nil, err
		}
	}
	return r.Adapter.Judge(ctx, list, at)
}
