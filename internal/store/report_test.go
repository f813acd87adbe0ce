package store_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/webhook"
)

func (w *world) search(q report.Query) []payment.Payment {
	w.T.Helper()
	if q.Limit == 0 {
		q.Limit = report.MaxPage
	}
	found, err := w.SearchPayments(w.T.Context(), q)
	w.Must(err)
	return found.Payments
}

// Whatever the filter and the size of the page, the pages together are what the
// filter takes, the newest first, of all the keys and of no other.
func TestStore_SearchPayments_Filters(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		a, b, other := w.NewKey(500, 500), w.NewKey(500, 500), w.NewKey(500, 500)
		mine := append(w.populate(a), w.populate(b)...)
		w.populate(other)
		keys := []int64{a.ID, b.ID}
		for i, q := range []report.Query{
			{},
			{Statuses: []payment.Status{payment.Completed}},
			{Network: chain.Polygon},
			{Statuses: []payment.Status{payment.Started, payment.Expired}, Network: chain.Base},
			{Token: money.USDC},
			{Kind: payment.KindDonation},
			{From: storetest.Start.Add(10 * time.Minute)},
			{Until: storetest.Start.Add(10 * time.Minute)},
			{Min: 12_500_001},
			{Max: 12_499_999},
			{Min: 1, Max: 12_500_000, Statuses: []payment.Status{payment.Cancelled}},
		} {
			want := make(map[payment.ID]bool)
			for _, p := range mine {
				if queryTakes(q, p) {
					want[p.ID] = true
				}
			}
			q.Keys, q.Limit, q.Look = keys, 3, 5
			var got []payment.Payment
			for first := true; first || q.After != (report.Place{}); first = false {
				page, err := w.SearchPayments(t.Context(), q)
				w.Must(err)
				got, q.After = append(got, page.Payments...), page.Next
			}
			for j, p := range got {
				if !want[p.ID] {
					t.Errorf("query %d: %s is listed twice or should not be", i, p.ID)
				}
				delete(want, p.ID)
				if j > 0 && got[j-1].CreatedAt.Before(p.CreatedAt) {
					t.Errorf("query %d: out of order at %d", i, j)
				}
			}
			if len(want) > 0 {
				t.Errorf("query %d: %d of %d are missing", i, len(want), len(got)+len(want))
			}
		}
		if list := w.search(report.Query{}); len(list) != 0 {
			t.Errorf("no keys list %d payments", len(list))
		}
	})
}

func queryTakes(q report.Query, p payment.Payment) bool {
	switch {
	case len(q.Statuses) > 0 && !slices.Contains(q.Statuses, p.Status), q.Network != "" &&
		p.Choice.Network != q.Network,
		q.Token != "" && p.Choice.Token != q.Token,
		q.Kind != "" && p.Kind != q.Kind, p.CreatedAt.Before(q.From), !q.Until.IsZero() && !p.CreatedAt.Before(q.Until),
		p.Amount < q.Min, q.Max > 0 && p.Amount > q.Max:
		return false
	}
	return true
}

func TestStore_SearchPayments_Text(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.NewKey(50, 50), w.NewKey(50, 50)
		p := w.NewStarted(k)
		w.Update(p.ID, storetest.Observe(10, storetest.Transfer(p, "0xab12", 12_500_000, 10)))
		p = w.Stored(p.ID)
		for what, text := range map[string]string{
			"txnid": string(p.ID), "reference": p.Reference, "hash": "0xAB12", "amount": "12.50", "dollars": "$12.5",
			"address": string(p.Routes[0].Address.Address), "spaces": "  " + string(p.ID) + " ",
			"beginning of the reference": p.Reference[:3], "in another case": strings.ToLower(p.Reference[:3]),
			"beginning of the description": "NA" + p.Description[2:6], "of the address": p.CustomerEmail[:4],
			"of the hash": "0xAB", "of the deposit address": string(p.Routes[0].Address.Address[:8]), "of the amount": "12",
		} {
			if list := w.search(report.Query{Keys: []int64{k.ID}, Text: text}); len(list) != 1 || list[0].ID != p.ID {
				t.Errorf("%s: found %d by %q", what, len(list), text)
			}
			if list := w.search(report.Query{Keys: []int64{other.ID}, Text: text}); len(list) != 0 {
				t.Errorf("%s: another merchant finds it", what)
			}
			if list := w.search(
				report.Query{Keys: []int64{k.ID}, Text: text, Statuses: []payment.Status{payment.Expired}},
			); len(list) != 0 {
				t.Errorf("%s: found against the filter", what)
			}
		}
		for _, text := range []string{
			"nothing", "' OR 1=1 --", "%", "\x00", "12.51", "12.500001", "1", "xA-",
		} {
			if list := w.search(report.Query{Keys: []int64{k.ID}, Text: text}); len(list) != 0 {
				t.Errorf("%q finds %d", text, len(list))
			}
		}
	})
}

