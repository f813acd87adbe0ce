package identity_test

import (
	"sync/atomic"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/storetest"
)

func TestStore_SecondFactor(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, u := t.Context(), w.NewUser()
		w.Run("None", func(t *testing.T) {
			if _, ok, err := w.SecondFactor(ctx, u.ID); ok || err != nil {
				t.Errorf("a new user has a second factor, %v", err)
			}
		})
		w.Run("Unconfirmed", func(t *testing.T) {
			w.Must(
				w.PutSecondFactor(
					ctx, identity.SecondFactor{UserID: u.ID, Secret: secret.New("FIRST"), CreatedAt: storetest.Start},
				),
			)
			w.Must(
				w.PutSecondFactor(
					ctx, identity.SecondFactor{UserID: u.ID, Secret: secret.New("SECOND"), CreatedAt: storetest.Start},
				),
			)
			if n := w.Count("SELECT count(*) FROM second_factors WHERE secret LIKE '%SECOND%'"); n != 0 {
				t.Error("the secret is stored as it is")
			}
			if ok, err := w.TakeStep(ctx, u.ID, 5); ok || err != nil {
				t.Errorf("a factor that is not in force took a code, %v", err)
			}
		})
		w.Run("Confirm", func(t *testing.T) {
			replaced, second := identity.SecondFactor{
				UserID: u.ID,
				Secret: secret.New("FIRST"),
			}, identity.SecondFactor{UserID: u.ID, Secret: secret.New("SECOND")}
			storetest.WantError(
				t, "confirming one that was replaced", w.ConfirmSecondFactor(ctx, replaced, 5, nil, storetest.Start,
					audit.Record{}),
				identity.ErrBadCode,
			)
			w.Must(
				w.ConfirmSecondFactor(
					ctx, second, 5, []identity.Hash{storetest.HashOf("a"), storetest.HashOf("b")}, storetest.Start,
					audit.Record{},
				),
			)
			storetest.WantError(
				t, "confirming twice",
				w.ConfirmSecondFactor(ctx, second, 6, nil, storetest.Start, audit.Record{}), identity.ErrHasFactor,
			)
			storetest.WantError(t, "replacing one in force", w.PutSecondFactor(ctx,
				identity.SecondFactor{UserID: u.ID, Secret: secret.New("X"), CreatedAt: storetest.Start}),
				identity.ErrHasFactor)
			f, ok, err := w.SecondFactor(ctx, u.ID)
			w.Must(err)
			if !ok || !f.InForce() || f.Secret.Reveal() != "SECOND" || f.LastStep != 5 {
				t.Errorf("the factor is %+v", f)
			}
		})
		w.Run("TakeStep", func(t *testing.T) {
			for step, want := range map[int64]bool{4: false, 5: false} {
				if ok, err := w.TakeStep(ctx, u.ID, step); ok != want || err != nil {
					t.Errorf("step %d is taken: %t, %v", step, ok, err)
				}
			}
			var taken atomic.Int64
			for _, err := range storetest.AtOnce(8, func(int) error {
				ok, err := w.TakeStep(ctx, u.ID, 6)
				if ok {
					taken.Add(1)
				}
				return err
			}) {
				w.Must(err)
			}
			if taken.Load() != 1 {
				t.Errorf("one code was taken %d times", taken.Load())
			}
		})
		w.Run("RecoveryCode", func(t *testing.T) {
			if ok, err := w.TakeRecoveryCode(ctx, u.ID, storetest.HashOf("a"), storetest.Start,
				audit.Record{}); !ok || err != nil {
				t.Errorf("a recovery code is not taken, %v", err)
			}
			if ok, err := w.TakeRecoveryCode(ctx, u.ID, storetest.HashOf("a"), storetest.Start,
				audit.Record{}); ok || err != nil {
				t.Errorf("a recovery code is taken twice, %v", err)
			}
			if a, err := w.UserAccount(ctx, identity.By{ID: u.ID}); a.CodesLeft() != 1 || err != nil {
				t.Errorf("%d recovery codes are left, %v", a.CodesLeft(), err)
			}
		})
		w.Run("Remove", func(t *testing.T) {
			w.Must(w.RemoveSecondFactor(ctx, u.ID, storetest.HashOf("here"), storetest.Start, audit.Record{}))
			if _, ok, _ := w.SecondFactor(ctx, u.ID); ok {
				t.Error("it is still there")
			}
		})
	})
}
