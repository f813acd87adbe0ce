package watch_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// speck sends n transfers of units to the payment, in one transaction; they wait for the next block.
func (r *rig) speck(p payment.Payment, n int, units int64) {
	r.sendTo(r.routeOf(p), slices.Repeat([]int64{units}, n)...)
}

// TestWatcher_Specks: an address that strangers send dust to in every block is read
// at the pace of the chain, its money counts, and it expires in time.
func TestWatcher_Specks(t *testing.T) {
	t.Parallel()
	for name, adjust := range map[string]func(*chain.Profile){
		"Finalized": func(*chain.Profile) {},
		// Money counts before its block is finalized, and is read again then.
		"Early": func(p *chain.Profile) { p.Finality = chain.Finality{Depth: 2e9} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 1, adjust)
			paid, expires := r.start(), r.start()
			const blocks, each = 30, 20
			for b := range blocks {
				for _, p := range []payment.Payment{paid, expires} {
					r.speck(p, each, 3)
				}
				if b == blocks/2 {
					r.pay(paid)
				}
				r.chain.Mine(1 + b%3)
				r.watch()
			}
			r.chain.Mine(rigFinalDepth + 2)
			r.retry(r.watcher)
			p := r.expect(paid, payment.Completed, tenUSDC+blocks*each*3)
			if len(p.Deposits) > payment.FoldFrom+3 {
				t.Errorf("%d rows", len(p.Deposits))
			}
			if n := r.recorded(p, payment.EventFinal) + r.recorded(p, payment.EventSeen); n > 2*payment.FoldFrom+6 {
				t.Errorf("%d events of deposits", n)
			}
			r.expect(expires, payment.Started, blocks*each*3)
			r.watchFor(2 * rigTTL)
			for range 3 { // the dust goes on
				r.speck(expires, each, 3)
				r.chain.Mine(1)
				r.watch()
				r.must(r.expirer.RunOnce(t.Context()))
			}
			if p := r.get(expires); p.Status != payment.Expired {
				t.Errorf("it is %s, %d seconds after its time", p.Status, int(r.now().Sub(p.ExpiresAt).Seconds()))
			}
		})
	}
}

// TestWatcher_SpecksLeftOut: of small transfers, too, nothing is lost that one endpoint leaves out, although a folded
// deposit holds older ones.
func TestWatcher_SpecksLeftOut(t *testing.T) {
	t.Parallel()
	const shown, hidden = 3, 5 // units
	for leavesOut := range 3 {
		t.Run(strconv.Itoa(leavesOut), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 3, safeRule)
			p := r.start()
			r.paced()
			r.speck(p, 2*payment.FoldFrom, shown)
			r.readFor(3 * time.Minute)
			r.expect(p, payment.Started, 2*payment.FoldFrom*shown)
			r.endpoints[leavesOut].Set(chaintest.Faults{Omit: func(log map[string]any) bool {
				data, _ := log["data"].(string)
				return strings.HasSuffix(data, strconv.Itoa(hidden))
			}})
			for range 3 {
				r.speck(p, payment.FoldFrom, shown)
				r.speck(p, payment.FoldFrom, hidden)
				r.readFor(40 * time.Second)
			}
			r.readFor(6 * time.Minute)
			r.expect(p, payment.Started, payment.FoldFrom*(5*shown+3*hidden))
		})
	}
}

// TestWatcher_SpecksHidden: the only endpoint leaves small transfers out of the first reading and of the recheck. The
// second reading, at another time, still folds them.
func TestWatcher_SpecksHidden(t *testing.T) {
	t.Parallel()
	const shown, hidden = 3, 5 // units
	r := newRig(t, 1, safeRule)
	p := r.start()
	r.paced()
	r.speck(p, 2*payment.FoldFrom, shown)
	r.readFor(3 * time.Minute)
	r.expect(p, payment.Started, 2*payment.FoldFrom*shown)
	r.omit(hidden)
	for range 2 {
		r.speck(p, payment.FoldFrom, hidden)
		r.speck(p, payment.FoldFrom, shown)
		r.readFor(10 * time.Second)
	}
	r.endpoints[0].Set(chaintest.Faults{})
	r.readFor(6 * time.Minute)
	r.expect(p, payment.Started, payment.FoldFrom*(4*shown+2*hidden))
}

// omit has the endpoint leave transfers of so many units out of its answers, and counts them.
func (r *rig) omit(units int) (omitted *atomic.Int32) {
	omitted = new(atomic.Int32)
	r.endpoints[0].Set(chaintest.Faults{Omit: func(log map[string]any) bool {
		data, _ := log["data"].(string)
		hidden := strings.HasSuffix(data, strconv.Itoa(units))
		if hidden {
			omitted.Add(1)
		}
		return hidden
	}})
	return omitted
}

