package settlement_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// hiding is a network whose logs are empty while it hides, and that counts how often balances are read.
type hiding struct {
	*evm.Adapter

	hides bool
	asked int
}

func (h *hiding) Scan(
	ctx context.Context, from uint64, to chain.Head, set *chain.WatchSet, not ...string,
) ([]chain.Transfer, string, error) {
	found, by, err := h.Adapter.Scan(ctx, from, to, set, not...)
	if h.hides {
		found = nil
	}
	return found, by, err
}

func (h *hiding) Balances(
	ctx context.Context, asset chain.Asset, addresses []chain.Address, at chain.Head,
) ([]money.Units, error) {
	h.asked += len(addresses)
	return h.Adapter.Balances(ctx, asset, addresses, at)
}

// onePage lists the addresses of one payment at a time.
type onePage struct{ settlement.RecordStore }

func (s onePage) ReceivingAfter(
	ctx context.Context, payment int64, endedAfter time.Time, _ int,
) ([]settlement.DepositAddress, error) {
	return s.RecordStore.ReceivingAfter(ctx, payment, endedAfter, 1)
}

// daily is the daily comparison of a world, as the program has it.
func (w *world) daily(r chain.Reader, holder string) *settlement.Daily {
	n := w.profile.Network
	return &settlement.Daily{
		Network: settlement.ReconciledNetwork{Profile: w.profile, Reader: r}, Store: onePage{w.store.Settlement()},
		Sweeps: w.store.Settlement(), Holder: holder, WatchedFor: payment.WatchAfterEnd,
		Now: w.clock.Now, Log: silent(),
		Covered: func(ctx context.Context, id string, block uint64) (bool, error) {
			return watch.Covered(ctx, w.store, n, payment.ID(id), block)
		},
		Reread: func(ctx context.Context, id string, since time.Time) error {
			return watch.RepairSince(ctx, w.store, r, payment.ID(id), since, watch.ErrDiffers, w.clock.Now())
		},
		Slowdown: func() int64 { return 1 },
	}
}

// steps makes steps a minute apart.
func (w *world) steps(d *settlement.Daily, n int) {
	w.t.Helper()
	for range n {
		w.must(d.RunOnce(w.t.Context()))
		w.clock.Pass(time.Minute)
	}
}

// differing returns the balances that the operator is alerted of.
func (w *world) differing() []alert.Balance {
	w.t.Helper()
	a, err := w.store.Reports().Alerts(w.t.Context(), w.clock.Now(), 0)
	w.must(err)
	return a.Balances
}

// TestDaily_Hidden: money that no reading has shown is found by the balance of its address. The operator is alerted of
// it once its blocks were read, the address is read again, and then the record has it.
func TestDaily_Hidden(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, url string) {
		w := newWorld(t, chain.Polygon, url)
		h := &hiding{Adapter: w.adapter}
		w.watcher = watch.NewWatcher(w.profile, h, w.store, "watcher", w.clock.Now, silent())
		w.paid(4 * money.USD)
		p := w.paid(5 * money.USD)
		d := w.daily(h, "one")
		w.steps(d, 3)
		h.hides = true
		w.pay(p, 2*money.USD)
		w.finalize()
		w.clock.Pass(24 * time.Hour)
		w.steps(d, 4)
		if list := w.differing(); len(list) > 0 {
			t.Fatalf("the operator is alerted before the blocks are read: %+v", list)
		}
		w.finalize()
		w.watch()
		h.hides = false
		w.steps(d, 2)
		list := w.differing()
		if len(list) != 1 || list[0].ID != p.ID || list[0].Address != mustAddress(t, p) || !list[0].Unrecorded ||
			!strings.Contains(list[0].Text, "it holds 7 USDT, and 5 USDT are recorded") {
			t.Fatalf("the operator is alerted of %+v", list)
		}
		failed, err := w.store.SetAsides(t.Context(), chain.Polygon)
		w.must(err)
		if len(failed) != 1 || failed[0].PaymentID != p.ID {
			t.Fatalf("read again is %+v", failed)
		}
		w.watch()
		w.wantReconciled()
		w.clock.Pass(10 * time.Minute)
		w.steps(d, 1)
		if list := w.differing(); len(list) > 0 {
			t.Errorf("when the record agrees: %+v", list)
		}
	})
}

