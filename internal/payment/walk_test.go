package payment_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// world is a chain that may fork above its final head, and a payment that
// walks through everything that can happen to it.
type world struct {
	p         payment.Payment
	now       time.Time
	blocks    map[uint64][]chain.Transfer // what the chain holds now
	head      uint64
	final     uint64
	scanned   uint64 // by authoritative scans
	fork      int
	txs       int
	events    int
	credits   int64
	queries   int64
	completed int
	accepted  bool // by its owner, although short or late
}

func (w *world) apply(t *rapid.T, c payment.Change, err error) {
	if err != nil {
		if !c.None() {
			t.Fatalf("a refusal came with a change: %v", err)
		}
		return
	}
	for i, e := range c.Events {
		if e.Seq != w.events+i+1 || e.PaymentID != w.p.ID || len(e.Data) == 0 {
			t.Fatalf("event %d of the change has sequence %d after %d", i, e.Seq, w.events)
		}
		if e.Type == payment.EventCompleted {
			w.completed++
		}
	}
	w.events += len(c.Events)
	for _, e := range c.Entries {
		if e.Count < 1 {
			t.Fatalf("entry of %d", e.Count)
		}
		if e.Unit == ledger.Credit {
			w.credits += e.Count
		} else {
			w.queries += e.Count
		}
	}
	if c.Payment.Status != w.p.Status && len(c.Events) == 0 {
		t.Fatalf("%s became %s without an event", w.p.Status, c.Payment.Status)
	}
	if w.p.Status == payment.Completed && c.Payment.Status != payment.Completed {
		t.Fatalf("a completed payment became %s", c.Payment.Status)
	}
	w.p = c.Payment
}

func (w *world) view(from, to uint64) payment.View {
	v := view(chain.Polygon, from, to, w.final)
	for b := from; b <= to; b++ {
		v.Transfers = append(v.Transfers, w.blocks[b]...)
	}
	return v
}

// TestWalk runs random actions in any order and checks the invariants after each.
func TestWalk(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := payment.New(
			payment.Request{
				ID: "01KAJ0000000000000000000AA", KeyID: 7, Kind: payment.KindMerchant, Amount: 10 * money.USD,
				ValidFor: time.Hour,
			},
			t0,
		)
		w := &world{now: t0, blocks: map[uint64][]chain.Transfer{}, p: payment.Payment{ID: c.Payment.ID}}
		w.apply(t, c, nil)
		t.Repeat(w.actions())
	})
}

// actions are what can happen to the payment and its chain, and the check after each.
func (w *world) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"start": func(t *rapid.T) {
			tok := rapid.SampledFrom(money.Tokens()).Draw(t, "token")
			c, err := w.p.Start(payment.Choice{Network: chain.Polygon, Token: tok}, routeOn(chain.Polygon), ttl, w.now)
			w.apply(t, c, err)
		},
		"mine": func(t *rapid.T) {
			w.head++
			for range rapid.IntRange(0, 2).Draw(t, "transfers") {
				w.txs++
				asset := rapid.SampledFrom([]chain.Asset{usdcPolygon, usdtPolygon, bridged}).Draw(t, "asset")
				units := rapid.SampledFrom([]string{"1", "3000000", "10000000"}).Draw(t, "units")
				w.blocks[w.head] = append(
					w.blocks[w.head], transfer(asset, units, w.head, strconv.Itoa(w.fork), fmt.Sprint("tx", w.txs)),
				)
			}
		},
		"fork": func(t *rapid.T) {
			w.fork++
			for b := w.final + 1; b <= w.head; b++ {
				delete(w.blocks, b)
			}
		},
		"finalize": func(*rapid.T) { w.final = w.head },
		"tentative": func(t *rapid.T) {
			c, err := w.p.Observe(w.view(w.final+1, w.head), w.now)
			w.apply(t, c, err)
		},
		"authoritative": func(t *rapid.T) {
			c, err := w.p.Observe(w.view(w.scanned+1, w.final), w.now)
			w.apply(t, c, err)
			w.scanned = w.final
		},
		"wait": func(t *rapid.T) {
			w.now = w.now.Add(time.Duration(rapid.IntRange(1, 40).Draw(t, "minutes")) * time.Minute)
		},
		"cancel": func(t *rapid.T) { c, err := w.p.Cancel(w.now); w.apply(t, c, err) },
		"expire": func(t *rapid.T) {
			c, err := w.p.Expire(payment.Coverage{chain.Polygon: w.now}, w.now)
			w.apply(t, c, err)
		},
		"mark": func(t *rapid.T) {
			if rapid.IntRange(0, 9).Draw(t, "rarely") == 0 {
				c, err := w.p.MarkCompleted(payment.Actor{}, w.now)
				w.apply(t, c, err)
			}
		},
		"accept": func(t *rapid.T) {
			if rapid.IntRange(0, 3).Draw(t, "rarely") == 0 {
				c, err := w.p.Accept(payment.Actor{}, w.now)
				w.apply(t, c, err)
				w.accepted = w.accepted || err == nil
			}
		},
		"ask":  func(t *rapid.T) { c, err := w.p.Ask(w.now); w.apply(t, c, err) },
		"show": func(t *rapid.T) { c, err := w.p.Show("en", false, w.now); w.apply(t, c, err) },
		"":     func(t *rapid.T) { w.check(t) },
	}
}

func (w *world) check(t *rapid.T) {
	p := w.p
	if p.Seq != w.events {
		t.Fatalf("sequence %d after %d events", p.Seq, w.events)
	}
	if w.credits > 1 || (p.Status == payment.Started) && w.credits != 1 {
		t.Fatalf("%s payment has taken %d credits", p.Status, w.credits)
	}
	if w.completed > 1 || (p.Status == payment.Completed) != (w.completed == 1) {
		t.Fatalf("%s payment completed %d times", p.Status, w.completed)
	}
	if p.Status == payment.Completed && !p.ByHand && p.Received().Cmp(p.Amount.Atto()) < 0 {
		t.Fatalf("completed with %s of %s", p.Received().Micros(), p.Amount)
	}
	if p.ByHand != (w.queries == 1 || w.accepted) || w.accepted && w.queries > 0 {
		t.Fatalf("by hand %v, accepted %v, queries %d", p.ByHand, w.accepted, w.queries)
	}
	known := map[chain.Key]bool{}
	for _, d := range p.Deposits {
		if known[d.Transfer.Key] {
			t.Fatalf("deposit %v twice", d.Transfer.Key)
		}
		known[d.Transfer.Key] = true
		if d.State == payment.DepositFinal && d.Transfer.Block.Number > w.final {
			t.Fatalf("deposit in block %d final at %d", d.Transfer.Block.Number, w.final)
		}
	}
}
