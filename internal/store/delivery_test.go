package store_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/webhook"
)

// receiver makes a merchant with a callback URL.
func (w *world) receiver(url string) merchant.Key {
	w.T.Helper()
	k := w.NewKey(0, 0)
	w.NewCustodian(k, url)
	return k
}

// claim claims for a minute.
func (w *world) claim(holder string, now time.Time, limit, perURL int) []webhook.Delivery {
	w.T.Helper()
	list, err := webhook.ClaimDue(w.T.Context(), w, holder, now, now.Add(time.Minute), limit, perURL)
	w.Must(err)
	return list
}

func eventIDs(list []webhook.Delivery) []string {
	var ids []string
	for _, d := range list {
		ids = append(ids, d.EventID)
	}
	slices.Sort(ids)
	return ids
}

// settle writes an outcome with an attempt at the time.
func (w *world) settle(holder string, d webhook.Delivery, state webhook.State, now, next time.Time) {
	w.T.Helper()
	w.Must(w.Settle(w.T.Context(), holder, webhook.Outcome{
		DeliveryID: d.ID, State: state, NextAt: next,
		Attempt: webhook.Attempt{
			At: now, URL: d.URL, Status: 500, Latency: 3 * time.Millisecond,
			Response: "sorry \x00\xff", Request: "POST /",
		},
	}))
}

// nextDue returns when the next delivery is due, after start; -1 if none waits.
func (w *world) nextDue(now time.Time) time.Duration {
	w.T.Helper()
	at, ok, err := w.NextDue(w.T.Context(), now)
	w.Must(err)
	if !ok {
		return -1
	}
	return at.Sub(storetest.Start)
}

func TestStore_Claim(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		silent := w.receiver("")
		w.end(silent) // has no callback URL: nothing is to be delivered
		if w.nextDue(storetest.Start) != -1 {
			t.Error("something waits for a key without a callback URL")
		}
		k := w.receiver("https://shop.example/hook")
		id := w.end(k)
		if got := w.nextDue(storetest.Start); got != 0 {
			t.Errorf("next due %v", got)
		}
		if early := w.claim("a", storetest.Start.Add(-time.Microsecond), 10, 10); len(early) != 0 {
			t.Errorf("claimed before it is due: %+v", early)
		}
		first := w.claim("a", storetest.Start, 10, 10)
		if len(first) != 1 || first[0].EventID != id || first[0].Attempt != 0 || first[0].URL != "https://shop.example/hook" {
			t.Fatalf("claimed %+v", first)
		}
		events, err := w.Events(t.Context(), paymentOf(id))
		w.Must(err)
		custodian, err := w.Custodian(t.Context(), k.ID)
		w.Must(err)
		storetest.Same(t, "body", string(first[0].Body),
			strings.TrimSuffix(string(events[1].Data), "}")+`,"custodianId":"`+custodian.PublicID+`"}`)
		if first[0].Secret.Reveal() != "merchant secret" || first[0].SigningSecrets[0].Reveal() != "whsec_new" {
			t.Error("secrets are not those of the custodian")
		}
		if again := w.claim("b", storetest.Start.Add(time.Minute-time.Microsecond), 10, 10); len(again) != 0 {
			t.Errorf("claimed while it is held: %+v", again)
		}
		if got := w.nextDue(storetest.Start.Add(time.Second)); got != -1 {
			t.Errorf("next due while it is held: %v", got)
		}
		// a has crashed; b takes over, and what a says later does not count.
		later := storetest.Start.Add(time.Minute)
		second := w.claim("b", later, 10, 10)
		storetest.Same(t, "taken over", eventIDs(second), []string{id})
		w.settle("a", first[0], webhook.Delivered, later, time.Time{})
		w.settle("b", second[0], webhook.Waiting, later, later.Add(5*time.Second))
		if got := w.nextDue(later); got != time.Minute+5*time.Second {
			t.Errorf("next due after a failure: %v", got)
		}
		third := w.claim("b", later.Add(5*time.Second), 10, 10)
		if len(third) != 1 || third[0].Attempt != 1 {
			t.Fatalf("third claim: %+v", third)
		}
		w.settle("b", third[0], webhook.Delivered, later, time.Time{})
		w.settle("b", third[0], webhook.Failed, later, time.Time{}) // is no longer held
		if none := w.claim("b", later.Add(time.Hour), 10, 10); len(none) != 0 || w.nextDue(later) != -1 {
			t.Errorf("after delivery: %+v", none)
		}
		if n := w.Count("SELECT count(*) FROM delivery_attempts"); n != 2 {
			t.Errorf("%d attempts, want 2", n)
		}
		if n := w.Count("SELECT count(*) FROM deliveries WHERE state = 'DELIVERED' AND attempt = 2"); n != 1 {
			t.Error("the delivery is not delivered after two attempts")
		}
	})
}