// TestDaily_Changes: an address that is paid again and again, so that its difference is never the same, is read again
// for what it lacks.
func TestDaily_Changes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	h := &hiding{Adapter: w.adapter}
	w.watcher = watch.NewWatcher(w.profile, h, w.store, "watcher", w.clock.Now, silent())
	p := w.paid(5 * money.USD)
	h.hides = true
	w.pay(p, 2*money.USD)
	w.finalize()
	for range 3 { // with one endpoint blocks are read again later
		w.watch()
		w.clock.Pass(time.Hour)
	}
	h.hides = false
	d := w.daily(h, "one")
	for range 13 { // so few that none is folded
		w.pay(p, money.USD/1000)
		w.finalize()
		w.steps(d, 1)
		w.watch()
	}
	w.finalize()
	w.watch()
	w.wantReconciled()
}

// TestDaily_Less: an address that holds less than is recorded is an alert, and is not read again. What is on its way is
// none.
func TestDaily_Less(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	p := w.paid(5 * money.USD)
	d := w.daily(w.adapter, "one")
	d.Store = forged{d.Store, func(list []settlement.Record) []settlement.Record {
		for i := range list {
			list[i].Late = list[i].Late.Add(money.UnitsFromUint64(10_000))
		}
		return list
	}}
	w.finalize()
	w.watch()
	w.steps(d, 1)
	w.finalize()
	w.watch()
	w.steps(d, 1)
	if list := w.differing(); len(list) != 1 || list[0].ID != p.ID || list[0].Unrecorded {
		t.Errorf("the operator is alerted of %+v", list)
	}
	failed, err := w.store.SetAsides(t.Context(), chain.Polygon)
	if err != nil || len(failed) > 0 {
		t.Errorf("read again is %+v, %v", failed, err)
	}
}

// TestDaily_Steps: each address is compared once a day, whatever is restarted and however many instances run, and those
// of payments that ended long ago are not.
func TestDaily_Steps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	w.paid(money.USD)
	w.clock.Pass(40 * 24 * time.Hour)
	w.watch()
	for range 3 {
		w.paid(money.USD)
	}
	h := &hiding{Adapter: w.adapter}
	each := len(w.profile.Assets)
	w.steps(w.daily(h, "one"), 1)
	if h.asked != each {
		t.Fatalf("the first step reads %d balances, not %d", h.asked, each)
	}
	w.clock.Pass(5 * time.Minute) // its lease ends
	d := w.daily(h, "two")
	for range 9 {
		w.steps(d, 1)
		w.must(w.daily(h, "three").RunOnce(t.Context()))
	}
	if h.asked != 3*each {
		t.Errorf("%d balances are read in all, not %d", h.asked, 3*each)
	}
	w.clock.Pass(24 * time.Hour)
	w.steps(d, 9)
	if h.asked != 6*each {
		t.Errorf("%d balances are read on two days, not %d", h.asked, 6*each)
	}
	d.Slowdown = func() int64 { return 3 }
	w.clock.Pass(24 * time.Hour)
	w.steps(d, 3)
	if h.asked != 7*each {
		t.Errorf("%d balances are read in three minutes of a slow day, not %d", h.asked-6*each, each)
	}
}

// TestDaily_Fails: a network that cannot be read leaves the comparison where it was.
func TestDaily_Fails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	w.paid(money.USD)
	d := w.daily(w.adapter, "one")
	d.Network.Reader = unread{w.adapter}
	if err := d.RunOnce(t.Context()); !errors.Is(err, errUnread) {
		t.Fatalf("without balances: %v", err)
	}
	if _, begun, err := w.store.Settlement().Comparison(t.Context(), chain.Polygon); begun || err != nil {
		t.Errorf("it goes on after what could not be read: %t, %v", begun, err)
	}
}

var errUnread = errors.New("no balances")

type unread struct{ *evm.Adapter }

func (unread) Balances(context.Context, chain.Asset, []chain.Address, chain.Head) ([]money.Units, error) {
	return nil, errUnread
}
