package rotation_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/rotation"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/store/table"
)

func TestRotator_Run(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.fill(120) // more than a page
		running := storetest.Sealer(1)
		stop := w.program(running)
		both := storetest.Sealer(2) // started with both keys, the new one first
		w.Must(both.Add(keyBytes(1)))
		stopBoth := w.program(both)
		storetest.Same(t, "key of a program with both, before the change", both.KeyID(), storetest.Sealer(1).KeyID())

		report, err := w.rotator(2, 1).Run(t.Context())
		w.Must(err)
		if !report.Changed || report.Resealed < 121*len(table.Sealed) || len(report.Unreadable) > 0 {
			t.Errorf("reported %+v", report)
		}
		for _, s := range []*secret.Sealer{running, both} {
			storetest.Same(t, "key of a running program", s.KeyID(), report.KeyID)
		}
		w.done(1, 2)
		w.opens("a program that began with the old key", running)
		again, err := w.rotator(2, 2, 1).Run(t.Context())
		w.Must(err)
		storetest.Same(t, "repeated", again, rotation.Report{KeyID: report.KeyID})
		w.Must(errors.Join(stop(), stopBoth()))
		storetest.Same(t, "programs that stopped", w.Count("SELECT count(*) FROM sealers"), 0)
	})
}

// TestRotator_Run_Interrupted: the command ends anywhere, and is repeated until it gets through. Between two runs,
// every program reads everything.
func TestRotator_Run_Interrupted(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.fill(3)
		running := storetest.Sealer(1)
		stop := w.program(running)
		runs := 0
		for ended := false; !ended; runs++ {
			ctx, cancel := context.WithCancel(t.Context())
			r, steps := w.rotator(2, 1, 2), 0
			r.Progress = func(rotation.Progress) {
				if steps++; steps > runs {
					cancel()
				}
			}
			_, err := r.Run(ctx)
			ended = err == nil
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			cancel()
			both := storetest.Sealer(1)
			w.Must(both.Add(keyBytes(2)))
			w.opens("a program with both keys", both)
		}
		if runs < 4 {
			t.Errorf("it was interrupted %d times only", runs-1)
		}
		w.Must(stop())
		w.done(1, 2)
	})
}

// TestRotator_Run_Written: values that are stored during the change are under the new key in the end.
func TestRotator_Run_Written(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		sealer := storetest.Sealer(1)
		stop := w.program(sealer)
		end := make(chan struct{})
		written := make(chan int, 1)
		users, err := w.with(sealer)
		w.Must(err)
		go func() {
			n := 0
			for ; ; n++ {
				select {
				case <-end:
					written <- n
					return
				default:
				}
				f := identity.SecondFactor{
					UserID: w.key.UserID, Secret: secret.New("authenticator"), CreatedAt: storetest.Start,
				}
				if err := users.Identity().PutSecondFactor(t.Context(), f); err != nil {
					t.Errorf("store a second factor: %v", err)
				}
				if _, _, err := users.Identity().SecondFactor(t.Context(), w.key.UserID); err != nil {
					t.Errorf("read it: %v", err)
				}
			}
		}()
		_, err = w.rotator(2, 1).Run(t.Context())
		close(end)
		if n := <-written; n == 0 {
			t.Error("nothing was written")
		}
		w.Must(errors.Join(err, stop()))
		w.done(1, 2)
	})
}

func TestRotator_Run_Refused(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		// switched stops a rotation once programs seal with the new key.
		switched := func(newKey byte, has ...byte) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r := w.rotator(newKey, has...)
			r.Progress = func(rotation.Progress) { cancel() }
			if _, err := r.Run(ctx); !errors.Is(err, context.Canceled) {
				t.Fatalf("not interrupted: %v", err)
			}
		}
		w.fill(1)
		switched(2, 1)
		for name, s := range map[string]*secret.Sealer{
			"with the old key alone": storetest.Sealer(1), "with the new key alone": storetest.Sealer(2),
			"with another key": storetest.Sealer(3),
		} {
			if _, err := w.with(s); !errors.Is(err, secret.ErrSealed) {
				t.Errorf("a program started %s: %v", name, err)
			}
		}
		third := storetest.Sealer(1)
		w.Must(errors.Join(third.Add(keyBytes(2)), third.Add(keyBytes(3))))
		st, err := w.with(third)
		w.Must(err)
		r, err := st.ChangeSecretKey(keyBytes(3), time.Now)
		w.Must(err)
		if _, err := r.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "finish that first") {
			t.Errorf("a change to a third key: %v", err)
		}
		_, err = w.rotator(2, 1, 2).Run(t.Context())
		w.Must(err)
		w.done(1, 2)
	})
}

