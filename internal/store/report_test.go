package store

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/webhook"
)

func (w *world) search(q report.Query) []payment.Payment {
	w.t.Helper()
	if q.Limit == 0 {
		q.Limit = report.MaxPage
	}
	if q.Now.IsZero() {
		q.Now = start.Add(time.Hour)
	}
	list, err := w.SearchPayments(w.t.Context(), q)
	w.must(err)
	return list
}

// Whatever the filter and the size of the page, the pages together are what the
// filter takes, the newest first, of all the keys and of no other.
func TestStore_SearchPayments_Filters(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		a, b, other := w.key(500, 500), w.key(500, 500), w.key(500, 500)
		mine := append(w.populate(a), w.populate(b)...)
		w.populate(other)
		keys := []int64{a.ID, b.ID}
		for i, q := range []report.Query{
			{},
			{Status: payment.Completed},
			{Network: chain.Polygon},
			{Status: payment.Started, Network: chain.Base},
			{Token: money.USDC},
			{Kind: payment.KindDonation},
			{From: start.Add(10 * time.Minute)},
			{Until: start.Add(10 * time.Minute)},
			{Min: 12_500_001},
			{Max: 12_499_999},
			{Min: 1, Max: 12_500_000, Status: payment.Cancelled},
		} {
			want := make(map[payment.ID]bool)
			for _, p := range mine {
				if queryTakes(q, p) {
					want[p.ID] = true
				}
			}
			q.Keys, q.Limit = keys, 3
			var got []payment.Payment
			for {
				page := w.search(q)
				got = append(got, page...)
				if len(page) < q.Limit {
					break
				}
				last := page[len(page)-1]
				q.After = report.Place{At: last.CreatedAt, Number: last.Number}
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
	case q.Status != "" && p.Status != q.Status, q.Network != "" && p.Choice.Network != q.Network, q.Token != "" && p.Choice.Token != q.Token,
		q.Kind != "" && p.Kind != q.Kind, p.CreatedAt.Before(q.From), !q.Until.IsZero() && !p.CreatedAt.Before(q.Until),
		p.Amount < q.Min, q.Max > 0 && p.Amount > q.Max:
		return false
	}
	return true
}

func TestStore_SearchPayments_Text(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.key(50, 50), w.key(50, 50)
		p := w.started(k)
		_, err := w.UpdatePayment(t.Context(), p.ID, observe(10, transfer(p, "0xab12", 12_500_000, 10)))
		w.must(err)
		p = w.read(p.ID)
		for what, text := range map[string]string{
			"txnid": string(p.ID), "reference": p.Reference, "hash": "0xAB12", "amount": "12.50", "dollars": "$12.5",
			"address": string(p.Routes[0].Address.Address), "spaces": "  " + string(p.ID) + " ",
		} {
			if list := w.search(report.Query{Keys: []int64{k.ID}, Text: text}); len(list) != 1 || list[0].ID != p.ID {
				t.Errorf("%s: found %d by %q", what, len(list), text)
			}
			if list := w.search(report.Query{Keys: []int64{other.ID}, Text: text}); len(list) != 0 {
				t.Errorf("%s: another merchant finds it", what)
			}
			if list := w.search(report.Query{Keys: []int64{k.ID}, Text: text, Status: payment.Expired}); len(list) != 0 {
				t.Errorf("%s: found against the filter", what)
			}
		}
		for _, text := range []string{"nothing", "' OR 1=1 --", "%", "\x00", "12.51"} {
			if list := w.search(report.Query{Keys: []int64{k.ID}, Text: text}); len(list) != 0 {
				t.Errorf("%q finds %d", text, len(list))
			}
		}
	})
}

func TestStore_Days(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.key(500, 500), w.key(500, 500)
		all := w.populate(k)
		w.populate(other)
		days, err := w.Days(t.Context(), []int64{k.ID}, start.Add(-time.Hour))
		w.must(err)
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
			if d.Volume != sums[d.Network] || !d.Day.Equal(start.Truncate(24*time.Hour)) {
				t.Errorf("%s: %s on %s, want %s", d.Network, d.Volume, d.Day, sums[d.Network])
			}
		}
		a, err := w.Activity(t.Context(), []int64{k.ID}, start.Add(-time.Hour))
		w.must(err)
		open := int64(0)
		for _, p := range all {
			if !p.Status.Final() {
				open++
			}
		}
		if a.Open != open || !a.Any || !a.Paid {
			t.Errorf("activity is %+v, open %d", a, open)
		}
	})
}

