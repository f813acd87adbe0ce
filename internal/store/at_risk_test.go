package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store/storetest"
)

// atRisk returns what is at risk on a network. Payments that ended a minute after the start or later ended just now.
func (w *world) atRisk(n chain.Network) watch.AtRisk {
	w.T.Helper()
	s, err := w.AtRisk(w.T.Context(), n, storetest.Start.Add(time.Minute), storetest.Start.Add(-time.Hour))
	w.Must(err)
	return s
}

func TestStore_AtRisk(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		storetest.Same(t, "nothing", w.atRisk(chain.Polygon), watch.AtRisk{})
		k := w.NewKey(100, 0)
		w.NewPayment(k) // was never started: nothing is at risk
		storetest.Same(t, "a payment without a network", w.atRisk(chain.Polygon), watch.AtRisk{})

		p := w.NewStarted(k)
		s := w.atRisk(chain.Polygon)
		if !s.StartedAt.Equal(storetest.Start) || !s.ExpiresAt.Equal(p.ExpiresAt) || s.Pending != 0 || s.Ended {
			t.Errorf("a started payment: %+v", s)
		}
		if s := w.atRisk(chain.Solana); s != (watch.AtRisk{}) {
			t.Errorf("on another network: %+v", s)
		}

		for _, block := range []uint64{120, 100} {
			tx := map[uint64]string{120: "0xb1", 100: "0xa1"}[block]
			w.MustDo(w.UpdatePayment(ctx, p.ID, storetest.Observe(90, storetest.Transfer(p, tx, money.USD/100, block))))
		}
		s = w.atRisk(chain.Polygon)
		if s.Pending == 0 || s.Pending > 120 || !s.PendingSince.Equal(storetest.Start.Add(time.Minute)) || s.OwnRule {
			t.Errorf("with money that is not final: %+v", s)
		}

		ended := w.NewStarted(k)
		w.MustDo(w.UpdatePayment(ctx, ended.ID, func(q payment.Payment) (payment.Change, error) {
			return q.Cancel(storetest.Start.Add(2 * time.Minute))
		}))
		s = w.atRisk(chain.Polygon)
		if !s.EndedAt.Equal(storetest.Start.Add(2*time.Minute)) || !s.Ended {
			t.Errorf("with a payment that ended a moment ago: %+v", s)
		}
	})
}

// TestStore_AtRisk_Specks: a payment that many deposits came to raises the pace no more; the others do.
func TestStore_AtRisk_Specks(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		flooded, paid := w.NewStarted(k), w.NewStarted(k)
		var specks []chain.Transfer
		for n := range uint64(watch.MostAwaited) {
			specks = append(specks, storetest.Transfer(flooded, fmt.Sprintf("0xa%d", n), 1, 100+n))
		}
		w.Update(flooded.ID, storetest.Observe(90, specks...))
		if s := w.atRisk(chain.Polygon); s.Pending != 0 {
			t.Errorf("specks count as money from block %d on", s.Pending)
		}
		transfer := storetest.Transfer(paid, "0xb1", money.USD, 300)
		w.Update(paid.ID, storetest.Observe(90, transfer))
		if s := w.atRisk(chain.Polygon); s.Pending != 300 {
			t.Errorf("money counts from block %d on, want 300", s.Pending)
		}
	})
}

func TestStore_OpenAddresses(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		w.NewPayment(k)
		open, late, old := w.NewStarted(k), w.NewStarted(k), w.NewStarted(k)
		for id, when := range map[payment.ID]time.Time{
			late.ID: storetest.Start.Add(time.Hour), old.ID: storetest.Start.Add(time.Second),
		} {
			w.Update(id, func(q payment.Payment) (payment.Change, error) {
				return q.Cancel(when)
			})
		}
		list, err := w.OpenAddresses(t.Context(), chain.Polygon, storetest.Start.Add(time.Minute))
		w.Must(err)
		got := make([]chain.Address, len(list))
		for i, a := range list {
			got[i] = a.Address
		}
		want := []chain.Address{open.Routes[0].Address.Address, late.Routes[0].Address.Address}
		slices.Sort(got)
		slices.Sort(want)
		storetest.Same(t, "addresses", got, want)
	})
}

func TestStore_Attend(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		later := storetest.Start.Add(time.Minute)
		for _, until := range []time.Time{storetest.Start, later, storetest.Start.Add(time.Second)} {
			w.Must(w.Attend(t.Context(), chain.Polygon, until))
		}
		if got := w.atRisk(chain.Polygon).PageUntil; !got.Equal(later) {
			t.Errorf("a page counts until %s, want the latest, %s", got, later)
		}
		if got := w.atRisk(chain.Base).PageUntil; !got.IsZero() {
			t.Errorf("on another network until %s", got)
		}
	})
}

