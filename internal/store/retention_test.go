package store_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	rules "github.com/florinpay/florin/internal/retention"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/store/table"
)

const day = 24 * time.Hour

// muchLater is when everything of storetest.Start is older than it is kept.
var muchLater = storetest.Start.Add(500 * day)

var keepPolicy = rules.Policy{
	Attempts: 30 * day, Deliveries: 90 * day, Events: 365 * day, Audit: 400 * day, Sessions: 30 * day, Idempotency: day,
}

// dropOld drops what is too old at the time.
func (w *world) dropOld(p rules.Policy, now time.Time) map[rules.Part]int64 {
	w.T.Helper()
	pause := func(context.Context, time.Duration) error { return nil }
	clock := func() time.Time { return now }
	dropped, err := rules.Run(w.T.Context(), w.SmallRetained().DropBatch, p, clock, pause)
	w.Must(err)
	return dropped
}

// cancelled stores a payment of the key that was cancelled, with a webhook in the state.
func (w *world) cancelled(k merchant.Key, at time.Time, state string) payment.Payment {
	w.T.Helper()
	p := w.Update(w.NewPaymentAt(k, at).ID, func(p payment.Payment) (payment.Change, error) {
		return p.Cancel(at)
	})
	w.exec("UPDATE deliveries SET state = ?, attempt = 1 WHERE payment_id = ?", state, p.Number)
	w.exec(`INSERT INTO delivery_attempts (delivery_id, attempt, at, url, status, latency_us, error, response, request, keyed)
		SELECT id, 1, ?, 'https://shop.example', 500, 1, '', 'sorry', '', ? FROM deliveries WHERE payment_id = ?`,
		db.At(at), false, p.Number)
	return p
}

func (w *world) exec(text string, args ...any) {
	w.T.Helper()
	w.Must(w.DB().Write(w.T.Context(), func(ctx context.Context, t db.Tx) error {
		_, err := t.NewRaw(text, args...).Exec(ctx)
		return err
	}))
}

func (w *world) counts(what string, want int64, text string) {
	w.T.Helper()
	if n := w.Count(text); n != want {
		w.T.Errorf("%s: %d, want %d", what, n, want)
	}
}

func ofPayment(p payment.Payment) string {
	return " WHERE payment_id = " + strconv.FormatInt(p.Number, 10)
}

// Each part goes when it is old enough, and the books stay.
func TestStore_DropBatch(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(500, 0)
		w.NewCustodian(k, "https://shop.example/hook")
		for range 7 {
			w.cancelled(k, storetest.Start, "DELIVERED")
		}
		young := w.cancelled(k, muchLater.Add(-day), "DELIVERED")

		w.dropOld(keepPolicy, storetest.Start.Add(29*day))
		w.counts("attempts after 29 days", 8, "SELECT count(*) FROM delivery_attempts")
		w.dropOld(keepPolicy, storetest.Start.Add(31*day))
		w.counts("attempts after 31 days", 1, "SELECT count(*) FROM delivery_attempts")
		w.counts("deliveries after 31 days", 8, "SELECT count(*) FROM deliveries")
		w.dropOld(keepPolicy, storetest.Start.Add(91*day))
		w.counts("deliveries after 91 days", 1, "SELECT count(*) FROM deliveries")
		w.counts("events after 91 days", 16, "SELECT count(*) FROM events")
		dropped := w.dropOld(keepPolicy, muchLater)
		w.counts("events after a year", 2, "SELECT count(*) FROM events")
		w.counts("events of the young payment", 2, "SELECT count(*) FROM events"+ofPayment(young))
		w.counts("its feed", 1, "SELECT count(*) FROM feed")
		w.counts("payments", 8, "SELECT count(*) FROM payments")
		storetest.Same(t, "payments whose events were dropped", dropped[rules.Events], 7)
		w.CheckLedger()
		if n := len(w.dropOld(rules.Policy{}, muchLater.Add(5_000*day))); n != 0 {
			t.Errorf("%d parts were dropped that are kept for ever", n)
		}
		if _, err := w.SQL().Exec("DELETE FROM events"); err == nil {
			t.Error("events can be deleted outside of a batch")
		}
	})
}

