package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/webhook"
)

// callback sets the callback URL of the key.
func (w *world) callback(k merchant.Key, url string, at time.Time) {
	w.T.Helper()
	w.MustDo(w.UpdateCustodian(w.T.Context(), k.ID, nil, func(c merchant.Custodian) (merchant.CustodianChange, error) {
		c.CallbackURL, c.UpdatedAt = url, at
		return merchant.CustodianChange{Custodian: c}, nil
	}))
}

// park ends the attempt of a claimed delivery as the deliverer does that finds no callback URL.
func (w *world) park(d webhook.Delivery, now time.Time) {
	w.T.Helper()
	r := webhook.Result{Attempt: webhook.Attempt{At: now}, Unsent: true}
	o := webhook.Outcome{DeliveryID: d.ID, Attempt: r.Attempt, Spared: true}
	o.State, o.NextAt = webhook.Decide(d.Attempt, r, 0)
	w.Must(w.Settle(w.T.Context(), "a", o))
}

// What is due, or happens, while a callback URL is removed waits for the next one, and loses no attempt.
func TestStore_Parked(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k, now := w.receiver("https://old.example/hook"), storetest.Start
		before := w.end(k)
		w.callback(k, "", now)
		while := w.end(k)
		list := w.claim("a", now, 10, 10)
		storetest.Same(t, "due without a URL", eventIDs(list), []string{before})
		w.park(list[0], now)
		for _, later := range []time.Duration{0, time.Hour, 1000 * time.Hour} {
			if list := w.claim("a", now.Add(later), 10, 10); len(list) != 0 {
				t.Errorf("claimed without a URL: %+v", list)
			}
		}
		failing, err := w.Reports().FailedDeliveries(t.Context(), []int64{k.ID}, now)
		w.Must(err)
		if failing.Parked != 2 || failing.GivenUp != 0 || failing.Waiting != 0 {
			t.Errorf("needs attention counts %+v", failing)
		}
		again := now.Add(2000 * time.Hour)
		w.callback(k, "https://new.example/hook", again)
		list = w.claim("a", again, 10, 10)
		storetest.Same(t, "when there is one", eventIDs(list), slices.Sorted(slices.Values([]string{before, while})))
		for _, d := range list {
			if d.URL != "https://new.example/hook" || d.Attempt != 0 {
				t.Errorf("%s goes to %s after %d attempts", d.EventID, d.URL, d.Attempt)
			}
			w.settle("a", d, webhook.Delivered, again, time.Time{})
		}
	})
}

// A merchant who never had a callback URL has no deliveries, and neither has one who stopped what waited for one.
func TestStore_Parked_Stopped(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		never, stops := w.receiver(""), w.receiver("https://shop.example/hook")
		w.end(never)
		w.callback(stops, "", storetest.Start)
		w.end(stops)
		n, err := w.StopParked(t.Context(), stops.ID, storetest.Start, audit.Record{})
		w.Must(err)
		w.end(stops)
		if states := w.Count("SELECT count(*) FROM deliveries WHERE state = 'STOPPED'"); n != 1 || states != 1 {
			t.Errorf("%d were stopped, %d are", n, states)
		}
		if all := w.Count("SELECT count(*) FROM deliveries"); all != 1 {
			t.Errorf("%d deliveries, want 1", all)
		}
		w.callback(stops, "https://new.example/hook", storetest.Start)
		storetest.Same(t, "after a new URL", eventIDs(w.claim("a", storetest.Start, 10, 10)), nil)
		fresh := w.end(stops)
		storetest.Same(t, "a new event", eventIDs(w.claim("a", storetest.Start, 10, 10)), []string{fresh})
	})
}