// TestStore_LookAt: the address of an ended payment counts as open for as long as its page was open of late, and so
// does that of one with money that is not final yet.
func TestStore_LookAt(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		at := storetest.Start.Add(time.Hour)
		var ended []payment.Payment
		for range 3 {
			p := w.NewStarted(k)
			w.Update(p.ID, func(q payment.Payment) (payment.Change, error) {
				return q.Cancel(storetest.Start.Add(time.Second))
			})
			ended = append(ended, p)
		}
		open := func() []chain.Address {
			list, err := w.OpenAddresses(t.Context(), chain.Polygon, at.Add(-time.Minute))
			w.Must(err)
			got := make([]chain.Address, len(list))
			for i, a := range list {
				got[i] = a.Address
			}
			slices.Sort(got)
			return got
		}
		for _, when := range []time.Time{at, at.Add(-30 * time.Minute)} {
			w.Must(w.LookAt(t.Context(), chain.Polygon, ended[0].ID, when))
		}
		w.Must(w.LookAt(t.Context(), chain.Polygon, ended[1].ID, at.Add(-2*time.Minute)))
		want := []chain.Address{ended[0].Routes[0].Address.Address}
		storetest.Same(t, "with an open page", open(), want)
		w.Update(ended[2].ID, storetest.Observe(5, storetest.Transfer(ended[2], "0xaa", 1, 10)))
		want = append(want, ended[2].Routes[0].Address.Address)
		slices.Sort(want)
		storetest.Same(t, "with money on its way", open(), want)
		if got := w.atRisk(chain.Polygon).LookedAt; !got.Equal(at) {
			t.Errorf("a page was open at %s, want %s", got, at)
		}
		if got := w.atRisk(chain.Base).LookedAt; !got.IsZero() {
			t.Errorf("on another network at %s", got)
		}
	})
}

func TestStore_Calls(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		one := chain.Calls{
			Day: "2026-11-22", Network: chain.Base, Endpoint: "a.example", Method: "eth_getLogs", Count: 3,
		}
		other, before := one, one
		other.Endpoint, before.Day = "b.example", "2026-11-21"
		w.Must(w.AddCalls(ctx, []chain.Calls{one, other, before}, "2026-10-01"))
		w.Must(w.AddCalls(ctx, []chain.Calls{one}, "2026-10-01"))
		since := func(day string) map[chain.Calls]bool {
			list, err := w.CallsSince(ctx, day)
			w.Must(err)
			set := make(map[chain.Calls]bool)
			for _, c := range list {
				set[c] = true
			}
			return set
		}
		one.Count = 6
		storetest.Same(t, "added up", since("2026-11-21"), map[chain.Calls]bool{one: true, other: true, before: true})
		storetest.Same(t, "of a day", since("2026-11-22"), map[chain.Calls]bool{one: true, other: true})
		w.Must(w.AddCalls(ctx, nil, "2026-11-22"))
		storetest.Same(
			t, "the day before is forgotten", since("2026-11-01"), map[chain.Calls]bool{one: true, other: true},
		)
	})
}

// Of very many open payments, only new ones are read for a while: a start is known at once, an end later.
func TestStore_AtRisk_ManyOpen(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.FewOpen(1)
		at := storetest.Start.Add(-time.Hour)
		k := w.NewKey(100, 0)
		addresses := func(when time.Time) int {
			list, err := w.OpenAddresses(t.Context(), chain.Polygon, when)
			w.Must(err)
			return len(list)
		}
		want := func(what string, when, started, expires time.Time, open int) {
			t.Helper()
			s, err := w.AtRisk(t.Context(), chain.Polygon, when, when)
			w.Must(err)
			if !s.StartedAt.Equal(started) || !s.AddedAt.Equal(started) || !s.ExpiresAt.Equal(expires) {
				t.Errorf("%s: %+v, want the start %s and the end %s", what, s, started, expires)
			}
			if n := addresses(when); n != open {
				t.Errorf("%s: %d addresses, want %d", what, n, open)
			}
		}
		first := w.NewStarted(k)
		w.NewStarted(k)
		want("two", at, storetest.Start, first.ExpiresAt, 2)

		cancel := func(p payment.Payment) {
			w.Update(p.ID, func(q payment.Payment) (payment.Change, error) {
				return q.Cancel(at.Add(-time.Hour))
			})
		}
		later := storetest.Start.Add(time.Second)
		third := w.NewPaymentAt(k, storetest.Start)
		w.Update(third.ID, storetest.StartOn(chain.Polygon, "USDC", later))
		want("a third", at, later, first.ExpiresAt, 3)
		want("and nothing new", at, later, first.ExpiresAt, 3)

		cancel(third)
		want("it ended, which is not known yet", at, later, first.ExpiresAt, 3)
		want("it ended", at.Add(time.Minute), storetest.Start, first.ExpiresAt, 2)
	})
}