func paymentOf(eventID string) payment.ID { return payment.ID(eventID[4 : len(eventID)-2]) }

// Slow receivers with long queues do not keep a fast one waiting.
func TestStore_Claim_Fair(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		const slow, queue, perURL, workers = 12, 6, 2, 20
		for i := range slow {
			k := w.receiver(fmt.Sprintf("https://slow%d.example/hook", i))
			for range queue {
				w.end(k)
			}
		}
		fast := w.receiver("https://fast.example/hook")
		var want []string
		for range perURL {
			want = append(want, w.end(fast))
		}
		slices.Sort(want)
		first := w.claim("a", storetest.Start, workers, perURL)
		if len(first) != workers {
			t.Fatalf("claimed %d of %d", len(first), workers)
		}
		claimed := make(map[string]int)
		for _, d := range first {
			claimed[d.URL]++
		}
		if len(claimed) != slow+1 {
			t.Errorf("the first claim serves %d of %d receivers", len(claimed), slow+1)
		}
		// The slow ones hang. What is left of the fast one comes next, and no
		// receiver ever has more than its share.
		second := w.claim("b", storetest.Start, workers, perURL)
		got := make(map[string]bool)
		for _, d := range append(first, second...) {
			if d.URL == "https://fast.example/hook" {
				got[d.EventID] = true
			}
		}
		for _, id := range want {
			if !got[id] {
				t.Error("a delivery to the fast receiver waits behind the slow ones")
			}
		}
		for _, d := range second {
			claimed[d.URL]++
		}
		for url, n := range claimed {
			if n > perURL {
				t.Errorf("%s has %d at once", url, n)
			}
		}
		if third := w.claim("c", storetest.Start, 100, perURL); len(third) != 0 {
			t.Errorf("%d more than the shares", len(third))
		}
	})
}

// Many claim at once: each delivery goes to one of them.
func TestStore_Claim_AtOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		other := storetest.Open(t, w.URL)
		const receivers, each, claimers = 10, 3, 8
		var want []string
		for i := range receivers {
			k := w.receiver(fmt.Sprintf("https://r%d.example/", i))
			for range each {
				want = append(want, w.end(k))
			}
		}
		slices.Sort(want)
		claimed := make([][]webhook.Delivery, claimers)
		for _, err := range storetest.AtOnce(claimers, func(i int) error {
			s := w.Store
			if i%2 == 1 {
				s = other
			}
			for range 20 { // two that meet may both come away with less
				list, err := webhook.ClaimDue(
					t.Context(), s, strconv.Itoa(i), storetest.Start, storetest.Start.Add(time.Minute), 5, 10,
				)
				if err != nil {
					return err
				}
				claimed[i] = append(claimed[i], list...)
			}
			return nil
		}) {
			w.Must(err)
		}
		storetest.Same(t, "claimed", eventIDs(slices.Concat(claimed...)), want)
	})
}

