package merchant_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/storetest"
)

// TestStore_AuthorGone: a change that waits, and an invitation, end with what their author was: an enabled owner of
// the account, in a session of their own.
func TestStore_AuthorGone(t *testing.T) {
	t.Parallel()
	at := storetest.Start.Add(time.Hour)
	act := func(k merchant.Key) audit.Record {
		return audit.Act{Who: k.Email, At: at}.Record(k.UserID, audit.ActionTeamRole, "", "")
	}
	for name, end := range map[string]func(w *world, k merchant.Key, b identity.User) error{
		"Demoted": func(w *world, k merchant.Key, b identity.User) error {
			return w.SetRole(w.T.Context(), k.UserID, b.ID, merchant.RoleDeveloper, act(k))
		},
		"Removed": func(w *world, k merchant.Key, b identity.User) error {
			return w.RemoveMember(w.T.Context(), k.UserID, b.ID, act(k))
		},
		"Disabled": func(w *world, k merchant.Key, b identity.User) error {
			_, err := w.DisableUser(w.T.Context(), b.ID, at, act(k))
			return err
		},
		"SessionsEnded": func(w *world, k merchant.Key, b identity.User) error {
			return w.RecoverUser(w.T.Context(), b.ID, identity.Recovery{}, at, act(k))
		},
		"FactorsReset": func(w *world, k merchant.Key, b identity.User) error {
			return w.RecoverUser(w.T.Context(), b.ID, identity.Recovery{Factors: true}, at, act(k))
		},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, w *world) {
				ctx, k := t.Context(), w.NewKey(0, 0)
				b := w.NewUser()
				_, err := w.SQL().Exec(`INSERT INTO memberships (merchant_id, user_id, role, created_at, chosen_at)
					SELECT $1, $2, 'owner', created_at, chosen_at FROM memberships WHERE merchant_id = $1`, k.UserID, b.ID)
				w.Must(err)
				w.Must(w.AddWaiting(ctx, merchant.Waiting{
					ID: "W1", MerchantID: k.UserID, KeyID: k.ID, Kind: merchant.WaitingCustodian, By: b.Email,
					Changes: []string{"POLYGON a → b"}, CreatedAt: storetest.Start,
					DueAt: storetest.Start.Add(merchant.LockDelay), Body: secret.New("{}"),
				}, identity.Hash{1}, audit.Record{}))
				token := identity.Hash{2}
				w.Must(w.AddInvited(ctx, token, merchant.Invited{
					ID: "I1", MerchantID: k.UserID, Email: "thief@example.com", Role: merchant.RoleOwner, By: b.Email,
					CreatedAt: storetest.Start, ExpiresAt: storetest.Start.Add(identity.InvitationTTL),
				}, audit.Record{}))
				w.Must(end(w, k, b))
				left, err := w.WaitingOf(ctx, k.UserID)
				w.Must(err)
				storetest.Same(t, "changes that wait", len(left), 0)
				if n := w.Count("SELECT count(*) FROM mails WHERE subject = 'A change was stopped'"); n < 1 {
					t.Error("no owner is mailed")
				}
				a, err := w.Account(ctx, merchant.By{Token: token})
				w.Must(err)
				_, err = a.InvitedBy(token, at)
				if gone := name == "SessionsEnded" || name == "FactorsReset"; gone {
					w.Must(err) // who invited is an owner still
				} else {
					storetest.WantError(t, "the invitation", err, identity.ErrBadInvitation)
				}
			})
		})
	}
}

// TestApplyWaiting_AuthorGone: a change falls due for an owner only, whatever ended that they were one.
func TestApplyWaiting_AuthorGone(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		due := storetest.Start.Add(merchant.LockDelay)
		x := w.addWaiting(due)
		w.MustDo(w.SQL().Exec("UPDATE memberships SET role = 'viewer'"))
		err := w.ApplyWaiting(t.Context(), x, due, merchant.Custodian{},
			func(merchant.Custodian) (merchant.CustodianChange, error) { return merchant.CustodianChange{}, nil })
		storetest.WantError(t, "it", err, merchant.ErrAuthorGone)
	})
}
