package identity_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/storetest"
)

// A renewed session keeps its end and what waits for it; its old token is worthless, and
// of two renewals at once one wins.
func TestRenewSession(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, u, now := t.Context(), w.NewUser(), storetest.Start
		old, next := storetest.HashOf("old"), storetest.HashOf("next")
		n := identity.Session{
			Token: old, UserID: u.ID, CreatedAt: now, ExpiresAt: now.Add(time.Hour), UserAgent: "curl",
		}
		w.Must(w.CreateSession(ctx, n, audit.Record{}))
		other := n
		other.Token = storetest.HashOf("other")
		w.Must(w.CreateSession(ctx, other, audit.Record{}))
		w.Must(w.PutSecondFactor(ctx, identity.SecondFactor{
			UserID: u.ID, Secret: secret.New("JBSWY3DPEHPK3PXP"), Session: old, CreatedAt: now,
		}))
		w.Must(w.AddChallenge(ctx, identity.Challenge{
			Holder: old, Purpose: identity.PurposeConfirm, State: "{}", ExpiresAt: now.Add(time.Minute),
		}, now))
		expires, err := w.RenewSession(ctx, old, next, now)
		w.Must(err)
		storetest.Same(t, "end", expires, n.ExpiresAt)
		_, err = w.MembershipBySession(ctx, old, now)
		storetest.WantError(t, "the old token", err, identity.ErrBadSession)
		m, err := w.MembershipBySession(ctx, next, now)
		w.Must(err)
		storetest.Same(t, "user", m.User, u)
		storetest.Same(t, "time of the re-authentication", m.ConfirmedAt, now)
		m, err = w.MembershipBySession(ctx, other.Token, now)
		w.Must(err)
		storetest.Same(t, "that of another session", m.ConfirmedAt, time.Time{})
		f, _, err := w.SecondFactor(ctx, u.ID)
		w.Must(err)
		storetest.Same(t, "session of the authenticator", f.Session, next)
		w.MustDo(w.TakeChallenge(ctx, next, identity.PurposeConfirm))
		_, err = w.RenewSession(ctx, old, storetest.HashOf("late"), now)
		storetest.WantError(t, "a second renewal", err, identity.ErrBadSession)
		_, err = w.RenewSession(ctx, next, storetest.HashOf("late"), n.ExpiresAt)
		storetest.WantError(t, "a renewal after the end", err, identity.ErrBadSession)
		w.MustDo(w.UpdateUser(ctx, identity.By{ID: u.ID}, func(a identity.Account) (identity.Change, error) {
			return identity.Change{Account: a, Ends: identity.Ending{At: now, Keep: next}}, nil
		}))
		_, err = w.MembershipBySession(ctx, other.Token, now)
		storetest.WantError(t, "another session", err, identity.ErrBadSession)
		w.MustDo(w.MembershipBySession(ctx, next, now))
		w.Must(w.RevokeSession(ctx, next, now, audit.Record{}))
		_, err = w.RenewSession(ctx, next, storetest.HashOf("late"), now)
		storetest.WantError(t, "a renewal of a revoked session", err, identity.ErrBadSession)
	})
}