// What waits goes to the callback URL of now.
func TestStore_Claim_NewURL(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.receiver("https://old.example/hook")
		w.end(k)
		for _, url := range []string{"https://new.example/hook", ""} {
			_, err := w.UpdateCustodian(t.Context(), k.ID, nil,
				func(c merchant.Custodian) (merchant.CustodianChange, error) {
					c.CallbackURL = url
					return merchant.CustodianChange{Custodian: c}, nil
				})
			w.Must(err)
			list := w.claim("a", storetest.Start, 10, 10)
			if len(list) != 1 || list[0].URL != url {
				t.Fatalf("after the change to %q: %+v", url, list)
			}
			w.settle("a", list[0], webhook.Waiting, storetest.Start, storetest.Start)
		}
	})
}

// A merchant whose secrets cannot be opened keeps no other merchant waiting. Its own
// deliveries are attempts that failed, and go out once it has new secrets.
func TestStore_Claim_SecretsDamaged(t *testing.T) {
	t.Parallel()
	for _, column := range []string{"secret", "signing_secrets"} {
		t.Run(column, func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, w *world) {
				damaged, sound := w.receiver("https://damaged.example/hook"), w.receiver("https://sound.example/hook")
				bad, good := w.end(damaged), w.end(sound)
				db := w.SQL()
				w.MustDo(db.ExecContext(t.Context(), fmt.Sprintf(
					"UPDATE custodians SET %s = '[\"AAAA\"]' WHERE key_id = %d", column, damaged.ID,
				)))
				storetest.Same(t, "claimed", eventIDs(w.claim("a", storetest.Start, 10, 10)), []string{good})
				if again := w.claim("b", storetest.Start, 10, 10); len(again) != 0 {
					t.Errorf("claimed again at once: %+v", again)
				}
				if n := w.Count("SELECT count(*) FROM delivery_attempts WHERE attempt = 1 AND status = 0 AND error <> '' AND error NOT LIKE '%AAAA%'"); n != 1 {
					t.Errorf("%d failed attempts are shown, want 1", n)
				}
				_, err := db.ExecContext(t.Context(), fmt.Sprintf("UPDATE custodians SET secret = '', signing_secrets = '[]' WHERE key_id = %d", damaged.ID))
				w.Must(err)
				later := w.claim("a", storetest.Start.Add(10*time.Second), 10, 10)
				storetest.Same(t, "claimed later", eventIDs(later), []string{bad})
				if len(later) == 1 && later[0].Attempt != 1 {
					t.Errorf("%d attempts so far, want 1", later[0].Attempt)
				}
			})
		})
	}
}

// An event that cannot be read keeps no other webhook waiting, not even its merchant's. Its
// own is an attempt that failed, of which the merchant and the operator's log know why.
func TestStore_Claim_EventDamaged(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.receiver("https://shop.example/hook")
		bad, good := w.end(k), w.end(k)
		sql := w.SQL()
		drop, damaged := "DROP TRIGGER events_no_update", "x'01'"
		if w.ManyWriters() {
			drop, damaged = drop+" ON events", "'\\x01'"
		}
		w.MustDo(sql.ExecContext(t.Context(), drop))
		w.MustDo(sql.ExecContext(t.Context(), fmt.Sprintf(
			"UPDATE events SET data = %s WHERE payment_id = (SELECT id FROM payments WHERE public_id = '%s')",
			damaged, paymentOf(bad),
		)))
		storetest.Same(t, "claimed", eventIDs(w.claim("a", storetest.Start, 10, 10)), []string{good})
		if again := w.claim("b", storetest.Start, 10, 10); len(again) != 0 {
			t.Errorf("claimed again at once: %+v", again)
		}
		if n := w.Count("SELECT count(*) FROM delivery_attempts WHERE attempt = 1 AND status = 0 AND error LIKE '%event cannot be read%'"); n != 1 {
			t.Errorf("%d failed attempts say why, want 1", n)
		}
		if n := w.Count("SELECT count(*) FROM deliveries WHERE state = 'WAITING' AND holder IS NULL AND attempt = 1"); n != 1 {
			t.Errorf("%d deliveries are tried again later, want 1", n)
		}
	})
}

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