func TestStore_DeliveriesOfAKey(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.key(50, 50), w.key(50, 50)
		w.custodian(k, "https://shop.example/hook")
		w.custodian(other, "https://other.example/hook")
		p := w.payment(k)
		_, err := w.UpdatePayment(t.Context(), p.ID, func(p payment.Payment) (payment.Change, error) { return p.Cancel(start) })
		w.must(err)
		for _, d := range w.claim("a", start.Add(time.Hour), 3, 3) {
			w.settle("a", d, webhook.Failed, start, start)
		}
		list, err := w.Deliveries(t.Context(), report.DeliveryQuery{KeyID: k.ID, Limit: 3})
		w.must(err)
		if len(list) != 1 || list[0].TxnID != p.ID || list[0].State != webhook.Failed || list[0].Made != 1 {
			t.Fatalf("deliveries are %+v", list)
		}
		d, attempts, err := w.Delivery(t.Context(), []int64{k.ID}, list[0].ID)
		w.must(err)
		if d != list[0] || len(attempts) != 1 {
			t.Errorf("the delivery is %+v with %d attempts", d, len(attempts))
		}
		if _, _, err := w.Delivery(t.Context(), []int64{other.ID}, d.ID); err == nil {
			t.Error("another merchant sees it")
		}
		if err := w.Resend(t.Context(), []int64{other.ID}, d.ID, start); err == nil {
			t.Error("another merchant sends it again")
		}
		if n, err := w.ResendFailed(t.Context(), other.ID, start.Add(-time.Hour), start); err != nil || n != 0 {
			t.Errorf("another merchant sends %d again, %v", n, err)
		}
		if n, err := w.ResendFailed(t.Context(), k.ID, start.Add(time.Second), start); err != nil || n != 0 {
			t.Errorf("%d older ones were sent again, %v", n, err)
		}
		if n, err := w.ResendFailed(t.Context(), k.ID, start, start); err != nil || n != 1 {
			t.Errorf("%d were sent again, %v", n, err)
		}
		for _, d := range w.claim("b", start.Add(time.Hour), 3, 3) {
			w.settle("b", d, webhook.Delivered, start, start)
		}
		w.must(w.Resend(t.Context(), []int64{k.ID}, d.ID, start))
		d, attempts, err = w.Delivery(t.Context(), []int64{k.ID}, d.ID)
		w.must(err)
		if d.State != webhook.Waiting || len(attempts) != 2 {
			t.Errorf("after all it is %s with %d attempts", d.State, len(attempts))
		}
		failing := func(what string, want report.Failing) {
			t.Helper()
			got, err := w.FailedDeliveries(t.Context(), []int64{k.ID}, start.Add(-time.Hour))
			w.must(err)
			same(t, what, got, want)
		}
		failing("tried again", report.Failing{Waiting: 1})
		for _, d := range w.claim("c", start.Add(time.Hour), 3, 3) {
			w.settle("c", d, webhook.Failed, start, start)
		}
		failing("given up", report.Failing{GivenUp: 1})
		w.must(w.Resend(t.Context(), []int64{k.ID}, d.ID, start))
		for _, d := range w.claim("d", start.Add(time.Hour), 3, 3) {
			w.must(w.Settle(t.Context(), "d", webhook.Outcome{
				DeliveryID: d.ID, State: webhook.Delivered, Attempt: webhook.Attempt{At: start, URL: d.URL, Status: 204},
			}))
		}
		failing("arrived", report.Failing{})
		w.must(w.Resend(t.Context(), []int64{k.ID}, d.ID, start))
		failing("arrived, and sent once more", report.Failing{})
	})
}

func TestStore_Entries(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.key(10, 2)
		w.key(7, 0)
		for i := range 3 {
			_, err := w.Book(t.Context(), k.ID, []ledger.Entry{ledger.Spend(k.ID, ledger.Credit, ledger.ReasonStart, fmt.Sprint("start:", i), start)})
			w.must(err)
		}
		var got []int64
		for before := int64(0); ; {
			page, err := w.Entries(t.Context(), k.ID, before, 2)
			w.must(err)
			for _, e := range page {
				got = append(got, e.Count)
				before = e.ID
			}
			if len(page) < 2 {
				break
			}
		}
		same(t, "counts", got, []int64{-1, -1, -1, 2, 10})
	})
}

