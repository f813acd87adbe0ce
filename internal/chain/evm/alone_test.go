package evm_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
)

// silences are how many blocks an endpoint lags behind that has fallen silent, by how it did, after so many were mined;
// -1: it fails.
var silences = map[string]func(mined int) (lag int){
	"Fails":        func(int) int { return -1 },
	"StandsStill":  func(mined int) int { return mined },
	"BackAndForth": func(mined int) int { return mined + mined%2 }, // between two blocks
}

// pairOf is a network read through two endpoints, of which the second one falls silent.
type pairOf struct {
	*script

	reader *evm.Adapter
	how    string // see silences
	mined  int
}

func newPairOf(t *testing.T, rule chain.Alone, how string) *pairOf {
	t.Helper()
	p := &pairOf{script: newScript(t, 2), how: how}
	p.Mine(1)
	reader, err := evm.New(evm.Config{
		Profile: p.profile, Endpoints: []string{p.endpoints[0].URL, p.endpoints[1].URL}, Alone: rule,
		Now: p.clock.Now, Clock: p.clock.pauses(),
	})
	if err != nil {
		t.Fatal(err)
	}
	p.reader, p.script.reader = reader, reader
	return p
}

func (p *pairOf) mine(n int) {
	p.Mine(n)
	p.mined += n
	if lag := silences[p.how](p.mined); lag >= 0 {
		p.endpoints[1].Set(chaintest.Faults{Lag: lag})
	} else {
		p.endpoints[1].Set(chaintest.Faults{Status: 500})
	}
}

// pass reads the heads every minute.
func (p *pairOf) pass(span time.Duration) chain.Head {
	for range span / time.Minute {
		p.clock.advance(time.Minute)
		p.mine(1)
		p.heads()
	}
	return p.heads().Final
}

// judged is what becomes of the small payment and of the large one.
func (p *pairOf) judged(to chain.Watched, at chain.Head) (verdicts [2]chain.Verdict) {
	p.t.Helper()
	got, err := p.scan(0, p.heads().Latest, to)
	if err != nil || len(got) != 2 {
		p.t.Fatalf("scanned %+v, %v", got, err)
	}
	for i, one := range got {
		v, err := chain.JudgeAll(p.t.Context(), p.reader, []chain.Transfer{one}, at)
		if err != nil && v != chain.Undecided {
			p.t.Fatal(err)
		}
		verdicts[i] = v
	}
	return verdicts
}

// TestAlone: while one of two endpoints is silent, the other one decides after a while what the operator allows.
func TestAlone(t *testing.T) {
	t.Parallel()
	for rule, want := range map[chain.Alone][2]chain.Verdict{
		chain.AloneStop:  {chain.Undecided, chain.Undecided},
		chain.AloneSmall: {chain.Stands, chain.Undecided},
		chain.AloneAll:   {chain.Stands, chain.Stands},
	} {
		for how := range silences {
			t.Run(string(rule)+how, func(t *testing.T) {
				t.Parallel()
				p := newPairOf(t, rule, how)
				before, to := p.heads().Final.Number, p.Address()
				p.Pay(chaintest.Payment{To: to, Asset: p.Credited(), Units: 99_000_000})
				p.mine(1)
				p.Pay(chaintest.Payment{To: to, Asset: p.Credited(), Units: 101_000_000})
				p.mine(scriptFinalDepth + 1)
				if at := p.pass(chain.AloneAfter + chain.AloneDepth - time.Minute).Number; at != before {
					t.Fatalf("block %d is final by one endpoint after %d", at, before)
				}
				at := p.pass(3 * time.Minute)
				decides := p.heads().Alone
				if decides != (rule != chain.AloneStop) || decides != (at.Number > before) {
					t.Fatalf("block %d is final after %d, alone %t", at.Number, before, decides)
				}
				if rule == chain.AloneStop {
					at = p.heads().Latest
				}
				if got := p.judged(to, at); got != want {
					t.Errorf("judged %v, want %v", got, want)
				}
				p.endpoints[1].Set(chaintest.Faults{})
				p.clock.advance(time.Minute) // a cool-down
				p.heads()
				p.clock.advance(time.Minute)
				if got := p.judged(to, p.heads().Final); got != [2]chain.Verdict{chain.Stands, chain.Stands} {
					t.Errorf("when both answer: judged %v", got)
				}
			})
		}
	}
}
