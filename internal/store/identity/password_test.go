package identity_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/store/storetest"
)

func TestStore_SetPassword(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, u, other := t.Context(), w.NewUser(), w.NewUser()
		w.Must(w.CreateSession(ctx, identity.Session{
			Token: storetest.HashOf("mine"), UserID: u.ID, CreatedAt: storetest.Start,
			ExpiresAt: storetest.Start.Add(time.Hour),
		}, audit.Record{}))
		w.Must(w.CreateSession(ctx, identity.Session{
			Token: storetest.HashOf("theirs"), UserID: other.ID, CreatedAt: storetest.Start,
			ExpiresAt: storetest.Start.Add(time.Hour),
		}, audit.Record{}))
		logins, err := w.Logins(ctx, u.ID, storetest.Start)
		w.Must(err)
		if len(logins) != 1 || logins[0].Token != storetest.HashOf("mine") {
			t.Errorf("sessions are %v", logins)
		}
		storetest.WantError(
			t, "an old hash", w.SetPassword(ctx, u.ID, "other", "next", storetest.Start,
				audit.Record{}), identity.ErrBadPassword,
		)
		w.Must(w.AddReset(ctx, storetest.HashOf("stale"), u.ID, storetest.Start, storetest.Start.Add(time.Hour),
			audit.Record{}))
		w.Must(w.SetPassword(ctx, u.ID, "argon2id", "next", storetest.Start, audit.Record{}))
		_, err = w.MembershipBySession(ctx, storetest.HashOf("mine"), storetest.Start)
		storetest.WantError(t, "a session after the password changed", err, identity.ErrBadSession)
		if _, err := w.MembershipBySession(ctx, storetest.HashOf("theirs"), storetest.Start); err != nil {
			t.Errorf("another user was signed out: %v", err)
		}
		_, err = w.UseReset(ctx, storetest.HashOf("stale"), "x", true, storetest.Start, audit.Record{})
		storetest.WantError(t, "a reset from before", err, identity.ErrBadReset)
	})
}

func TestStore_UseReset(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, u := t.Context(), w.NewUser()
		w.Must(w.AddReset(ctx, storetest.HashOf("r"), u.ID, storetest.Start, storetest.Start.Add(time.Hour),
			audit.Record{}))
		_, err := w.UseReset(ctx, storetest.HashOf("r"), "x", true, storetest.Start.Add(2*time.Hour), audit.Record{})
		storetest.WantError(t, "a reset too late", err, identity.ErrBadReset)
		got, err := w.UseReset(ctx, storetest.HashOf("r"), "newest", true, storetest.Start, audit.Record{})
		w.Must(err)
		if got.User.ID != u.ID || got.User.PasswordHash != "newest" {
			t.Errorf("the reset changed %+v", got)
		}
		_, err = w.UseReset(ctx, storetest.HashOf("r"), "x", true, storetest.Start, audit.Record{})
		storetest.WantError(t, "a reset twice", err, identity.ErrBadReset)
	})
}

func TestStore_CreateInvited(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, u := t.Context(), w.NewUser()
		w.Must(
			w.AddInvitation(
				ctx, storetest.HashOf("i"), "new@example.org", u.ID, storetest.Start, storetest.Start.Add(time.Hour),
				audit.Record{},
			),
		)
		join := func(token, email string) error {
			_, err := w.CreateInvited(ctx, storetest.HashOf(token), identity.User{
				PublicID: string(storetest.NewID()), Email: email,
				CreatedAt: storetest.Start,
			}, audit.Record{})
			return err
		}
		storetest.WantError(t, "another's invitation", join("i", "else@example.org"), identity.ErrBadInvitation)
		w.Must(join("i", "new@example.org"))
		storetest.WantError(t, "an invitation twice", join("i", "new@example.org"), identity.ErrBadInvitation)
		w.Must(
			w.AddInvitation(
				ctx, storetest.HashOf("taken"), u.Email, u.ID, storetest.Start, storetest.Start.Add(time.Hour),
				audit.Record{},
			),
		)
		storetest.WantError(t, "an invitation of an address with an account", join("taken", u.Email),
			identity.ErrEmailTaken)
		if n := w.Count("SELECT count(*) FROM invitations WHERE used_at IS NULL"); n != 1 {
			t.Errorf("%d invitations are good after one that led to no account, want 1", n)
		}
	})
}

func TestStore_AuditLog(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, u := t.Context(), w.NewUser()
		for i := range 3 {
			w.Must(w.Record(ctx, audit.Record{Entries: []audit.Entry{{
				UserID: u.ID, At: storetest.Start, Actor: u.Email, Action: audit.ActionSignIn,
				Detail: fmt.Sprint(i, "\x00"),
			}}}))
		}
		page, err := w.AuditLog(ctx, u.ID, u.ID, 0, 2)
		w.Must(err)
		rest, err := w.AuditLog(ctx, u.ID, u.ID, page[1].ID, 2)
		w.Must(err)
		if len(page) != 2 || len(rest) != 1 || rest[0].Action != audit.ActionSignIn {
			t.Errorf("audit log is %v, %v", page, rest)
		}
		if _, err := w.SQL().Exec("DELETE FROM audit_log"); err == nil {
			t.Error("the audit log can be emptied")
		}
	})
}