// What is not finished stays, with all that it needs, however old it is.
func TestStore_DropBatch_Unfinished(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(500, 0)
		w.NewCustodian(k, "https://shop.example/hook")
		kept := map[string]payment.Payment{
			"a webhook that waits":         w.cancelled(k, storetest.Start, "WAITING"),
			"a webhook that never arrived": w.cancelled(k, storetest.Start, "FAILED"),
			"a webhook that was stopped":   w.cancelled(k, storetest.Start, "STOPPED"),
			"an open payment":              w.NewStarted(k),
		}
		attention := w.cancelled(k, storetest.Start, "DELIVERED")
		w.exec("UPDATE payments SET attention = 'LATE' WHERE id = ?", attention.Number)
		kept["a payment that needs its merchant"] = attention
		for what, final := range map[string]uint64{"money that is not final": 1, "money that is not settled": 100} {
			p := w.NewStarted(k)
			paid := storetest.Transfer(p, "0x"+strconv.Itoa(int(final)), p.Amount, 50)
			w.Update(p.ID, storetest.Observe(final, paid))
			w.exec("UPDATE payments SET status = 'COMPLETED', ended_at = ?, attention = '' WHERE id = ?", db.At(storetest.Start), p.Number)
			w.exec("UPDATE deliveries SET state = 'DELIVERED' WHERE payment_id = ?", p.Number)
			kept[what] = p
		}
		gone := w.cancelled(k, storetest.Start, "OVERTAKEN")

		w.dropOld(keepPolicy, muchLater)
		w.counts("events of a finished payment", 0, "SELECT count(*) FROM events"+ofPayment(gone))
		for what, p := range kept {
			if w.Count("SELECT count(*) FROM events"+ofPayment(p)) == 0 {
				t.Errorf("%s: its events were dropped", what)
			}
		}
		w.counts("webhooks that did not arrive", 3, "SELECT count(*) FROM deliveries WHERE state IN ('WAITING', 'FAILED', 'STOPPED')")
		w.counts("attempts of what is still tried", 1, "SELECT count(*) FROM delivery_attempts")
		if list, err := w.Events(t.Context(), gone.ID); err != nil || len(list) != 0 {
			t.Errorf("the history that was dropped is %v, %v", list, err)
		}
		if _, err := w.Events(t.Context(), storetest.NewID()); !errors.Is(err, payment.ErrUnknown) {
			t.Errorf("the history of no payment is %v", err)
		}
	})
}

// A batch waits for nobody: a payment that another transaction has locked is left for the next run.
func TestStore_DropBatch_Locked(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		if !w.ManyWriters() {
			return // SQLite has one writer, and a batch is one short transaction of it
		}
		k := w.NewKey(500, 0)
		held, free := w.cancelled(k, storetest.Start, "DELIVERED"), w.cancelled(k, storetest.Start, "DELIVERED")
		w.Must(w.DB().Write(t.Context(), func(ctx context.Context, t db.Tx) error {
			if _, err := t.NewRaw("UPDATE payments SET extended = extended WHERE id = ?", held.Number).Exec(ctx); err != nil {
				return err
			}
			w.dropOld(keepPolicy, muchLater)
			return nil
		}))
		w.counts("events of the locked payment", 2, "SELECT count(*) FROM events"+ofPayment(held))
		w.counts("events of the other one", 0, "SELECT count(*) FROM events"+ofPayment(free))
		w.dropOld(keepPolicy, muchLater)
		w.counts("events of the payment that was locked", 0, "SELECT count(*) FROM events"+ofPayment(held))
	})
}