// TestRotator_Run_Damaged: a value that no key opens stays as it is and holds up no other.
func TestRotator_Run_Damaged(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		damaged := w.key
		_, err := w.SQL().ExecContext(t.Context(), "UPDATE custodians SET secret = 'sealed1.00000000.AAAA'")
		w.Must(err)
		w.fill(1)
		report, err := w.rotator(2, 1).Run(t.Context())
		w.Must(err)
		want := "custodians.secret of " + damagedCustodian(w, damaged) + ": sealed with the key 00000000"
		storetest.Same(t, "unreadable", report.Unreadable, []string{want})
		w.done(1, 2)
	})
}

func damagedCustodian(w *world, k merchant.Key) (id string) {
	w.T.Helper()
	w.Must(w.SQL().QueryRowContext(w.T.Context(), fmt.Sprintf("SELECT public_id FROM custodians WHERE key_id = %d", k.ID)).Scan(&id))
	return id
}

// TestRotator_Run_Killed: a program that ended without a word is not waited for longer than it counts as running.
func TestRotator_Run_Killed(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.Must(join(w, storetest.Sealer(1), time.Now().Add(-time.Minute)))
		_, err := w.rotator(2, 1).Run(t.Context())
		w.Must(err)
		w.done(1, 2)
	})
}

// TestRotator_Run_Waits: while a program has not taken the new key, nothing is sealed with it.
func TestRotator_Run_Waits(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.Must(join(w, storetest.Sealer(1), time.Now().Add(time.Hour))) // it runs, and never looks
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r := w.rotator(2, 1)
		r.Progress = func(p rotation.Progress) {
			storetest.Same(t, "progress", p, rotation.Progress{Waiting: 1})
			cancel()
		}
		if _, err := r.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("it did not wait: %v", err)
		}
		w.opens("the old key alone", storetest.Sealer(1))
		for _, column := range w.stored("sealed1." + storetest.Sealer(2).KeyID()) {
			if column != "instance.next_check" {
				t.Errorf("sealed with the new key: %s", column)
			}
		}
	})
}

// join makes a program known that was last seen at the time.
func join(w *world, s *secret.Sealer, seen time.Time) error {
	w.T.Helper()
	f, err := rotation.NewFollower(w.DB(), s, string(storetest.NewID()), func() time.Time { return seen },
		slog.New(slog.DiscardHandler))
	w.Must(err)
	return f.Join(w.T.Context())
}

// TestFollower_Left: a program that missed a whole change ends, because it can no longer read what others store.
func TestFollower_Left(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		slept := time.Now().Add(-time.Hour)
		f, err := rotation.NewFollower(w.DB(), storetest.Sealer(1), "asleep", func() time.Time { return slept },
			slog.New(slog.DiscardHandler))
		w.Must(err)
		w.Must(f.Join(t.Context()))
		_, err = w.rotator(2, 1).Run(t.Context())
		w.Must(err)
		if err := f.RunOnce(t.Context()); !errors.Is(err, secret.ErrSealed) {
			t.Errorf("it went on: %v", err)
		}
	})
}

// TestOffer_Bound: what one program is offered is of no use to another, nor to someone with the old key and the
// database.
func TestOffer_Bound(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.Must(join(w, storetest.Sealer(1), time.Now().Add(time.Hour)))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r := w.rotator(2, 1)
		r.Progress = func(rotation.Progress) { cancel() }
		_, _ = r.Run(ctx) // interrupted
		var holder, offer string
		w.Must(w.SQL().QueryRowContext(t.Context(), "SELECT holder, offer FROM sealers").Scan(&holder, &offer))
		opened, err := storetest.Sealer(1).Open("sealers/"+holder+"/offer", offer)
		w.Must(err)
		if bytes.Contains([]byte(opened.Reveal()), keyBytes(2)) || !strings.Contains(opened.Reveal(), " sealed1.") {
			t.Error("the old key opens the new one")
		}
	})
}
