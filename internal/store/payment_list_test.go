package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
)

// populate makes payments in every state, some at the same instant, and
// returns them by creation, oldest first.
func (w *world) populate(k merchant.Key) []payment.Payment {
	w.T.Helper()
	var all []payment.Payment
	complete := func(p payment.Payment) (payment.Change, error) {
		return p.MarkCompleted(payment.Actor{Name: "API key"}, storetest.Start)
	}
	cancel := func(p payment.Payment) (payment.Change, error) { return p.Cancel(storetest.Start) }
	for round := range 3 {
		for i, n := range append(chain.Networks(), "") {
			for j, end := range []func(payment.Payment) (payment.Change, error){nil, complete, cancel} {
				p := w.NewPaymentAt(k, storetest.Start.Add(time.Duration(10*round+i)*time.Minute))
				if n != "" {
					w.Update(p.ID, storetest.StartOn(n, money.USDC, p.CreatedAt))
				}
				if n == chain.Polygon && j == 1 {
					tx := storetest.Transfer(
						w.Stored(p.ID), fmt.Sprint("0x", p.Number), 12_500_000-money.Micros(round%2), 5,
					)
					w.Update(p.ID, storetest.Observe(5, tx))
				}
				if end != nil && w.Stored(p.ID).Status != payment.Completed {
					w.Update(p.ID, end)
				}
				all = append(all, w.Stored(p.ID))
			}
		}
	}
	return all
}

// takes says what the filter should list.
func takes(f payment.Filter, p payment.Payment) bool {
	if f.Status != "" && p.Status != f.Status || f.Network != "" && p.Choice.Network != f.Network ||
		p.CreatedAt.Before(f.Since) {
		return false
	}
	if !f.Unswept || p.Status == payment.Started {
		return true
	}
	return p.Status == payment.Completed && slices.ContainsFunc(p.Deposits,
		func(d payment.Deposit) bool { return !d.Swept })
}

func TestStore_Payments(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.NewKey(1000, 1000), w.NewKey(10, 0)
		all := w.populate(k)
		w.NewStarted(other)
		// One deposit is swept, by what will be the sweeper.
		_, err := w.SQL().Exec(fmt.Sprintf("UPDATE deposits SET swept_at = seen_at WHERE payment_id = %d", firstPaid(all)))
		w.Must(err)
		for i := range all {
			all[i] = w.Stored(all[i].ID)
		}
		for _, status := range append(payment.Statuses(), "") {
			for _, network := range append(chain.Networks(), "") {
				for _, since := range []time.Time{{}, storetest.Start.Add(11 * time.Minute)} {
					for _, unswept := range []bool{false, true} {
						for _, ascending := range []bool{false, true} {
							w.checkList(all, payment.Filter{
								KeyID: k.ID, Status: status, Network: network, Since: since,
								Unswept: unswept, Ascending: ascending, Limit: 3,
							})
						}
					}
				}
			}
		}
	})
}

func firstPaid(all []payment.Payment) int64 {
	i := slices.IndexFunc(all, func(p payment.Payment) bool { return len(p.Deposits) > 0 })
	return all[i].Number
}

// checkList compares every page with what the filter should list.
func (w *world) checkList(all []payment.Payment, f payment.Filter) {
	w.T.Helper()
	var want []payment.Payment
	for _, p := range all {
		if takes(f, p) {
			want = append(want, p)
		}
	}
	if !f.Ascending {
		slices.Reverse(want)
	}
	var got []payment.Payment
	for {
		page, err := w.Payments(w.T.Context(), f)
		w.Must(err)
		if len(page) > f.Limit {
			w.T.Fatalf("%+v: a page of %d", f, len(page))
		}
		got = append(got, page...)
		if len(page) < f.Limit {
			break
		}
		f.After = page[len(page)-1].Number
	}
	f.After = 0
	storetest.Same(w.T, fmt.Sprintf("%+v", f), numbers(got), numbers(want))
	for i := range min(len(got), len(want)) {
		storetest.Same(w.T, "listed payment", got[i], want[i])
	}
}

func numbers(list []payment.Payment) []int64 {
	var all []int64
	for _, p := range list {
		all = append(all, p.Number)
	}
	return all
}

func TestStore_Payments_Refused(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.NewKey(0, 0), w.NewKey(0, 0)
		theirs := w.NewPayment(other)
		for name, f := range map[string]payment.Filter{
			"unknown place":   {KeyID: k.ID, Limit: 3, After: 1 << 40},
			"another's place": {KeyID: k.ID, Limit: 3, After: theirs.Number},
		} {
			_, err := w.Payments(t.Context(), f)
			storetest.WantInvalid(t, name, err)
		}
		list, err := w.Payments(t.Context(), payment.Filter{KeyID: k.ID, Limit: 3})
		w.Must(err)
		if len(list) != 0 {
			t.Errorf("listed %d payments of another key", len(list))
		}
	})
}
