package merchant_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/storetest"
)

// addWaiting stores a change of the wallets of a new key.
func (w *world) addWaiting(due time.Time) merchant.Waiting {
	w.T.Helper()
	k, id := w.NewKey(0, 0), string(storetest.NewID())
	w.NewCustodian(k, "https://shop.example/hook")
	x := merchant.Waiting{
		ID: id, MerchantID: k.UserID, KeyID: k.ID, Kind: merchant.WaitingCustodian, By: k.Email,
		Changes: []string{"POLYGON a → b"}, CreatedAt: storetest.Start, DueAt: due, Body: secret.New("{}"),
	}
	w.Must(w.AddWaiting(w.T.Context(), x, identity.Hash(sha256.Sum256([]byte(id))), audit.Record{}))
	x.Token, x.AuthorID = sha256.Sum256([]byte(id)), k.UserID
	x.NextAt, x.State = due, merchant.StateWaiting
	return x
}

// tear makes the input of a change unreadable.
func (w *world) tear(x merchant.Waiting) {
	w.T.Helper()
	w.MustDo(w.SQL().Exec("UPDATE waiting_changes SET body = 'torn' WHERE public_id = $1", x.ID))
}

// failing is a store that cannot make some changes.
type failing struct {
	merchant.Store

	ids   map[string]bool
	tried int
}

var errDisk = errors.New("disk I/O error")

func (f *failing) UpdateAccount(
	ctx context.Context, id, keyID int64, decide func(merchant.Account) (merchant.Change, error),
) (merchant.Done, error) {
	return f.Store.UpdateAccount(ctx, id, keyID, func(a merchant.Account) (merchant.Change, error) {
		c, err := decide(a)
		for _, w := range c.Account.Waiting {
			if w.State == merchant.StateMade && f.ids[w.ID] {
				f.tried++
				return merchant.Change{}, errDisk
			}
		}
		return c, err
	})
}

// TestApplier_Starved: however many changes cannot be read or made, those that can are made, and the others are tried
// again later and later, by whichever instance leads, and count as stuck.
func TestApplier_Starved(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		const broken = 55 // more than are read at once
		ctx, now := t.Context(), storetest.Start.Add(merchant.LockDelay)
		store := &failing{Store: w.Merchant(), ids: make(map[string]bool)}
		first := w.addWaiting(now)
		store.ids[first.ID] = true
		for i := range broken {
			x := w.addWaiting(now)
			if store.ids[x.ID] = i%2 == 0; i%2 != 0 {
				w.tear(x)
			}
		}
		good := w.addWaiting(now.Add(time.Second))
		round := func() error { // as an instance that has just started
			s := merchant.New(store, nil, func() time.Time { return now }, merchant.Options{})
			return merchant.NewApplier(s, w.Store.Lease, "one", slog.New(slog.DiscardHandler)).RunOnce(ctx)
		}
		now = now.Add(time.Second)
		if err := round(); !errors.Is(err, errDisk) {
			t.Errorf("the first round: %v", err)
		}
		left, err := w.WaitingOf(ctx, good.MerchantID)
		w.Must(err)
		storetest.Same(t, "changes left of the merchant whose change can be made", len(left), 0)
		var gaps []time.Duration
		for last := now; len(gaps) < 8; now = now.Add(30 * time.Second) {
			before := store.tried
			_ = round()
			if store.tried > before {
				gaps, last = append(gaps, now.Sub(last)), now
			}
		}
		if !slices.IsSorted(gaps) || gaps[0] < time.Minute || gaps[7] != time.Hour {
			t.Errorf("tried again after %v", gaps)
		}
		stuck, err := w.Stuck(ctx, now, 0)
		w.Must(err)
		problems, err := w.Problems(ctx, now, 0)
		w.Must(err)
		if stuck.Changes != broken+1 || len(problems.Changes) == 0 || problems.Changes[0].Attempts < len(gaps) {
			t.Errorf("%d changes are stuck, the longest %+v", stuck.Changes, problems.Changes)
		}
		store.ids = nil
		now = now.Add(time.Hour)
		_ = round()
		if left, err := w.WaitingOf(ctx, first.MerchantID); err != nil || len(left) != 0 {
			t.Errorf("a change that can be made at last: %+v, %v", left, err)
		}
		made, err := w.AuditLog(ctx, good.MerchantID, good.MerchantID, 0, 9)
		w.Must(err)
		if slices.ContainsFunc(made, func(e audit.Entry) bool { return e.Action == audit.ActionChangeFailed }) {
			t.Errorf("the audit log has %+v", made)
		}
	})
}