func TestStore_Security(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, u, other := t.Context(), w.user(), w.user()
		w.must(w.CreateSession(ctx, identity.Session{Token: hashOf("mine"), UserID: u.ID, CreatedAt: start, ExpiresAt: start.Add(time.Hour)}))
		w.must(w.CreateSession(ctx, identity.Session{Token: hashOf("theirs"), UserID: other.ID, CreatedAt: start, ExpiresAt: start.Add(time.Hour)}))
		logins, err := w.Logins(ctx, u.ID, start)
		w.must(err)
		if len(logins) != 1 || logins[0].Token != hashOf("mine") {
			t.Errorf("sessions are %v", logins)
		}
		wants(t, "an old hash", w.SetPassword(ctx, u.ID, "other", "next", start), identity.ErrBadPassword)
		w.must(w.AddReset(ctx, hashOf("stale"), u.ID, start, start.Add(time.Hour)))
		w.must(w.SetPassword(ctx, u.ID, "argon2id", "next", start))
		_, err = w.MembershipBySession(ctx, hashOf("mine"), start)
		wants(t, "a session after the password changed", err, identity.ErrBadSession)
		if _, err := w.MembershipBySession(ctx, hashOf("theirs"), start); err != nil {
			t.Errorf("another user was signed out: %v", err)
		}
		_, err = w.UseReset(ctx, hashOf("stale"), "x", start)
		wants(t, "a reset from before", err, identity.ErrBadReset)
		w.must(w.AddReset(ctx, hashOf("r"), u.ID, start, start.Add(time.Hour)))
		_, err = w.UseReset(ctx, hashOf("r"), "x", start.Add(2*time.Hour))
		wants(t, "a reset too late", err, identity.ErrBadReset)
		got, err := w.UseReset(ctx, hashOf("r"), "newest", start)
		w.must(err)
		if got.ID != u.ID || got.PasswordHash != "newest" {
			t.Errorf("the reset changed %+v", got)
		}
		_, err = w.UseReset(ctx, hashOf("r"), "x", start)
		wants(t, "a reset twice", err, identity.ErrBadReset)

		w.must(w.AddInvitation(ctx, hashOf("i"), "new@example.org", u.ID, start, start.Add(time.Hour)))
		join := func(token, email string) error {
			_, err := w.CreateInvited(ctx, hashOf(token), identity.User{PublicID: string(newID()), Email: email, CreatedAt: start})
			return err
		}
		wants(t, "another's invitation", join("i", "else@example.org"), identity.ErrBadInvitation)
		w.must(join("i", "new@example.org"))
		wants(t, "an invitation twice", join("i", "new@example.org"), identity.ErrBadInvitation)
		w.must(w.AddInvitation(ctx, hashOf("taken"), u.Email, u.ID, start, start.Add(time.Hour)))
		wants(t, "an invitation for somebody who has an account", join("taken", u.Email), identity.ErrEmailTaken)
		if n := w.count("SELECT count(*) FROM invitations WHERE used_at IS NULL"); n != 1 {
			t.Errorf("%d invitations are good after one that led to no account, want 1", n)
		}

		for i := range 3 {
			w.must(w.AddAudit(ctx, audit.Entry{UserID: u.ID, At: start, Actor: u.Email, Action: audit.ActionSignIn, Detail: fmt.Sprint(i, "\x00")}))
		}
		page, err := w.AuditLog(ctx, u.ID, u.ID, 0, 2)
		w.must(err)
		rest, err := w.AuditLog(ctx, u.ID, u.ID, page[1].ID, 2)
		w.must(err)
		if len(page) != 2 || len(rest) != 1 || rest[0].Action != audit.ActionSignIn {
			t.Errorf("audit log is %v, %v", page, rest)
		}
		if _, err := w.raw().Exec("DELETE FROM audit_log"); err == nil {
			t.Error("the audit log can be emptied")
		}
	})
}

