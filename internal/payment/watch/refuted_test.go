package watch_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// inflating reports larger transfers while it lies. Its second endpoint denies those, until that one lies too.
type inflating struct {
	chain.Reader
	lies, secondLies bool
}

func (i *inflating) Scan(
	ctx context.Context, from uint64, to chain.Head, set *chain.WatchSet, not ...string,
) ([]chain.Transfer, string, error) {
	list, by, err := i.Reader.Scan(ctx, from, to, set, not...)
	for at := range list {
		if i.lies {
			list[at].Units = list[at].Units.Add(money.UnitsFromUint64(1))
		}
	}
	return list, by, err
}

func (i *inflating) Judge(_ context.Context, list []chain.Transfer, _ chain.Head) ([]chain.Verdict, error) {
	return chain.Stands.Each(list, func(chain.Transfer) bool { return i.secondLies }), nil
}

// TestWatcher_RefutedAboveFinal: what one endpoint reported above the final head, and a second one denied, is read
// again: it is not kept until the second one reports the same at another time.
func TestWatcher_RefutedAboveFinal(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.creditAfter(time.Second)
	p := r.start()
	reader := &inflating{Reader: r.reader(), lies: true}
	w := r.on(r.store, reader)
	r.must(w.RunOnce(t.Context()))
	r.pay(p)
	r.chain.Mine(2)
	_ = w.RunOnce(t.Context()) // the second endpoint denies it
	r.expect(p, payment.Started, 0)
	reader.lies, reader.secondLies = false, true
	r.must(w.RunOnce(t.Context()))
	r.expect(p, payment.Completed, tenUSDC)
}

// liar is an endpoint that is asked first and shows wrong transfers while it lies. The others are right.
type liar struct {
	chain.Reader
	wrong func(list []chain.Transfer) []chain.Transfer // nil: it is right
}

func (l *liar) Scan(
	ctx context.Context, from uint64, to chain.Head, set *chain.WatchSet, not ...string,
) ([]chain.Transfer, string, error) {
	list, by, err := l.Reader.Scan(ctx, from, to, set, not...)
	if l.wrong != nil {
		list = l.wrong(list)
	}
	list = slices.DeleteFunc(list, func(t chain.Transfer) bool {
		return t.Block.Number < from || t.Block.Number > to.Number
	})
	for i := range list {
		list[i].Source = "https://liar.example.com"
	}
	return list, by, err
}

// paidThroughLiar has a payment paid, and read until it is final while the liar shows what wrong makes of it, and a
// minute later when it is right again.
func paidThroughLiar(t *testing.T, wrong func(list []chain.Transfer) []chain.Transfer) (*rig, payment.Payment) {
	t.Helper()
	r := newRig(t, 3)
	p := r.start()
	l := &liar{Reader: r.reader(), wrong: wrong}
	w := r.on(r.store, l)
	r.must(w.RunOnce(t.Context()))
	r.pay(p)
	r.chain.Mine(1)
	r.must(w.RunOnce(t.Context()))
	r.chain.Mine(rigFinalDepth)
	r.must(w.RunOnce(t.Context()))
	l.wrong = nil
	r.pass(time.Minute)
	r.must(w.RunOnce(t.Context()))
	return r, r.get(p)
}

// TestWatcher_InflatedAndRight: what an endpoint showed first does not count against what it shows now.
func TestWatcher_InflatedAndRight(t *testing.T) {
	t.Parallel()
	r, p := paidThroughLiar(t, func(list []chain.Transfer) []chain.Transfer {
		for i := range list {
			list[i].Units = list[i].Units.Add(money.UnitsFromUint64(1))
		}
		return list
	})
	r.expect(p, payment.Completed, tenUSDC)
}

// TestWatcher_InventedBeside: an endpoint adds a transfer to the transaction of a payment. The payment's own counts,
// and what was invented vanishes.
func TestWatcher_InventedBeside(t *testing.T) {
	t.Parallel()
	var invented []chain.Transfer
	r, p := paidThroughLiar(t, func(list []chain.Transfer) []chain.Transfer {
		if len(list) > 0 && invented == nil {
			invented = slices.Clone(list)
			invented[0].Ordinal, invented[0].Units = 7, money.UnitsFromUint64(3_000_000)
		}
		return append(list, invented...)
	})
	r.expect(p, payment.Completed, tenUSDC)
	for _, d := range p.Deposits {
		if want := payment.DepositVanished; d.Transfer.Ordinal == 7 && d.State != want {
			t.Errorf("what was invented is %s, want %s", d.State, want)
		}
	}
}

// forgetful are endpoints that are undecided about what one of them has shown, and show it no more.
type forgetful struct {
	chain.Reader
	silent  bool
	verdict chain.Verdict
}

func (f *forgetful) Scan(
	ctx context.Context, from uint64, to chain.Head, set *chain.WatchSet, not ...string,
) ([]chain.Transfer, string, error) {
	list, by, err := f.Reader.Scan(ctx, from, to, set, not...)
	if f.silent {
		list = nil
	}
	return list, by, err
}

func (f *forgetful) Judge(_ context.Context, list []chain.Transfer, _ chain.Head) ([]chain.Verdict, error) {
	return slices.Repeat([]chain.Verdict{f.verdict}, len(list)), nil
}

// TestWatcher_ShownOnce: what an endpoint has shown once, and another one disputes, waits until they say the same of
// it, although no endpoint shows it any more.
func TestWatcher_ShownOnce(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		verdict chain.Verdict
		status  payment.Status
		units   money.Micros
		waits   int
	}{
		"Disputed": {chain.Undecided, payment.Started, 0, 1},
		"Stands":   {chain.Stands, payment.Completed, tenUSDC, 0},
		"Denied":   {chain.Missing, payment.Started, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2)
			p := r.start()
			reader := &forgetful{Reader: r.reader()}
			w := r.on(r.store, reader)
			r.pay(p)
			r.chain.Mine(rigFinalDepth + 1)
			r.must(w.RunOnce(t.Context()))
			r.expect(p, payment.Started, 0)
			reader.silent = true
			r.retry(w)
			reader.verdict = row.verdict
			for range 3 {
				r.retry(r.on(r.store, reader)) // a program that was started again knows only what is stored
			}
			r.expect(p, row.status, row.units)
			list, err := r.store.SetAsides(t.Context(), r.profile.Network)
			r.must(err)
			if len(list) != row.waits {
				t.Errorf("%d payments are set aside, want %d: %+v", len(list), row.waits, list)
			}
		})
	}
}
