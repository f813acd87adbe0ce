package watch_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/settlement"
)

// TestWatcher_EarlyCreditNeedsConfirmation: a merchant's own rule credits above the
// final head only what a second endpoint confirms.
func TestWatcher_EarlyCreditNeedsConfirmation(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.creditAfter(time.Second)
	p := r.start()
	reader := &counting{Reader: r.reader(), denied: true}
	w := r.on(r.store, reader)
	r.must(w.RunOnce(t.Context()))
	r.pay(p)
	r.chain.Mine(2)
	_ = w.RunOnce(t.Context())
	r.expect(p, payment.Started, 0)
	reader.denied = false
	r.must(w.RunOnce(t.Context()))
	r.expect(p, payment.Completed, tenUSDC)
}

// counting counts confirmations, and denies them while switched on.
type counting struct {
	chain.Reader
	denied bool
	asked  int
}

func (c *counting) Judge(ctx context.Context, list []chain.Transfer, at chain.Head) ([]chain.Verdict, error) {
	c.asked++
	if c.denied {
		return slices.Repeat([]chain.Verdict{chain.Missing}, len(list)), nil
	}
	return c.Reader.Judge(ctx, list, at)
}

// TestWatcher_ConfirmedBlock: what a second endpoint confirmed in one block counts for
// nothing in another.
func TestWatcher_ConfirmedBlock(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2, func(p *chain.Profile) { p.Finality = chain.Finality{Depth: time.Second} })
	p := r.start()
	s := &dying{Store: r.store}
	reader := &counting{Reader: r.reader()}
	w := watch.NewWatcher(r.profile, reader, s, "one", r.now, slog.New(slog.DiscardHandler))
	r.must(w.RunOnce(t.Context()))
	r.send(p, "USDC", tenUSDC)
	r.chain.Mine(2)
	s.dead = true
	if err := w.RunOnce(t.Context()); !errors.Is(err, errDying) {
		t.Fatalf("want the database to fail, got %v", err)
	}
	s.dead = false
	r.chain.Drop(2, false)
	r.send(p, "USDC", tenUSDC)
	r.chain.Mine(3)
	reader.denied = true
	r.must(w.RunOnce(t.Context()))
	r.expect(p, payment.Started, 0)
}

// TestExpirer_Behind: while a network is behind no payment of it expires, though its cursor has passed their time, for
// payment.BlindWait.
func TestExpirer_Behind(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	r.watchFor(rigTTL)
	c := r.cursor()
	c.BehindSince = r.now()
	r.must(r.store.SaveCursor(t.Context(), chain.Polygon, c))
	r.must(r.expirer.RunOnce(t.Context()))
	r.pass(payment.BlindWait - time.Second)
	r.must(r.expirer.RunOnce(t.Context()))
	r.expect(p, payment.Started, 0)
	r.pass(time.Second)
	r.must(r.expirer.RunOnce(t.Context()))
	r.expect(p, payment.Expired, 0)
}

// scanning records the first block of each scan.
type scanning struct {
	chain.Reader
	from []uint64
}

func (s *scanning) Scan(
	ctx context.Context, from uint64, to chain.Head, set *chain.WatchSet, not ...string,
) ([]chain.Transfer, string, error) {
	s.from = append(s.from, from)
	return s.Reader.Scan(ctx, from, to, set, not...)
}

// TestWatcher_NeverBelowCursor: while the tags of an endpoint are back, blocks that were
// credited are not read as if they could vanish.
func TestWatcher_NeverBelowCursor(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, safeRule)
	r.start()
	r.chain.Mine(20)
	r.watch()
	c := r.cursor()
	r.endpoints[0].Set(chaintest.Faults{Tag: func(string) string { return hexNumber(c.Scanned.Number - 8) }})
	reader := &scanning{Reader: r.reader()}
	r.must(r.on(r.store, reader).RunOnce(t.Context()))
	if len(reader.from) == 0 {
		t.Fatal("nothing was read; the test shows nothing")
	}
	for _, from := range reader.from {
		if again := from == c.Rechecked.Number+1 || from == c.Second.Number+1; from <= c.Scanned.Number && !again {
			t.Errorf("read from block %d, and the cursor is at %d", from, c.Scanned.Number)
		}
	}
}

// sweepOne records that all of the payment's final money was moved to its settlement
// wallet, and moves it on the chain.
func (r *rig) sweepOne(p payment.Payment) {
	r.Helper()
	p = r.get(p)
	route, _ := p.Route()
	asset, _ := r.profile.Asset(money.USDC)
	units := p.Deposits[0].Transfer.Units
	r.chain.Send(chaintest.Tx{To: string(asset.Contract), Logs: []chaintest.Log{
		chaintest.TransferLog(string(asset.Contract), string(route.Address.Address), rigWallet, units.Big()),
	}})
	r.chain.Mine(1)
	w := settlement.Sweep{
		ID: "01KAJ0000000000000000000S1", Network: r.profile.Network, State: settlement.Planned, CreatedAt: r.now(),
		Items: []chain.SweepItem{{
			PaymentID: string(p.ID), Scheme: route.Scheme, Address: route.Address, Settlement: route.Settlement,
			Asset: asset, Expected: units,
		}},
	}
	r.must(r.store.Settlement().PlanSweep(r.Context(), w))
	w.State, w.Tx, w.Block, w.EndedAt = settlement.Confirmed, "0x51", r.chain.Head(), r.now()
	w.Moved = []chain.Moved{{Address: route.Address.Address, Contract: asset.Contract, Units: units}}
	r.must(r.store.Settlement().EndSweep(r.Context(), w, r.now()))
	if p := r.get(p); !p.Deposits[0].Swept {
		r.Fatal("the deposit is not marked as swept")
	}
}

// TestExpirer_MissedAfterSweep: money that was swept is not expected at its address, so
// that as much which the scan missed is noticed there.
func TestExpirer_MissedAfterSweep(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	r.send(p, "USDC", tenUSDC/2)
	r.chain.Mine(rigFinalDepth + 1)
	r.watch()
	r.expect(p, payment.Started, tenUSDC/2)
	r.sweepOne(p)
	r.endpoints[0].Set(chaintest.Faults{Omit: func(map[string]any) bool { return true }})
	r.speck(p, 1, tenUSDC/2)
	r.chain.Mine(rigFinalDepth + 1)
	r.watchFor(rigTTL)
	r.must(r.expirer.RunOnce(t.Context()))
	r.expect(p, payment.Started, tenUSDC/2) // it is searched for, and not found yet
	r.endpoints[0].Set(chaintest.Faults{})
	r.chain.Wait(2 * time.Minute)
	r.chain.Mine(1)
	r.watch()
	r.must(r.expirer.RunOnce(t.Context()))
	r.expect(p, payment.Completed, tenUSDC)
}
