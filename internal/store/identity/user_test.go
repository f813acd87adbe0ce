package identity_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/storetest"
)

func TestStore_User(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		u := w.NewUser()
		if u.ID < 1 {
			t.Errorf("id is %d", u.ID)
		}
		read, err := w.UserByEmail(t.Context(), u.Email)
		w.Must(err)
		storetest.Same(t, "user", read, u)
		twin := u
		twin.PublicID = string(storetest.NewID())
		_, err = w.CreateUser(t.Context(), twin, audit.Record{})
		storetest.WantError(t, "the same e-mail", err, identity.ErrEmailTaken)
		for _, email := range []string{"", "nobody@example.org", "' OR ''='", "\x00"} {
			_, err = w.UserByEmail(t.Context(), email)
			storetest.WantError(t, "unknown e-mail", err, identity.ErrUnknownUser)
		}
		twin.Email, twin.FirstName = "other@example.org", "\x00"
		_, err = w.CreateUser(t.Context(), twin, audit.Record{})
		storetest.WantInvalid(t, "NUL", err)
	})
}

func TestStore_User_OneEmailAtOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		made := 0
		for _, err := range storetest.AtOnce(20, func(int) error {
			_, err := w.CreateUser(t.Context(), identity.User{
				PublicID: string(storetest.NewID()), Email: "one@example.org",
				CreatedAt: storetest.Start,
			}, audit.Record{})
			return err
		}) {
			if err == nil {
				made++
			} else {
				storetest.WantError(t, "the same e-mail", err, identity.ErrEmailTaken)
			}
		}
		if made != 1 {
			t.Errorf("%d users with one e-mail", made)
		}
	})
}

func TestStore_Session(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		u := w.NewUser()
		n := identity.Session{
			Token: storetest.HashOf("token"), UserID: u.ID,
			CreatedAt: storetest.Start, ExpiresAt: storetest.Start.Add(time.Hour),
			UserAgent: "curl",
		}
		w.Must(w.CreateSession(t.Context(), n, audit.Record{}))
		read, err := w.MembershipBySession(t.Context(), n.Token, storetest.Start.Add(time.Hour-time.Microsecond))
		w.Must(err)
		storetest.Same(t, "seat", read, merchant.Membership{User: u, Merchant: u, Role: merchant.RoleOwner})
		_, err = w.MembershipBySession(t.Context(), n.Token, n.ExpiresAt)
		storetest.WantError(t, "expired", err, identity.ErrBadSession)
		_, err = w.MembershipBySession(t.Context(), storetest.HashOf("another"), storetest.Start)
		storetest.WantError(t, "unknown", err, identity.ErrBadSession)
		w.Must(w.RevokeSession(t.Context(), storetest.HashOf("another"), storetest.Start, audit.Record{}))
		for range 2 {
			w.Must(w.RevokeSession(t.Context(), n.Token, storetest.Start, audit.Record{}))
		}
		_, err = w.MembershipBySession(t.Context(), n.Token, storetest.Start)
		storetest.WantError(t, "revoked", err, identity.ErrBadSession)
	})
}
