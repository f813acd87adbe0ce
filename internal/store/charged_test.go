package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/webhook"
)

// A read that fails is not charged: when the read fails after the debit, the
// debit is undone with it, and the same entries can be booked once it works.
func TestStore_ChargedReadFails(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(5, 0)
		p := w.NewPayment(k)
		entries := func(ref string) []ledger.Entry {
			return []ledger.Entry{ledger.Spend(k.ID, ledger.Credit, ledger.ReasonOperation, ref, storetest.Start)}
		}
		reads := map[string]func() error{
			"list": func() error {
				list, _, _, err := w.ChargedPayments(
					t.Context(), payment.Filter{KeyID: k.ID, Limit: 10}, entries("list"),
				)
				if err == nil && len(list) != 1 {
					return errors.New("the payment is not in the list")
				}
				return err
			},
			"one": func() error {
				return errorOf(w.ChargedPayment(t.Context(), k.ID, p.ID, entries("one")))
			},
		}
		left := func() int64 {
			b, err := w.Balance(t.Context(), k.ID)
			w.Must(err)
			return b.Credits
		}
		raw := w.SQL()
		for name, read := range reads {
			before := left()
			w.MustDo(raw.ExecContext(t.Context(), "ALTER TABLE deposits RENAME TO deposits_away"))
			if err := read(); err == nil || fault.Of(err) != nil {
				t.Errorf("%s without its table: %v, want a failure of ours", name, err)
			}
			w.MustDo(raw.ExecContext(t.Context(), "ALTER TABLE deposits_away RENAME TO deposits"))
			if after := left(); after != before {
				t.Errorf("%s failed, and left %d of %d credits", name, after, before)
			}
			w.Must(read())
			if after := left(); after != before-1 {
				t.Errorf("%s succeeded, and left %d of %d credits", name, after, before)
			}
			w.CheckLedger()
		}
	})
}

// TestStore_LookForOthers: what a dead instance holds is due when its presence has ended, and what a running one holds
// stays held.
func TestStore_LookForOthers(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		now := storetest.Start
		for _, holder := range []string{"dead", "runs"} {
			w.Must(w.Join(t.Context(), holder, now))
		}
		k := w.receiver("https://shop.example/hook")
		w.end(k)
		of := map[string]webhook.Delivery{"dead": w.claim("dead", now, 1, 9)[0]}
		w.end(k)
		of["runs"] = w.claim("runs", now, 1, 9)[0]
		early, late := now.Add(webhook.PresentFor-time.Second), now.Add(webhook.PresentFor)
		w.Must(w.LookForOthers(t.Context(), "other", early))
		if list := w.claim("other", early, 9, 9); len(list) != 0 {
			t.Errorf("claimed while its holder counts as running: %+v", list)
		}
		w.Must(w.Join(t.Context(), "runs", early))
		w.Must(w.LookForOthers(t.Context(), "other", late))
		storetest.Same(t, "due after the instance has died", eventIDs(w.claim("other", late, 9, 9)),
			[]string{of["dead"].EventID})
	})
}

// TestStore_HeldLately: what was claimed a while ago does not count against the receiver's other events.
func TestStore_HeldLately(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		now, k := storetest.Start, w.receiver("https://shop.example/hook")
		w.end(k)
		w.claim("dead", now, 1, 9)
		w.end(k)
		for after, held := range map[time.Duration]int{0: 1, 2 * time.Second: 0} {
			due, err := w.DueReceivers(t.Context(), now.Add(after))
			w.Must(err)
			if len(due) != 1 || due[0].Held != held {
				t.Errorf("after %s the receivers are %+v, want %d held", after, due, held)
			}
		}
	})
}

// TestStore_SingleServer: a server that is alone answers polls from memory; once another one has joined, and waited, it
// does not.
func TestStore_SingleServer(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.NewStarted(w.NewKey(100, 0))
		poll := func() payment.Payment {
			p, err := w.RecentPayment(t.Context(), p.ID)
			w.Must(err)
			return p
		}
		now := storetest.Start
		look := func() { w.Must(w.LookForOthers(t.Context(), "one", now)) }
		ctx, stop := context.WithCancel(t.Context())
		looking := make(chan struct{})
		go func() {
			defer close(looking)
			for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
				_ = w.LookForOthers(ctx, "one", now)
			}
		}()
		look()
		w.pollsFromMemory(p.Description, poll)
		if !w.ManyWriters() {
			stop()
			return // nobody can join
		}
		for _, holder := range []string{"one", "two"} {
			w.Must(w.Join(t.Context(), holder, now))
		}
		began := time.Now()
		w.Must(w.Meet(t.Context(), "two", now))
		if time.Since(began) < time.Second {
			t.Error("one that joins does not wait for the other")
		}
		w.pollsAnew(poll)
		stop()
		<-looking
	})
}
