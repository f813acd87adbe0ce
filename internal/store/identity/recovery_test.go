package identity_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/storetest"
)

// What an operator does for one user ends that user's sessions and links, removes what it says, and touches no other.
func TestStore_RecoverUser(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, lost, other := t.Context(), w.NewUser(), w.NewUser()
		for i, u := range []identity.User{lost, other} {
			name := string(rune('a' + i))
			f := identity.SecondFactor{UserID: u.ID, Secret: secret.New("SECRET"), CreatedAt: storetest.Start}
			w.Must(w.PutSecondFactor(ctx, f))
			w.Must(w.ConfirmSecondFactor(ctx, f, 5, []identity.Hash{storetest.HashOf("code " + name)}, storetest.Start,
				audit.Record{}))
			w.Must(w.AddPasskey(ctx, storetest.NewPasskey(u.ID, name), identity.Hash{}, audit.Record{}))
			w.Must(
				w.AddReset(ctx, storetest.HashOf("reset "+name), u.ID, storetest.Start, storetest.Start.Add(time.Hour),
					audit.Record{}),
			)
			w.Must(w.CreateSession(ctx, identity.Session{
				Token: storetest.HashOf("session " + name), UserID: u.ID, CreatedAt: storetest.Start,
				ExpiresAt: storetest.Start.Add(time.Hour),
			}, audit.Record{}))
		}
		limit := identity.Limit{Name: storetest.HashOf("guesses"), Burst: 1, Interval: time.Hour}
		w.MustDo(w.TakeAttempt(ctx, []identity.Limit{limit}, storetest.Start))
		entry := audit.Entry{UserID: lost.ID, At: storetest.Start, Actor: "operator", Action: audit.ActionResetFactors}
		w.Must(w.RecoverUser(ctx, lost.ID, identity.Recovery{
			PasswordHash: "next", Factors: true, Clear: []identity.Hash{limit.Name},
		}, storetest.Start, audit.Record{Entries: []audit.Entry{entry}}))
		for text, want := range map[string]int64{
			"SELECT count(*) FROM second_factors":                        1,
			"SELECT count(*) FROM recovery_codes":                        1,
			"SELECT count(*) FROM passkeys":                              1,
			"SELECT count(*) FROM throttles":                             0,
			"SELECT count(*) FROM sessions WHERE revoked_at IS NULL":     1,
			"SELECT count(*) FROM password_resets WHERE used_at IS NULL": 1,
			"SELECT count(*) FROM users WHERE password_hash = 'next'":    1,
			"SELECT count(*) FROM audit_log WHERE actor = 'operator'":    1,
		} {
			storetest.Same(t, text, w.Count(text), want)
		}
	})
}

func TestStore_SetOperator(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, u, other := t.Context(), w.NewUser(), w.NewUser()
		for _, step := range []struct{ operator, changed bool }{
			{true, true}, {true, false}, {false, true}, {false, false},
		} {
			changed, err := w.SetOperator(ctx, u.ID, step.operator, audit.Record{})
			w.Must(err)
			storetest.Same(t, "changed", changed, step.changed)
			got, err := w.UserByEmail(ctx, u.Email)
			w.Must(err)
			storetest.Same(t, "operator", got.Operator, step.operator)
		}
		got, err := w.UserByEmail(ctx, other.Email)
		w.Must(err)
		storetest.Same(t, "another user", got.Operator, false)
	})
}
