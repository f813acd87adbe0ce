package merchant_test

import (
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/storetest"
)

// A change that waits is found by its token, is due after its time, and ends once:
// made, stopped or failed.
func TestStore_Waiting(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, k, due := t.Context(), w.NewKey(0, 0), storetest.Start.Add(merchant.LockDelay)
		c := w.NewCustodian(k, "https://shop.example/hook")
		for range 2 {
			w.Must(w.Lock(ctx, k.UserID, storetest.Start, audit.Record{}))
		}
		on, err := w.Locked(ctx, k.UserID)
		w.Must(err)
		storetest.Same(t, "locked", on, true)
		add := func(kind merchant.WaitingKind, keyID int64, token byte) merchant.Waiting {
			x := merchant.Waiting{
				ID: string(storetest.NewID()), MerchantID: k.UserID, KeyID: keyID, Kind: kind, By: k.Email,
				Changes: []string{"POLYGON a → b"}, CreatedAt: storetest.Start, DueAt: due, Body: secret.New("{}"),
			}
			w.Must(w.AddWaiting(ctx, x, identity.Hash{token}, audit.Record{}))
			return x
		}
		wallets, unlock := add(merchant.WaitingCustodian, k.ID, 1), add(merchant.WaitingUnlock, 0, 2)
		storetest.WantError(t, "a second one of the key", w.AddWaiting(ctx, wallets, identity.Hash{3}, audit.Record{}),
			merchant.ErrChangeWaits)
		a, err := w.Account(ctx, merchant.By{Token: identity.Hash{1}})
		w.Must(err)
		shown := wallets
		shown.Token, shown.AuthorID, shown.NextAt = identity.Hash{1}, k.UserID, due
		shown.Body, shown.State = secret.Text{}, merchant.StateWaiting // pages show no input
		storetest.Same(t, "the first change of the account of the token", a.Waiting[0], shown)
		list, err := w.DueWaiting(ctx, due.Add(-time.Second), 9)
		w.Must(err)
		storetest.Same(t, "changes due too early", len(list), 0)
		change := func(c merchant.Custodian) (merchant.CustodianChange, error) {
			c.Wallets = map[chain.Network]chain.Address{chain.Base: "0x0000000000000000000000000000000000000001"}
			return merchant.CustodianChange{Custodian: c}, nil
		}
		apply := func(x merchant.Waiting, now time.Time) error {
			return w.ApplyWaiting(ctx, x, now, merchant.Custodian{}, change)
		}
		storetest.WantError(t, "before its time", apply(wallets, due.Add(-time.Second)), merchant.ErrNoChange)
		w.Must(apply(wallets, due))
		storetest.WantError(t, "made twice", apply(wallets, due), merchant.ErrNoChange)
		after, err := w.Custodian(ctx, k.ID)
		w.Must(err)
		if len(after.Wallets) != 1 || after.CallbackURL != c.CallbackURL {
			t.Errorf("the custodian is %+v", after)
		}
		err = w.EndWaiting(ctx, k.UserID+1, unlock.ID, merchant.StateStopped, due)
		storetest.WantError(t, "of another merchant", err, merchant.ErrNoChange)
		w.Must(apply(unlock, due))
		on, err = w.Locked(ctx, k.UserID)
		w.Must(err)
		storetest.Same(t, "locked", on, false)
		stopped, failed := add(merchant.WaitingUnlock, 0, 4), add(merchant.WaitingCustodian, k.ID, 5)
		w.Must(w.EndWaiting(ctx, k.UserID, stopped.ID, merchant.StateStopped, due))
		w.Must(w.EndWaiting(ctx, failed.MerchantID, failed.ID, merchant.StateFailed, due))
		storetest.WantError(t, "stopped", apply(stopped, due), merchant.ErrNoChange)
		storetest.WantError(t, "failed", apply(failed, due), merchant.ErrNoChange)
		left, err := w.WaitingOf(ctx, k.UserID)
		w.Must(err)
		storetest.Same(t, "changes left", len(left), 0)
	})
}

