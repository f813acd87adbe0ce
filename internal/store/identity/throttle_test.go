package identity_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/store/storetest"
)

func limit(name string, burst int) identity.Limit {
	return identity.Limit{Name: storetest.HashOf(name), Burst: burst, Interval: time.Minute}
}

// Attempts that come at once, in whatever order they name their limits, pass no
// limit together.
func TestStore_TakeAttempt_AtOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		var passed atomic.Int64
		a, b := limit("a", 5), limit("b", 100)
		for _, err := range storetest.AtOnce(16, func(i int) error {
			limits := []identity.Limit{a, b}
			if i%2 == 0 {
				limits = []identity.Limit{b, a}
			}
			wait, err := w.TakeAttempt(t.Context(), limits, storetest.Start)
			if wait == 0 && err == nil {
				passed.Add(1)
			}
			return err
		}) {
			w.Must(err)
		}
		if passed.Load() != 5 {
			t.Errorf("%d attempts pass a limit of 5", passed.Load())
		}
		wait, err := w.AttemptWait(t.Context(), []identity.Limit{a}, storetest.Start)
		w.Must(err)
		if wait != time.Minute {
			t.Errorf("the wait is %s, want a minute", wait)
		}
	})
}

func TestStore_ReturnAttempt(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, a, b := t.Context(), limit("a", 2), limit("b", 2)
		both := []identity.Limit{a, b}
		take := func(want bool, limits ...identity.Limit) {
			t.Helper()
			wait, err := w.TakeAttempt(ctx, limits, storetest.Start)
			w.Must(err)
			if (wait == 0) != want {
				t.Fatalf("the wait is %s", wait)
			}
		}
		take(true, both...)
		take(true, both...)
		take(false, both...)
		w.Must(w.ReturnAttempt(ctx, both))
		take(true, both...)
		w.Must(w.ReturnAttempt(ctx, both, a.Name))
		take(true, a)
		take(true, a)
		take(false, a)
		take(true, b)
		take(false, b)
		w.Must(w.PruneAttempts(ctx, storetest.Start.Add(time.Minute)))
		take(false, a)
		w.Must(w.PruneAttempts(ctx, storetest.Start.Add(time.Hour)))
		if n := w.Count("SELECT count(*) FROM throttles"); n != 0 {
			t.Errorf("%d counts without effect are kept", n)
		}
	})
}

func TestStore_FailSignIn(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, u := t.Context(), w.NewUser()
		entry := audit.Entry{
			At: storetest.Start, Actor: u.Email, Action: audit.ActionSignInFailed, Address: "192.0.2.1",
		}
		w.Must(w.FailSignIn(ctx, u.Email, storetest.HashOf("a"), entry))
		w.Must(w.FailSignIn(ctx, "nobody@example.org", storetest.HashOf("a"), entry))
		log, err := w.AuditLog(ctx, u.ID, u.ID, 0, 10)
		w.Must(err)
		if n := w.Count("SELECT count(*) FROM audit_log"); n != 1 || len(log) != 1 || log[0].Address != "192.0.2.1" {
			t.Errorf("%d entries: %+v", n, log)
		}
	})
}
