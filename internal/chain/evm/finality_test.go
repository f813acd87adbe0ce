package evm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
)

// unsaid are answers to the tag of finality of an endpoint that does not say what is final.
var unsaid = map[string]any{
	"Null":      nil,
	"BadParams": &chaintest.RPCError{Code: -32602, Message: "invalid argument 0: hex string without 0x prefix"},
	"NoMethod":  &chaintest.RPCError{Code: -32601, Message: "the method is not available"},
	"Internal":  &chaintest.RPCError{Code: -32000, Message: "internal error"},
	"Garbage":   map[string]any{"number": "0x"},
}

// silentOf makes an endpoint answer so in place of its final block.
func silentOf(answer any) chaintest.Faults {
	return chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
		return answer, method == "eth_getBlockByNumber" && string(params[0]) == `"finalized"`
	}}
}

// TestHeads_Unsaid: endpoints that do not say what is final are no voices about that, as dead ones, and answer all
// else: where one is left that says it, that one decides after a while what the operator allows, also where the silent
// ones are asked first. The silent ones are named, and none rests.
func TestHeads_Unsaid(t *testing.T) {
	t.Parallel()
	for name, answer := range unsaid {
		for rule, want := range map[chain.Alone][2]chain.Verdict{
			chain.AloneStop:  {chain.Undecided, chain.Undecided},
			chain.AloneSmall: {chain.Stands, chain.Undecided},
			chain.AloneAll:   {chain.Stands, chain.Stands},
		} {
			for _, list := range []string{"s.", ".s", "ss.", "s.s", ".ss"} {
				t.Run(fmt.Sprintf("%s/%s/%s", name, rule, list), func(t *testing.T) {
					t.Parallel()
					newUnsaying(t, rule, list, answer).decides(want)
				})
			}
		}
	}
}

// unsaying is a network of which the endpoints marked s in the list do not say what is final.
type unsaying struct {
	*pairOf

	rule chain.Alone
	list string
	odd  any // their answer in its place
}

func newUnsaying(t *testing.T, rule chain.Alone, list string, odd any) *unsaying {
	t.Helper()
	p := &unsaying{&pairOf{script: newScript(t, len(list)), how: "None"}, rule, list, odd}
	p.Mine(scriptFinalDepth + 1)
	var urls []string
	for _, e := range p.endpoints {
		urls = append(urls, e.URL)
	}
	var err error
	p.reader, err = evm.New(evm.Config{
		Profile: p.profile, Endpoints: urls, Alone: rule, Now: p.clock.Now, Clock: p.clock.pauses(),
	})
	if err != nil {
		t.Fatal(err)
	}
	p.script.reader = p.reader
	p.heads()
	return p
}

// unsay has the endpoints not say what is final, or say it again.
func (p *unsaying) unsay(on bool) {
	for i, e := range p.endpoints {
		if p.list[i] == 's' && on {
			e.Set(silentOf(p.odd))
		} else {
			e.Set(chaintest.Faults{})
		}
	}
}

func (p *unsaying) decides(want [2]chain.Verdict) {
	p.t.Helper()
	before, to := p.heads().Final.Number, p.Address()
	p.unsay(true)
	p.Pay(chaintest.Payment{To: to, Asset: p.Credited(), Units: 99_000_000})
	p.Mine(1)
	p.Pay(chaintest.Payment{To: to, Asset: p.Credited(), Units: 101_000_000})
	p.Mine(scriptFinalDepth + 1)
	p.clock.advance(chain.AllEvery)
	p.heads()
	for i, e := range p.reader.Endpoints() {
		named := strings.Contains(e.Reason, "does not say which block is finalized")
		if named != (p.list[i] == 's') || e.Healthy == named || !e.CoolUntil.IsZero() {
			p.t.Errorf("endpoint %d is %+v", i, e)
		}
	}
	if at := p.quiet(chain.AloneAfter + chain.AloneDepth - 2*time.Minute).Number; at != before {
		p.t.Fatalf("block %d is final by one endpoint after %d", at, before)
	}
	at := p.quiet(5 * time.Minute)
	if one := p.heads().Alone; one != (p.rule != chain.AloneStop) || one != (at.Number > before) {
		p.t.Fatalf("block %d is final after %d, alone %t", at.Number, before, one)
	}
	if p.rule != chain.AloneStop {
		if got := p.judged(to, at); got != want {
			p.t.Errorf("judged %v, want %v", got, want)
		}
	}
	p.unsay(false)
	p.quiet(chain.AloneAfter + time.Minute) // a tag that is not known is asked for again
	if got := p.judged(to, p.heads().Final); got != [2]chain.Verdict{chain.Stands, chain.Stands} {
		p.t.Errorf("when all say it: judged %v", got)
	}
}

// quiet reads the heads every minute, while blocks come.
func (p *pairOf) quiet(span time.Duration) chain.Head {
	for range span / time.Minute {
		p.clock.advance(time.Minute)
		p.Mine(1)
		p.heads()
	}
	return p.heads().Final
}

// TestHeads_UnsaidLiar: one endpoint of two or three that says what is final makes nothing final that is not in the
// chain of the others, whatever it says: what it invents stands nowhere.
func TestHeads_UnsaidLiar(t *testing.T) {
	t.Parallel()
	for n := 2; n <= 3; n++ {
		p := newUnsaying(t, chain.AloneAll, strings.Repeat("s", n-1)+".", nil)
		p.unsay(true)
		paid, _ := p.pay()
		at := p.chain.Head()
		got, err := p.scan(at.Number, at, paid.To)
		if err != nil || len(got) != 1 {
			t.Fatalf("scanned %+v, %v", got, err)
		}
		lie := got[0]
		lie.Tx, lie.Source = chain.TxHash("0x"+strings.Repeat("0e", 32)), p.reader.Endpoints()[n-1].Name
		p.endpoints[n-1].Set(chaintest.Faults{Tag: func(string) string { return "latest" }})
		final := p.quiet(chain.AloneAfter + chain.AloneDepth + 5*time.Minute)
		if !p.heads().Alone || final.Number < at.Number {
			t.Fatalf("of %d: block %d is final, alone %t", n, final.Number, p.heads().Alone)
		}
		if v, err := chain.JudgeAll(t.Context(), p.reader, []chain.Transfer{lie}, final); v == chain.Stands {
			t.Errorf("of %d: what one invents stands, %v", n, err)
		}
	}
}

// TestBlockAt_Unsaid: when a block was made that one endpoint of two calls final is not the word of either alone.
func TestBlockAt_Unsaid(t *testing.T) {
	t.Parallel()
	for liar := range 2 {
		p := newUnsaying(t, chain.AloneAll, "s.", nil)
		p.unsay(true)
		at := p.quiet(chain.AloneAfter + chain.AloneDepth + 5*time.Minute)
		number := fmt.Sprintf(`"0x%x"`, at.Number-1)
		for i, e := range p.endpoints {
			silent := p.list[i] == 's'
			e.Set(chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
				of := ""
				if method == "eth_getBlockByNumber" {
					of = string(params[0])
				}
				if i == liar && of == number {
					return map[string]any{
						"number": strings.Trim(of, `"`), "timestamp": "0x1", "hash": "0x" + strings.Repeat("fe", 32),
					}, true
				}
				return nil, silent && of == `"finalized"`
			}})
		}
		if h, ok, err := p.reader.BlockAt(t.Context(), at.Number-1); ok && h.Time.Unix() == 1 || !p.heads().Alone {
			t.Errorf("endpoint %d alone says that block %d is %+v, %v", liar, at.Number-1, h, err)
		}
	}
}