func TestStore_Days(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.NewKey(500, 500), w.NewKey(500, 500)
		all := w.populate(k)
		w.populate(other)
		days, err := w.Days(t.Context(), []int64{k.ID}, storetest.Start.Add(-time.Hour), storetest.Start.Add(time.Hour))
		w.Must(err)
		sums := map[chain.Network]money.Micros{}
		for _, p := range all {
			if p.Status == payment.Completed {
				sums[p.Choice.Network] += p.Amount
			}
		}
		if len(days) != len(sums) {
			t.Fatalf("%d rows for %d networks", len(days), len(sums))
		}
		for _, d := range days {
			if d.Volume != sums[d.Network] || !d.Day.Equal(storetest.Start.Truncate(24*time.Hour)) {
				t.Errorf("%s: %s on %s, want %s", d.Network, d.Volume, d.Day, sums[d.Network])
			}
		}
		a, err := w.Activity(t.Context(), []int64{k.ID})
		w.Must(err)
		if !a.Any || !a.Paid {
			t.Errorf("activity is %+v", a)
		}
		got, err := w.Open(t.Context(), []int64{k.ID})
		w.Must(err)
		open := int64(0)
		for _, p := range all {
			if !p.Status.Final() {
				open++
			}
		}
		if got != open {
			t.Errorf("%d payments are open, want %d", got, open)
		}
	})
}

func TestStore_DeliveriesOfAKey(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.NewKey(50, 50), w.NewKey(50, 50)
		w.NewCustodian(k, "https://shop.example/hook")
		w.NewCustodian(other, "https://other.example/hook")
		p := w.NewPayment(k)
		w.Update(p.ID, func(p payment.Payment) (payment.Change, error) {
			return p.Cancel(storetest.Start)
		})
		for _, d := range w.claim("a", storetest.Start.Add(time.Hour), 3, 3) {
			w.settle("a", d, webhook.Failed, storetest.Start, storetest.Start)
		}
		list, err := w.Deliveries(t.Context(), report.DeliveryQuery{KeyID: k.ID, Limit: 3})
		w.Must(err)
		if len(list) != 1 || list[0].TxnID != p.ID || list[0].State != webhook.Failed || list[0].Made != 1 {
			t.Fatalf("deliveries are %+v", list)
		}
		d, err := w.Delivery(t.Context(), []int64{k.ID}, list[0].ID)
		w.Must(err)
		if d.Delivery != list[0] || len(d.Attempts) != 1 || !json.Valid(d.Data) {
			t.Errorf("the delivery is %+v", d)
		}
		w.Run("AnotherMerchant", func(t *testing.T) {
			if _, err := w.Delivery(t.Context(), []int64{other.ID}, d.ID); err == nil {
				t.Error("another merchant sees it")
			}
			if err := w.Resend(t.Context(), []int64{other.ID}, d.ID, storetest.Start, audit.Record{}); err == nil {
				t.Error("another merchant sends it again")
			}
			if n, err := w.ResendFailed(
				t.Context(), other.ID, storetest.Start.Add(-time.Hour), storetest.Start, audit.Record{},
			); err != nil || n != 0 {
				t.Errorf("another merchant sends %d again, %v", n, err)
			}
		})
		w.Run("ResendFailed", func(t *testing.T) {
			if n, err := w.ResendFailed(
				t.Context(), k.ID, storetest.Start.Add(time.Second), storetest.Start, audit.Record{},
			); err != nil ||
				n != 0 {
				t.Errorf("%d older ones were sent again, %v", n, err)
			}
			n, err := w.ResendFailed(t.Context(), k.ID, storetest.Start, storetest.Start, audit.Record{})
			if err != nil || n != 1 {
				t.Errorf("%d were sent again, %v", n, err)
			}
		})
		w.Run("Resend", func(t *testing.T) {
			for _, d := range w.claim("b", storetest.Start.Add(time.Hour), 3, 3) {
				w.settle("b", d, webhook.Delivered, storetest.Start, storetest.Start)
			}
			w.Must(w.Resend(t.Context(), []int64{k.ID}, d.ID, storetest.Start, audit.Record{}))
			d, err = w.Delivery(t.Context(), []int64{k.ID}, d.ID)
			w.Must(err)
			if d.State != webhook.Waiting || len(d.Attempts) != 2 {
				t.Errorf("after all it is %s with %d attempts", d.State, len(d.Attempts))
			}
		})
		failing := func(what string, want report.Failing) {
			t.Helper()
			got, err := w.FailedDeliveries(t.Context(), []int64{k.ID}, storetest.Start.Add(-time.Hour))
			w.Must(err)
			storetest.Same(t, what, got, want)
		}
		w.Run("Failing", func(t *testing.T) {
			failing("tried again", report.Failing{Waiting: 1})
			for _, d := range w.claim("c", storetest.Start.Add(time.Hour), 3, 3) {
				w.settle("c", d, webhook.Failed, storetest.Start, storetest.Start)
			}
			failing("given up", report.Failing{GivenUp: 1})
			w.Must(w.Resend(t.Context(), []int64{k.ID}, d.ID, storetest.Start, audit.Record{}))
			for _, d := range w.claim("d", storetest.Start.Add(time.Hour), 3, 3) {
				w.Must(w.Settle(t.Context(), "d", webhook.Outcome{
					DeliveryID: d.ID, State: webhook.Delivered, Attempt: webhook.Attempt{
						At: storetest.Start, URL: d.URL, Status: 204,
					},
				}))
			}
			failing("arrived", report.Failing{})
			w.Must(w.Resend(t.Context(), []int64{k.ID}, d.ID, storetest.Start, audit.Record{}))
			failing("arrived, and sent once more", report.Failing{})
		})
	})
}