// Audit entries, sessions and idempotency records go by their age; nothing else deletes or changes an audit entry.
func TestStore_DropBatch_ByAge(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		u := w.NewUser()
		for i := range 8 {
			at := storetest.Start
			if i >= 5 {
				at = muchLater
			}
			w.Must(w.DB().Write(t.Context(), func(ctx context.Context, t db.Tx) error {
				entry := audit.Entry{UserID: u.ID, At: at, Action: audit.ActionSignIn, Actor: u.Email}
				return t.Run(ctx, table.InsertEntry(entry))
			}))
			token, request := storetest.HashOf(strconv.Itoa(i)), storetest.HashOf("request")
			w.exec("INSERT INTO sessions (token, user_id, created_at, expires_at, used_at, user_agent) VALUES (?, ?, ?, ?, ?, '')",
				token[:], u.ID, db.At(at), db.At(at), db.At(at))
			w.exec("INSERT INTO password_resets (token, user_id, created_at, expires_at) VALUES (?, ?, ?, ?)",
				token[:], u.ID, db.At(at), db.At(at))
			w.exec(`INSERT INTO idempotency (key_id, key, scope, request, subject, holder, status, created_at, locked_until)
				VALUES (0, ?, '', ?, '', '', 0, ?, ?)`, strconv.Itoa(i), request[:], db.At(at), db.At(at))
		}
		before := w.Count("SELECT count(*) FROM audit_log")
		w.dropOld(keepPolicy, muchLater)
		w.counts("audit entries", before-5, "SELECT count(*) FROM audit_log")
		for _, name := range []string{"sessions", "password_resets", "idempotency"} {
			w.counts(name, 3, "SELECT count(*) FROM "+name)
		}
		for _, text := range []string{"DELETE FROM audit_log", "UPDATE audit_log SET detail = ''"} {
			if _, err := w.SQL().Exec(text); err == nil {
				t.Errorf("%s: done", text)
			}
		}
	})
}

// A reader of GET /events who has missed what was dropped is refused; one who has read it goes on, and no position is
// given twice.
func TestStore_DropBatch_Cursor(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(500, 0)
		read := func(after string) ([]payment.Event, string, error) {
			t.Helper()
			return w.PublicEvents(t.Context(), k.ID, after, 100)
		}
		for range 4 {
			w.cancelled(k, storetest.Start, "DELIVERED")
		}
		first, middle, err := w.PublicEvents(t.Context(), k.ID, "", 2)
		w.Must(err)
		storetest.Same(t, "events of the first page", len(first), 2)
		_, end, err := read(middle)
		w.Must(err)
		w.dropOld(keepPolicy, muchLater)

		if _, _, err := read(middle); !errors.Is(err, payment.ErrEventsDropped) {
			t.Errorf("after what was dropped: %v", err)
		}
		if list, next, err := read(end); err != nil || len(list) != 0 || next != end {
			t.Errorf("at the end: %d events, %q, %v", len(list), next, err)
		}
		if list, next, err := read(""); err != nil || len(list) != 0 || next != "" {
			t.Errorf("from the beginning: %d events, %q, %v", len(list), next, err)
		}
		fresh := w.cancelled(k, muchLater, "DELIVERED")
		list, next, err := read(end)
		if err != nil || len(list) != 1 || list[0].PaymentID != fresh.ID || next == end {
			t.Errorf("a new event: %v, %q, %v", list, next, err)
		}
		if _, _, err := read(middle); !errors.Is(err, payment.ErrEventsDropped) {
			t.Errorf("after what was dropped, with a new event: %v", err)
		}

		// Events that were never read are missed, too.
		unread := w.cancelled(k, muchLater, "DELIVERED")
		w.dropOld(keepPolicy, muchLater.Add(500*day))
		w.counts("the unread event", 0, "SELECT count(*) FROM feed"+ofPayment(unread))
		if _, _, err := read(next); !errors.Is(err, payment.ErrEventsDropped) {
			t.Errorf("after an unread event that was dropped: %v", err)
		}
		last := w.cancelled(k, muchLater.Add(500*day), "DELIVERED")
		if list, _, err := read(""); err != nil || len(list) != 1 || list[0].PaymentID != last.ID {
			t.Errorf("what is left: %v, %v", list, err)
		}
	})
}
