package watch_test

import (
	"errors"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// moveTo moves the rig's cursor back to a block.
func (r *rig) moveTo(number uint64) {
	r.Helper()
	r.must(r.store.MoveCursor(r.Context(), r.profile.Network, r.cursor(), r.chain.Blocks()[number].Head,
		audit.Entry{At: r.now(), Actor: "test", Action: audit.ActionRescan, Subject: r.profile.Name}))
}

// TestWatcher_Stuck: a network whose cursor is on no block of the chain is read again
// once its cursor is moved, and loses nothing.
func TestWatcher_Stuck(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	stuck := r.cursor()
	stuck.Scanned.Hash, stuck.Rechecked.Hash = "0xgone", "0xgone"
	r.must(r.store.SaveCursor(t.Context(), chain.Polygon, stuck))
	r.pay(p)
	r.chain.Mine(rigFinalDepth + 2)
	w := r.on(r.store, r.reader())
	for range 3 {
		if err := w.RunOnce(t.Context()); err == nil {
			t.Fatal("a chain without the cursor's block was read on")
		}
	}
	r.expect(p, payment.Started, 0)
	r.moveTo(1)
	r.must(w.RunOnce(t.Context()))
	r.expect(p, payment.Completed, tenUSDC)
}

// TestWatcher_ReplacedFinal: a reader whose endpoints all show another block in place of a finalized one reads on,
// without a restart, once an operator has moved the cursor.
func TestWatcher_ReplacedFinal(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	p := r.start()
	reader := r.reader()
	w := r.on(r.store, reader)
	w.OnMove(reader.(unchecked).Forget)
	r.chain.Mine(rigFinalDepth + 2)
	r.must(w.RunOnce(t.Context()))
	r.chain.Drop(rigFinalDepth+2, false)
	r.pay(p)
	r.chain.Mine(rigFinalDepth + 4)
	for range 3 {
		if err := w.RunOnce(t.Context()); err == nil {
			t.Fatal("a chain without the finalized block was read on")
		}
	}
	r.moveTo(1)
	r.must(w.RunOnce(t.Context()))
	r.expect(p, payment.Completed, tenUSDC)
}

// TestWatcher_MovedCursor: a round that began before an operator moved the cursor does
// not move it on, and what is read again changes nothing that was recorded.
func TestWatcher_MovedCursor(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	r.pay(p)
	r.chain.Mine(rigFinalDepth + 1)
	r.watch()
	r.expect(p, payment.Completed, tenUSDC)
	before := r.cursor()
	r.moveTo(1)
	if err := r.store.SaveCursor(t.Context(), chain.Polygon, before); !errors.Is(err, watch.ErrCursorMoved) {
		t.Errorf("a cursor that was loaded before is stored: %v", err)
	}
	if c := r.cursor(); c.Scanned.Number != 1 || c.RereadTo != before.Scanned.Number {
		t.Errorf("the cursor is %+v", c)
	}
	r.watch()
	if c := r.cursor(); c.Scanned.Number < before.Scanned.Number {
		t.Errorf("the cursor is %+v after it was read again", c)
	}
	r.expect(p, payment.Completed, tenUSDC)
	if n := r.recorded(p, payment.EventFinal); n != 1 {
		t.Errorf("final %d times", n)
	}
}

// TestWatcher_MovedAboveRechecked: blocks that were credited early are rechecked when they are finalized, also where an
// operator has the network read again from a block above them.
func TestWatcher_MovedAboveRechecked(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, func(p *chain.Profile) { p.Finality = chain.Finality{Depth: time.Second} })
	p := r.start()
	r.pay(p)
	r.chain.Mine(2)
	r.watch()
	before := r.cursor()
	if p = r.expect(p, payment.Completed, tenUSDC); p.Deposits[0].Rechecked {
		t.Fatal("rechecked before the chain finalized it")
	}
	r.moveTo(before.Scanned.Number)
	if c := r.cursor(); c.Rechecked != before.Rechecked {
		t.Errorf("rechecked up to %d before, and up to %d after", before.Rechecked.Number, c.Rechecked.Number)
	}
	r.chain.Drop(2, false)
	r.chain.Mine(rigFinalDepth + 3)
	r.watch()
	if p = r.expect(p, payment.Completed, 0); !p.Reorged {
		t.Error("the vanished money is not reported")
	}
}

// TestWatcher_RereadsOldAddresses: money that came to a payment which ended long ago is
// found when the network is read again.
func TestWatcher_RereadsOldAddresses(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	r.watchFor(rigTTL)
	r.must(r.expirer.RunOnce(t.Context()))
	r.expect(p, payment.Expired, 0)
	r.chain.Wait(payment.WatchAfterEnd + time.Hour)
	r.chain.Mine(rigFinalDepth + 1)
	w := r.on(r.store, r.reader())
	r.must(w.RunOnce(t.Context()))
	from := r.cursor().Scanned.Number
	r.pay(p)
	r.chain.Mine(rigFinalDepth + 1)
	r.must(w.RunOnce(t.Context()))
	r.expect(p, payment.Expired, 0)
	r.moveTo(from)
	r.must(w.RunOnce(t.Context()))
	r.expect(p, payment.Expired, tenUSDC)
	r.chain.Mine(1)
	r.must(w.RunOnce(t.Context()))
	r.expect(p, payment.Expired, tenUSDC)
}
