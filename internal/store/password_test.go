package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
)

func TestStore_Security(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, u, other := t.Context(), w.user(), w.user()
		w.must(w.CreateSession(ctx, identity.Session{
			Token: hashOf("mine"), UserID: u.ID, CreatedAt: start,
			ExpiresAt: start.Add(time.Hour),
		}))
		w.must(w.CreateSession(ctx, identity.Session{
			Token: hashOf("theirs"), UserID: other.ID, CreatedAt: start,
			ExpiresAt: start.Add(time.Hour),
		}))
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
			_, err := w.CreateInvited(ctx, hashOf(token), identity.User{
				PublicID: string(newID()), Email: email,
				CreatedAt: start,
			})
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
			w.must(w.AddAudit(ctx, audit.Entry{
				UserID: u.ID, At: start, Actor: u.Email, Action: audit.ActionSignIn,
				Detail: fmt.Sprint(i, "\x00"),
			}))
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
