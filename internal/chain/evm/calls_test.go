package evm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
)

// asked counts the calls to a provider by method and parameters.
func asked(p *chaintest.Provider) map[string]int {
	calls := make(map[string]int)
	p.Behave(chaintest.Rules{Call: func(_ *chaintest.Provider, c chaintest.ProviderCall) *chaintest.ProviderReply {
		calls[fmt.Sprintf("%s %s", c.Method, c.Params)]++
		return nil
	}})
	return calls
}

// A scan with money asks for each header and each receipt once. Only the last block is asked for again, which proves
// that the chain has not changed meanwhile.
func TestScan_NothingTwice(t *testing.T) {
	t.Parallel()
	p := newProvided(t)
	watched := p.addresses(6)
	var both []chaintest.Payment
	for _, w := range watched {
		both = append(both, chaintest.Payment{To: w, Asset: p.Credited(), Units: 3})
	}
	p.Pay(both...)
	p.Mine(1)
	for _, one := range both {
		p.Pay(one)
	}
	p.Mine(4)
	to := p.chain.Head()
	if _, err := p.reader.Heads(t.Context()); err != nil {
		t.Fatal(err)
	}
	calls := asked(p.provider)
	found, err := p.scan(0, to, watched...)
	if err != nil || len(found) != 12 {
		t.Fatalf("%d transfers, %v", len(found), err)
	}
	last := fmt.Sprintf("%#x", to.Number)
	sum := 0
	for call, n := range calls {
		most := 1
		if strings.HasPrefix(call, "eth_getBlockByNumber") && strings.Contains(call, last) {
			most = 2
		}
		if sum += n; n > most {
			t.Errorf("%s was asked %d times", call, n)
		}
	}
	const logs, blocks, receipts, checks = 1, 2, 7, 2
	if sum != logs+blocks+receipts+checks {
		t.Errorf("%d calls: %v", sum, calls)
	}
}

// A second endpoint confirms a transaction once, however many transfers it makes.
func TestJudge_OncePerTransaction(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	second := chaintest.NewProvider(t, s.endpoints[1].URL)
	var err error
	if s.reader, err = evm.New(evm.Config{
		Profile: s.profile, Endpoints: []string{s.endpoints[0].URL, second.URL}, Now: s.clock.Now,
	}); err != nil {
		t.Fatal(err)
	}
	watched := s.addresses(5)
	var payments []chaintest.Payment
	for _, w := range watched {
		payments = append(payments, chaintest.Payment{To: w, Asset: s.Credited(), Units: 1})
	}
	s.Pay(payments...)
	s.Mine(1)
	s.Finalize()
	heads := s.heads()
	for _, at := range []chain.Head{heads.Final, heads.Latest} {
		found, err := s.scan(0, at, watched...)
		if err != nil || len(found) != len(watched) {
			t.Fatalf("%d transfers, %v", len(found), err)
		}
		calls := asked(second)
		groups := chain.ByTransaction(found)
		if v, err := chain.JudgeAll(t.Context(), s.reader, groups[0], at); err != nil ||
			v != chain.Stands || len(groups) != 1 {
			t.Fatalf("verdict %d, %v, %d transactions", v, err, len(groups))
		}
		for call, n := range calls {
			if n > 1 {
				t.Errorf("%s was asked %d times", call, n)
			}
		}
		// The receipt, the block of `at` and, where that is another one, the block of the transaction.
		if want := 2; at == heads.Final && len(calls) != want {
			t.Errorf("%d calls, want %d: %v", len(calls), want, calls)
		}
	}
}