func TestStore_Entries(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(10, 2)
		w.NewKey(7, 0)
		for i := range 3 {
			_, err := w.Post(k.ID, []ledger.Entry{ledger.Spend(k.ID, ledger.Credit, ledger.ReasonStart,
				fmt.Sprint("start:", i), storetest.Start)})
			w.Must(err)
		}
		var got []int64
		for before := int64(0); ; {
			page, err := w.Entries(t.Context(), k.ID, before, 2)
			w.Must(err)
			for _, e := range page {
				got = append(got, e.Count)
				before = e.ID
			}
			if len(page) < 2 {
				break
			}
		}
		storetest.Same(t, "counts", got, []int64{-1, -1, -1, 2, 10})
	})
}

func TestStore_Operator(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(5, 0)
		w.NewPayment(k)
		w.NewUser()
		users, err := w.Users(t.Context(), report.UserQuery{Before: 0, Limit: 1})
		w.Must(err)
		rest, err := w.Users(t.Context(), report.UserQuery{Before: users[0].ID, Limit: 5})
		w.Must(err)
		if len(users) != 1 || users[0].Keys != 0 || len(rest) != 1 || rest[0].Keys != 1 || !rest[0].Payments {
			t.Errorf("users are %+v and %+v", users, rest)
		}
		w.NewCustodian(k, "https://shop.example/hook")
		p := w.NewPayment(k)
		w.Update(p.ID, func(p payment.Payment) (payment.Change, error) {
			return p.Cancel(storetest.Start)
		})
		st, err := w.Stuck(t.Context(), storetest.Start.Add(time.Hour), money.USD)
		w.Must(err)
		if st.Deliveries != 1 || !st.OldestDue.Equal(storetest.Start) || st.Sweeps != 0 {
			t.Errorf("stuck is %+v", st)
		}
	})
}

// The figures of an overview read a bounded number of payments, and say that there are more.
func TestStore_Funnel(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.NewKey(50, 50), w.NewKey(50, 50)
		w.populate(other)
		keys, since := []int64{k.ID}, storetest.Start
		for range 3 {
			w.NewPaymentAt(k, storetest.Start.Add(time.Minute))
		}
		w.NewStarted(k)
		f, err := w.Funnel(t.Context(), keys, since)
		w.Must(err)
		if f != (report.Funnel{Created: 4, Started: 1}) {
			t.Errorf("the funnel is %+v", f)
		}
		w.loseAtEachStep(k)
		f, err = w.Funnel(t.Context(), keys, since)
		w.Must(err)
		if f != (report.Funnel{Created: 8, Started: 3, Seen: 1, Unstarted: 2, Unseen: 1, Unpaid: 1}) {
			t.Errorf("after payments were lost the funnel is %+v", f)
		}
		var all sync.WaitGroup
		for range report.MaxFunnel {
			all.Go(func() { w.NewPaymentAt(k, storetest.Start.Add(2*time.Minute)) })
		}
		all.Wait()
		f, err = w.Funnel(t.Context(), keys, since)
		w.Must(err)
		if !f.Newest || f.Created != report.MaxFunnel {
			t.Errorf("of more payments the funnel is %+v", f)
		}
		s, err := w.Starts(t.Context(), k.ID, since)
		w.Must(err)
		if !s.Newest || !s.Since.After(since) {
			t.Errorf("the starts are %+v", s)
		}
	})
}

// loseAtEachStep ends payments at each step of a sale: one expired and one cancelled before they were started, one that
// was started, and one that got too little.
func (w *world) loseAtEachStep(k merchant.Key) {
	w.T.Helper()
	end := func(p payment.Payment) (payment.Change, error) { return p.Cancel(storetest.Start.Add(2 * time.Minute)) }
	expire := func(p payment.Payment) (payment.Change, error) {
		at := p.ExpiresAt.Add(time.Hour)
		return p.Expire(payment.Coverage{p.Choice.Network: at}, at)
	}
	apply := func(p payment.Payment, decide func(payment.Payment) (payment.Change, error)) {
		w.T.Helper()
		w.Update(p.ID, decide)
	}
	apply(w.NewPaymentAt(k, storetest.Start.Add(time.Minute)), end)
	apply(w.NewPaymentAt(k, storetest.Start.Add(time.Minute)), expire)
	apply(w.NewStarted(k), end)
	short := w.NewStarted(k)
	apply(short, storetest.Observe(5, storetest.Transfer(w.Stored(short.ID), "0x5407", money.USD, 5)))
	apply(short, expire)
}