func TestStore_SecondFactor(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, u := t.Context(), w.user()
		if _, ok, err := w.SecondFactor(ctx, u.ID); ok || err != nil {
			t.Errorf("a new user has a second factor, %v", err)
		}
		w.must(w.PutSecondFactor(ctx, identity.SecondFactor{UserID: u.ID, Secret: secret.New("FIRST"), CreatedAt: start}))
		w.must(w.PutSecondFactor(ctx, identity.SecondFactor{UserID: u.ID, Secret: secret.New("SECOND"), CreatedAt: start}))
		if n := w.count("SELECT count(*) FROM second_factors WHERE secret LIKE '%SECOND%'"); n != 0 {
			t.Error("the secret is stored as it is")
		}
		if ok, err := w.TakeStep(ctx, u.ID, 5); ok || err != nil {
			t.Errorf("a factor that is not in force took a code, %v", err)
		}
		replaced, second := identity.SecondFactor{UserID: u.ID, Secret: secret.New("FIRST")}, identity.SecondFactor{UserID: u.ID, Secret: secret.New("SECOND")}
		wants(t, "confirming one that was replaced", w.ConfirmSecondFactor(ctx, replaced, 5, nil, start), identity.ErrBadCode)
		w.must(w.ConfirmSecondFactor(ctx, second, 5, []identity.Hash{hashOf("a"), hashOf("b")}, start))
		wants(t, "confirming twice", w.ConfirmSecondFactor(ctx, second, 6, nil, start), identity.ErrHasFactor)
		wants(t, "replacing one in force", w.PutSecondFactor(ctx, identity.SecondFactor{UserID: u.ID, Secret: secret.New("X"), CreatedAt: start}), identity.ErrHasFactor)
		f, ok, err := w.SecondFactor(ctx, u.ID)
		w.must(err)
		if !ok || !f.InForce() || f.Secret.Reveal() != "SECOND" || f.LastStep != 5 {
			t.Errorf("the factor is %+v", f)
		}
		for step, want := range map[int64]bool{4: false, 5: false} {
			if ok, err := w.TakeStep(ctx, u.ID, step); ok != want || err != nil {
				t.Errorf("step %d is taken: %t, %v", step, ok, err)
			}
		}
		var taken atomic.Int64
		for _, err := range together(8, func(int) error {
			ok, err := w.TakeStep(ctx, u.ID, 6)
			if ok {
				taken.Add(1)
			}
			return err
		}) {
			w.must(err)
		}
		if taken.Load() != 1 {
			t.Errorf("one code was taken %d times", taken.Load())
		}
		if ok, err := w.TakeRecoveryCode(ctx, u.ID, hashOf("a"), start); !ok || err != nil {
			t.Errorf("a recovery code is not taken, %v", err)
		}
		if ok, err := w.TakeRecoveryCode(ctx, u.ID, hashOf("a"), start); ok || err != nil {
			t.Errorf("a recovery code is taken twice, %v", err)
		}
		if n, err := w.RecoveryCodesLeft(ctx, u.ID); n != 1 || err != nil {
			t.Errorf("%d recovery codes are left, %v", n, err)
		}
		w.must(w.RemoveSecondFactor(ctx, u.ID, hashOf("here"), start))
		if _, ok, _ := w.SecondFactor(ctx, u.ID); ok {
			t.Error("it is still there")
		}
	})
}

func TestStore_KeysOfTheirOwner(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, k, other := t.Context(), w.key(1, 0), w.key(1, 0)
		wants(t, "renaming another's", w.SetKeyLabel(ctx, other.UserID, k.ID, "mine now"), merchant.ErrUnknownKey)
		wants(t, "revoking another's", w.RevokeKey(ctx, other.UserID, k.ID, start), merchant.ErrUnknownKey)
		w.must(w.SetKeyLabel(ctx, k.UserID, k.ID, "Till 2"))
		w.must(w.TouchKeys(ctx, map[int64]time.Time{k.ID: start.Add(time.Hour)}))
		w.must(w.TouchKeys(ctx, map[int64]time.Time{k.ID: start, other.ID: start}))
		got, err := w.KeyByHash(ctx, k.Hash)
		w.must(err)
		if got.Label != "Till 2" || !got.LastUsedAt.Equal(start.Add(time.Hour)) {
			t.Errorf("the key is %q, last used %s", got.Label, got.LastUsedAt)
		}
		w.must(w.RevokeKey(ctx, k.UserID, k.ID, start))
		_, err = w.KeyByHash(ctx, k.Hash)
		wants(t, "a revoked key", err, merchant.ErrBadKey)
		keys, err := w.EveryKeyOfUser(ctx, k.UserID)
		w.must(err)
		if len(keys) != 1 || keys[0].RevokedAt.IsZero() {
			t.Errorf("all keys are %v", keys)
		}
	})
}

func TestStore_Operator(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.key(5, 0)
		w.payment(k)
		w.user()
		people, err := w.People(t.Context(), report.PeopleQuery{Before: 0, Limit: 1})
		w.must(err)
		rest, err := w.People(t.Context(), report.PeopleQuery{Before: people[0].ID, Limit: 5})
		w.must(err)
		if len(people) != 1 || people[0].Keys != 0 || len(rest) != 1 || rest[0].Keys != 1 || !rest[0].Payments {
			t.Errorf("people are %+v and %+v", people, rest)
		}
		w.custodian(k, "https://shop.example/hook")
		p := w.payment(k)
		_, err = w.UpdatePayment(t.Context(), p.ID, func(p payment.Payment) (payment.Change, error) { return p.Cancel(start) })
		w.must(err)
		st, err := w.Stuck(t.Context(), start.Add(time.Hour), money.USD)
		w.must(err)
		if st.Deliveries != 1 || !st.OldestDue.Equal(start) || st.Sweeps != 0 {
			t.Errorf("stuck is %+v", st)
		}
	})
}
