package watch_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// finalizedIs has the endpoints answer another tag or number in place of finalized; empty: its own.
func (r *rig) finalizedIs(other string) {
	for _, e := range r.endpoints {
		e.Set(chaintest.Faults{Tag: func(tag string) string {
			if tag == "finalized" && other != "" {
				return other
			}
			return tag
		}})
	}
}

// TestWatcher_RecheckIsKept: finalized blocks without money are read again once, not in every round.
func TestWatcher_RecheckIsKept(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, safeRule)
	r.start()
	for range 5 {
		r.chain.Mine(10)
		r.watch()
		if c, want := r.cursor(), r.chain.Head().Number-rigFinalDepth; c.Rechecked.Number != want {
			t.Errorf("rechecked up to %d of %d", c.Rechecked.Number, want)
		}
	}
}

// TestWatcher_FinalizedLeaps: where finalized is as far as safe at times and behind it at others, every credited block
// is rechecked when it is finalized, and none before.
func TestWatcher_FinalizedLeaps(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, safeRule)
	r.finalizedIs("safe")
	r.chain.Mine(1)
	r.watch()
	if c := r.cursor(); c.Rechecked != c.Scanned {
		t.Fatalf("the test shows nothing: %+v", c)
	}
	r.finalizedIs("")
	p := r.start()
	r.pay(p)
	r.chain.Mine(1 + rigSafeDepth)
	r.watch()
	p = r.expect(p, payment.Completed, tenUSDC)
	if c := r.cursor(); p.Deposits[0].Rechecked || c.Rechecked.Number >= p.Deposits[0].Transfer.Block.Number {
		t.Errorf("rechecked up to %d before the chain finalized it", c.Rechecked.Number)
	}
	r.finalizedIs("safe")
	r.chain.Mine(1)
	r.watch()
	if p = r.get(p); !p.Deposits[0].Rechecked {
		t.Errorf("not rechecked, and the cursor is %+v", r.cursor())
	}
}

// TestWatcher_SetAsideWhileFinalizedIsBack: money that is read late counts as rechecked if its block was, although the
// endpoint's finalized tag has gone back since: nothing reads that block again.
func TestWatcher_SetAsideWhileFinalizedIsBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, safeRule)
	p := r.start()
	r.pay(p)
	r.chain.Mine(rigFinalDepth + 2)
	r.must(r.on(&refusing{Store: r.store, id: p.ID}, r.reader()).RunOnce(t.Context()))
	r.expect(p, payment.Started, 0)
	r.wantSetAside(1)
	if c := r.cursor(); c.Rechecked.Number < r.chain.Head().Number-rigFinalDepth {
		t.Fatalf("the test shows nothing: %+v", c)
	}
	r.finalizedIs(hexNumber(1))
	r.chain.Wait(time.Minute)
	r.chain.Mine(1)
	r.must(r.on(r.store, r.reader()).RunOnce(t.Context()))
	if p = r.expect(p, payment.Completed, tenUSDC); !p.Deposits[0].Rechecked {
		t.Error("not rechecked, and never will be")
	}
}

// TestWatcher_FinalizedFellBack: where the second reading is the recheck, it leaves no blocks between the two cursors,
// although a server that starts anew is given an older finalized block than the one before it was: nothing small that
// comes later would be folded.
func TestWatcher_FinalizedFellBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.start()
	r.watchFor(2 * time.Minute)
	before := r.cursor().Scanned.Number
	r.chain.Mine(10)
	r.watch()
	if read := r.cursor(); read.Scanned.Number == before || read.Second.Number == read.Scanned.Number {
		t.Fatalf("the test shows nothing: %+v", read)
	}
	r.finalizedIs(fmt.Sprintf("0x%x", before))
	w := watch.NewWatcher(r.profile, r.reader(), r.store, "one", r.now, slog.New(slog.DiscardHandler))
	for range 12 {
		r.chain.Wait(30 * time.Second)
		r.chain.Mine(1)
		w.ReadDue(t.Context())
		if c := r.cursor(); c.Second.Number > c.Rechecked.Number {
			t.Fatalf("read twice up to %d, rechecked up to %d", c.Second.Number, c.Rechecked.Number)
		}
	}
	r.finalizedIs("")
	for range 12 {
		r.chain.Wait(30 * time.Second)
		r.chain.Mine(1)
		w.ReadDue(t.Context())
	}
	c, want := r.cursor(), r.chain.Head().Number-rigFinalDepth
	if c.Second.Number < want-4 || c.Rechecked.Number < c.Second.Number {
		t.Errorf("later it is read twice up to %d, rechecked up to %d, of %d", c.Second.Number, c.Rechecked.Number, want)
	}
}
