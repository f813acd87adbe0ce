package store_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/store/storetest"
)

func TestStore_Disable(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, k := t.Context(), w.NewKey(5, 5)
		w.NewCustodian(k, "https://shop.example/hook")
		p, token := w.NewStarted(k), storetest.HashOf("session")
		w.Must(w.CreateSession(ctx, identity.Session{
			Token: token, UserID: k.UserID, CreatedAt: storetest.Start,
			ExpiresAt: storetest.Start.Add(time.Hour),
		}, audit.Record{}))
		closed := func(name string, want bool) {
			t.Helper()
			found, err := w.KeyByHash(ctx, k.Hash)
			w.Must(err)
			storetest.Same(t, name+": key", found.ID == 0, want)
			c, err := w.Custodian(ctx, k.ID)
			w.Must(err)
			if c.Closed != want {
				t.Errorf("%s: closed is %v", name, c.Closed)
			}
		}
		change := func(name string, f func() (bool, error), want bool) {
			t.Helper()
			changed, err := f()
			w.Must(err)
			if changed != want {
				t.Errorf("%s: changed is %v", name, changed)
			}
		}
		user := func(when time.Time) func() (bool, error) {
			return func() (bool, error) { return w.DisableUser(ctx, k.UserID, when, audit.Record{}) }
		}
		key := func(when time.Time) func() (bool, error) {
			return func() (bool, error) { return w.DisableKey(ctx, k.ID, when, audit.Record{}) }
		}
		closed("at first", false)
		change("enable what is not disabled", user(time.Time{}), false)
		change("disable", user(storetest.Start), true)
		change("disable again", user(storetest.Start), false)
		closed("user disabled", true)
		_, err := w.MembershipBySession(ctx, token, storetest.Start)
		storetest.WantError(t, "session of a disabled user", err, identity.ErrBadSession)
		p = w.Stored(p.ID)
		done, err := w.UpdatePayment(ctx, p.ID, storetest.Observe(20, storetest.Transfer(p, "0xaa", p.Amount, 10)))
		w.Must(err)
		storetest.Same(t, "a started payment", done.Status, payment.Completed)
		change("enable", user(time.Time{}), true)
		closed("user enabled", false)
		_, err = w.MembershipBySession(ctx, token, storetest.Start)
		storetest.WantError(t, "a session that was ended", err, identity.ErrBadSession)
		change("disable the key", key(storetest.Start), true)
		closed("key disabled", true)
		change("enable the key", key(time.Time{}), true)
		closed("key enabled", false)
	})
}

func TestStore_FindPeople(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, a, b := t.Context(), w.NewKey(1, 1), w.NewKey(1, 1)
		w.Must(w.ChangeKey(ctx, b.UserID, b.ID, audit.Record{}, func(k *merchant.Key) { k.Label = "Web Shop 7_%" }))
		for text, want := range map[string]int64{
			a.Email: a.UserID, a.Email[:len(a.Email)-4]: a.UserID, a.UserPublic: a.UserID, a.PublicID: a.UserID,
			"web SHOP": b.UserID, "web shop 7_%": b.UserID,
		} {
			list, err := w.Users(ctx, report.UserQuery{Text: text, Limit: 3})
			w.Must(err)
			if len(list) != 1 || list[0].ID != want || list[0].Keys != 1 {
				t.Errorf("%q finds %+v", text, list)
			}
		}
		for _, text := range []string{"shop.example.org", "%", "_", "\x00", "\xff", "’ OR 1=1"} {
			list, err := w.Users(ctx, report.UserQuery{Text: text, Limit: 3})
			w.Must(err)
			if len(list) != 0 {
				t.Errorf("%q finds %+v", text, list)
			}
		}
		_, err := w.User(ctx, "nobody")
		storetest.WantError(t, "nobody", err, identity.ErrUnknownUser)
		one, err := w.User(ctx, a.UserPublic)
		w.Must(err)
		storetest.Same(t, "email", one.Email, a.Email)
	})
}

func TestStore_Problems(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, k := t.Context(), w.NewKey(5, 5)
		w.NewCustodian(k, "https://shop.example/hook")
		p := w.NewStarted(k)
		p, err := w.UpdatePayment(ctx, p.ID, storetest.Observe(20, storetest.Transfer(p, "0xaa", p.Amount, 10)))
		w.Must(err)
		calm, err := w.Problems(ctx, storetest.Start, 1)
		w.Must(err)
		if len(calm.Deliveries)+len(calm.Sweeps)+len(calm.Deposits)+len(calm.Reorged) > 0 {
			t.Errorf("problems at once: %+v", calm)
		}
		late, err := w.Problems(ctx, storetest.Start.Add(48*time.Hour), 1)
		w.Must(err)
		if len(late.Deliveries) != 1 || late.Deliveries[0].TxnID != p.ID || late.Deliveries[0].Email != k.Email {
			t.Errorf("late webhooks: %+v", late.Deliveries)
		}
		if len(late.Deposits) != 1 || late.Deposits[0].TxnID != p.ID || !late.Deposits[0].Chosen ||
			!late.Deposits[0].Counted {
			t.Errorf("left deposits: %+v", late.Deposits)
		}
		w.MustDo(w.SQL().ExecContext(ctx, "DELETE FROM routes"))
		w.MustDo(w.SQL().ExecContext(ctx, "UPDATE payments SET reorged = true"))
		now, err := w.Problems(ctx, storetest.Start, 1)
		w.Must(err)
		if len(now.Deposits) != 1 || now.Deposits[0].Chosen {
			t.Errorf("money on another network: %+v", now.Deposits)
		}
		if len(now.Reorged) != 1 || now.Reorged[0].TxnID != p.ID || now.Reorged[0].Amount != p.Amount {
			t.Errorf("reorged: %+v", now.Reorged)
		}
	})
}

func TestStore_LedgerCheck(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		_, ok, err := w.LedgerCheck(ctx)
		w.Must(err)
		if ok {
			t.Error("there is a check before anybody asked")
		}
		ask := func(name string, now time.Time, want bool) {
			t.Helper()
			asked, err := w.AskLedgerCheck(ctx, "root@shop.example", now, now.Add(-time.Minute), audit.Record{})
			w.Must(err)
			if asked != want {
				t.Errorf("%s: asked is %v", name, asked)
			}
		}
		ask("first", storetest.Start, true)
		ask("while one is under way", storetest.Start.Add(time.Second), false)
		ask("when it was given up", storetest.Start.Add(2*time.Minute), true)
		again := storetest.Start.Add(2 * time.Minute)
		// given up: too late
		w.Must(w.EndLedgerCheck(ctx, ledger.Check{AskedAt: storetest.Start, EndedAt: again, Entries: 9}))
		c, _, err := w.LedgerCheck(ctx)
		w.Must(err)
		if !c.EndedAt.IsZero() || c.AskedBy != "root@shop.example" {
			t.Errorf("the check is %+v", c)
		}
		w.Must(w.EndLedgerCheck(ctx, ledger.Check{
			AskedAt: again, EndedAt: again, Entries: 7, Found: 1,
			Differences: []string{"key 1"},
		}))
		c, _, err = w.LedgerCheck(ctx)
		w.Must(err)
		storetest.Same(t, "result", c, ledger.Check{
			AskedAt: again, AskedBy: "root@shop.example", EndedAt: again, Entries: 7,
			Found: 1, Differences: []string{"key 1"},
		})
		ask("when one has ended", again.Add(time.Second), true)
	})
}