// TestWatcher_SpecksForgotten: the only endpoint shows a small transfer to a process that is killed before it may be
// folded, and leaves it out of the next reading. It is folded, since it is asked for it twice more.
func TestWatcher_SpecksForgotten(t *testing.T) {
	t.Parallel()
	const shown, hidden = 3, 5 // units
	r := newRig(t, 1)
	p := r.start()
	r.paced()
	r.speck(p, payment.FoldFrom, shown)
	r.readFor(3 * time.Minute)
	before := r.chain.Head().Number
	r.speck(p, 1, hidden)
	r.chain.Mine(rigFinalDepth + 1)
	r.must(r.watcher.RunOnce(t.Context()))
	if c := r.cursor(); c.Second.Number > before || c.Scanned.Number < r.chain.Head().Number-rigFinalDepth {
		t.Fatalf("the test shows nothing: %+v", c)
	}
	r.paced() // another process
	omitted := r.omit(hidden)
	for omitted.Load() == 0 {
		r.readFor(time.Second)
	}
	r.endpoints[0].Set(chaintest.Faults{})
	r.readFor(6 * time.Minute)
	r.expect(p, payment.Started, payment.FoldFrom*shown+hidden)
}

// TestWatcher_SpecksOfAnother: an instance takes over again after another one has read blocks, of which it remembers
// nothing, and a second endpoint leaves a small transfer out of them. It is folded.
func TestWatcher_SpecksOfAnother(t *testing.T) {
	t.Parallel()
	const shown, hidden = 3, 5 // units
	r := newRig(t, 2)
	r.watcher.Release(t.Context())
	p := r.start()
	instances := map[string]*watch.Watcher{}
	for _, name := range []string{"one", "other"} {
		instances[name] = watch.NewWatcher(
			r.profile, r.reader(), r.store, name, r.now, slog.New(slog.DiscardHandler))
	}
	leads := func(name string, rounds int) {
		for range rounds {
			r.chain.Mine(1)
			r.must(instances[name].RunOnce(t.Context()))
		}
		instances[name].Release(t.Context())
	}
	r.speck(p, payment.FoldFrom, shown)
	leads("one", rigFinalDepth+1)
	r.endpoints[1].Set(chaintest.Faults{Omit: func(log map[string]any) bool {
		data, _ := log["data"].(string)
		return strings.HasSuffix(data, strconv.Itoa(hidden))
	}})
	r.speck(p, 1, hidden)
	before := r.chain.Head().Number
	leads("other", rigFinalDepth+1)
	if c := r.cursor(); c.Second.Number > before || c.Scanned.Number <= before {
		t.Fatalf("the test shows nothing: block %d, %+v", before, c)
	}
	leads("one", 200)
	r.expect(p, payment.Started, payment.FoldFrom*shown+hidden)
}

// TestWatcher_FloodUnplaced: what further small transfers to a payment is folded by the logs that two endpoints show,
// and asks about none of them. What one invents counts for nothing, what one leaves out counts, and so does real money.
func TestWatcher_FloodUnplaced(t *testing.T) {
	t.Parallel()
	for name, lies := range map[string]func(log map[string]any) chaintest.Faults{
		"Honest": func(map[string]any) chaintest.Faults { return chaintest.Faults{} },
		"Omits": func(map[string]any) chaintest.Faults {
			return chaintest.Faults{Omit: func(map[string]any) bool { return true }}
		},
		"Invents": func(log map[string]any) chaintest.Faults {
			return chaintest.Faults{Phantom: []map[string]any{log}}
		},
	} {
		for liar := range 2 {
			t.Run(fmt.Sprint(name, liar), func(t *testing.T) {
				t.Parallel()
				r := newRig(t, 2)
				p := r.start()
				reader := r.tally()
				r.watcher = watch.NewWatcher(r.profile, reader, r.store, "one", r.now, slog.New(slog.DiscardHandler))
				r.speck(p, payment.FoldFrom, 1)
				r.readFor(2 * time.Minute)
				reader.asked = make(map[chain.TxHash]int)
				r.speck(p, 1, 2)
				head := r.chain.Head()
				r.endpoints[liar].Set(lies(r.logOf(p, chaintest.Mined{Head: head}, "0x"+strings.Repeat("ab", 32), 7)))
				r.chain.Mine(1)
				r.speck(p, 2, 3)
				r.readFor(time.Minute)
				if name == "Honest" && len(reader.asked) > 0 {
					t.Errorf("%d transactions were asked about", len(reader.asked))
				}
				r.endpoints[liar].Set(chaintest.Faults{})
				r.pay(p)
				r.readFor(5 * time.Minute)
				p = r.expect(p, payment.Completed, tenUSDC+payment.FoldFrom+2+2*3)
				i := slices.IndexFunc(p.Deposits, payment.Deposit.Folded)
				if d := p.Deposits[i]; d.Count != 3 || d.Transfer.Block.Time.IsZero() {
					t.Errorf("folded: %+v", d)
				}
			})
		}
	}
}
