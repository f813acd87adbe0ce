package identity_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/store/storetest"
)

func newSignUp(token, email string, now time.Time) identity.Link {
	return identity.Link{
		Kind: identity.LinkSignUp, Token: storetest.HashOf(token), CreatedAt: now,
		User: identity.User{
			PublicID: string(storetest.NewID()), Email: email, PasswordHash: "hash", FirstName: "Ada", Language: "de",
		},
		ExpiresAt: storetest.Start.Add(time.Hour),
	}
}

func TestStore_SignUp(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, now := t.Context(), storetest.Start
		r := audit.Record{Entries: []audit.Entry{{At: now, Action: audit.ActionVerify}}}
		w.Run("OnceAtOnce", func(t *testing.T) {
			w.Must(w.AddLink(ctx, newSignUp("a", "ada@example.org", now), audit.Record{}))
			a, err := w.UserAccount(ctx, identity.By{Link: identity.LinkSignUp, Token: storetest.HashOf("a")})
			w.Must(err)
			if p := a.Link.User; p.Email != "ada@example.org" || p.PasswordHash != "hash" || p.Language != "de" {
				t.Errorf("stored: %+v", p)
			}
			var made atomic.Int64
			for _, err := range storetest.AtOnce(6, func(int) error {
				_, err := w.FinishSignUp(ctx, storetest.HashOf("a"), now, r)
				if err == nil {
					made.Add(1)
					return nil
				}
				return nil
			}) {
				w.Must(err)
			}
			u, err := w.UserByEmail(ctx, "ada@example.org")
			w.Must(err)
			if made.Load() != 1 || !u.VerifiedAt.Equal(now) || u.FirstName != "Ada" || u.Language != "de" {
				t.Errorf("made %d times: %+v", made.Load(), u)
			}
			log, err := w.AuditLog(ctx, u.ID, u.ID, 0, 10)
			w.Must(err)
			if len(log) != 1 || log[0].Actor != u.Email {
				t.Errorf("the audit log is %+v", log)
			}
		})
		w.Run("Expired", func(t *testing.T) {
			w.Must(w.AddLink(ctx, newSignUp("b", "bob@example.org", now), audit.Record{}))
			later := now.Add(time.Hour)
			_, err := w.FinishSignUp(ctx, storetest.HashOf("b"), later, audit.Record{})
			storetest.WantError(t, "finishing it", err, identity.ErrBadVerification)
			w.Must(w.AddLink(ctx, newSignUp("c", "cy@example.org", later), audit.Record{}))
			if n := w.Count("SELECT count(*) FROM sign_ups"); n != 1 {
				t.Errorf("%d sign-ups are kept", n)
			}
		})
		w.Run("TakenMeanwhile", func(t *testing.T) {
			u := w.NewUser()
			w.Must(w.AddLink(ctx, newSignUp("d", u.Email, now), audit.Record{}))
			_, err := w.FinishSignUp(ctx, storetest.HashOf("d"), now, audit.Record{})
			storetest.WantError(t, "finishing it", err, identity.ErrEmailTaken)
		})
		w.Run("Existing", func(t *testing.T) {
			u := w.NewUser()
			w.Must(
				w.AddLink(ctx, identity.Link{
					Kind: identity.LinkSignUp, Token: storetest.HashOf("e"), User: u, CreatedAt: now,
					ExpiresAt: now.Add(time.Hour),
				}, audit.Record{}),
			)
			w.Must(w.SetPassword(ctx, u.ID, u.PasswordHash, "changed", now, audit.Record{}))
			a, err := w.UserAccount(ctx, identity.By{Link: identity.LinkSignUp, Token: storetest.HashOf("e")})
			w.Must(err)
			if p := a.Link.User; p.PasswordHash != "changed" || p.ID != u.ID {
				t.Errorf("the sign-up of a user who exists is %+v", p)
			}
			got, err := w.FinishSignUp(ctx, storetest.HashOf("e"), now, r)
			w.Must(err)
			if got.ID != u.ID || got.VerifiedAt.IsZero() || got.PasswordHash != "changed" {
				t.Errorf("verified: %+v", got)
			}
		})
	})
}