// A change whose input cannot be read holds up no other, and can still be seen and stopped.
func TestStore_Waiting_Unreadable(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, due := t.Context(), storetest.Start.Add(merchant.LockDelay)
		all := []merchant.Waiting{w.addWaiting(due), w.addWaiting(due.Add(time.Second))}
		w.tear(all[0])
		list, err := w.DueWaiting(ctx, due.Add(time.Minute), 9)
		w.Must(err)
		if len(list) != 2 || list[0].Unread == nil || !strings.Contains(list[0].Unread.Error(), all[0].ID) {
			t.Errorf("due are %+v", list)
		}
		storetest.Same(t, "changes that can be made", list[1:], all[1:])
		w.MustDo(w.UpdateAccount(ctx, all[0].MerchantID, 0, func(a merchant.Account) (merchant.Change, error) {
			return a.Postpone(all[0].ID, due.Add(time.Hour)), nil
		}))
		list, err = w.DueWaiting(ctx, due.Add(time.Minute), 9)
		w.Must(err)
		storetest.Same(t, "changes that are due", list, all[1:])
		shown, err := w.WaitingOf(ctx, all[0].MerchantID)
		w.Must(err)
		storetest.Same(t, "changes shown to the merchant", len(shown), 1)
		w.Must(w.EndWaiting(ctx, all[0].MerchantID, all[0].ID, merchant.StateStopped, due))
	})
}

// Rights, roles and removals that waited are made once, and never leave an account
// without an owner.
func TestApplyWaiting_Members(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, k, due := t.Context(), w.NewKey(0, 0), storetest.Start.Add(time.Hour)
		w.MustDo(w.CreateUser(ctx, identity.User{
			PublicID: string(storetest.NewID()), Email: "second@example.com", CreatedAt: storetest.Start,
		}, audit.Record{}))
		owners, err := w.Members(ctx, k.UserID)
		w.Must(err)
		token := byte(0)
		apply := func(kind merchant.WaitingKind, keyID int64, subject, body string) error {
			token++
			x := merchant.Waiting{
				ID: string(storetest.NewID()), MerchantID: k.UserID, KeyID: keyID, Kind: kind,
				Subject: subject, By: k.Email,
				Changes: []string{"a → b"}, CreatedAt: storetest.Start, DueAt: due, Body: secret.New(body),
			}
			w.Must(w.AddWaiting(ctx, x, identity.Hash{token}, audit.Record{}))
			nothing := func(merchant.Custodian) (merchant.CustodianChange, error) {
				return merchant.CustodianChange{},
					nil
			}
			err := w.ApplyWaiting(ctx, x, due, merchant.Custodian{}, nothing)
			if err != nil {
				w.Must(w.EndWaiting(ctx, x.MerchantID, x.ID, merchant.StateFailed, due))
			}
			return err
		}
		w.Must(apply(merchant.WaitingRights, k.ID, "", `{"Permissions":["create","read"],"Sources":"203.0.113.0/24"}`))
		keys, err := w.Keys(ctx, k.UserID)
		w.Must(err)
		if got := keys[0]; got.Permissions.String() != "create,read" || got.Sources != "203.0.113.0/24" {
			t.Errorf("the key may %s from %s", got.Permissions, got.Sources)
		}
		storetest.WantError(t, "rights of another's key", apply(merchant.WaitingRights, w.NewKey(0, 0).ID, "", `{}`), merchant.ErrUnknownKey)
		only := owners[0].User.PublicID
		storetest.WantError(t, "the last owner's role", apply(merchant.WaitingRole, 0, only, `{"Role":"viewer"}`),
			merchant.ErrLastOwner)
		storetest.WantError(t, "the last owner", apply(merchant.WaitingRemoval, 0, only, `{}`), merchant.ErrLastOwner)
		storetest.WantError(t, "an unknown member", apply(merchant.WaitingRemoval, 0, "nobody", `{}`),
			merchant.ErrUnknownMember)
		if left, err := w.Members(ctx, k.UserID); err != nil || len(left) != 1 || left[0].Role != merchant.RoleOwner {
			t.Errorf("the members are %+v, %v", left, err)
		}
	})
}
