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

	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/rotation"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/store/table"
)

// keyBytes are the bytes of the key that storetest.Sealer has for the seed.
func keyBytes(seed byte) []byte {
	key := make([]byte, secret.KeyLen)
	key[0] = seed
	return key
}

// world is a database with a value in every sealed column.
type world struct {
	*storetest.World

	key       merchant.Key
	custodian merchant.Custodian
	passkey   identity.Passkey
	due       time.Time
}

func onEach(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	storetest.OnEach(t, func(t *testing.T, sw *storetest.World) {
		t.Helper()
		w := &world{World: sw, due: storetest.Start.Add(merchant.LockDelay)}
		w.fill(1)
		test(t, w)
	})
}

// fill stores n more values in every sealed column.
func (w *world) fill(n int) {
	w.T.Helper()
	ctx := w.T.Context()
	for range n {
		w.key = w.NewKey(1, 1)
		w.custodian = w.NewCustodian(w.key, "https://shop.example/hook")
		w.passkey = storetest.NewPasskey(w.key.UserID, string(storetest.NewID()))
		w.Must(w.AddPasskey(ctx, w.passkey, identity.Hash{}))
		w.Must(w.PutSecondFactor(ctx, identity.SecondFactor{
			UserID: w.key.UserID, Secret: secret.New("authenticator"), CreatedAt: storetest.Start,
		}))
		w.Must(w.AddWaiting(ctx, merchant.Waiting{
			ID: string(storetest.NewID()), MerchantID: w.key.UserID, KeyID: w.key.ID, Kind: merchant.WaitingCustodian,
			CreatedAt: storetest.Start, DueAt: w.due, Body: secret.New("input"),
		}, storetest.HashOf(w.passkey.ID)))
		w.answer("answered", "kept answer")
		_, _, err := w.IdempotencyBegin(ctx, idempotency.Try{ // its answer is NULL
			KeyID: w.key.ID, Key: "unanswered", Now: storetest.Start, LockedUntil: storetest.Start.Add(time.Hour),
		})
		w.Must(err)
	}
}

// answer keeps an answer as the operations seal it.
func (w *world) answer(key, text string) {
	w.T.Helper()
	_, _, err := w.IdempotencyBegin(w.T.Context(), idempotency.Try{
		KeyID: w.key.ID, Key: key, Now: storetest.Start, LockedUntil: storetest.Start.Add(time.Minute),
	})
	w.Must(err)
	sealed := storetest.Sealer(1).Seal(idempotency.AnswerPlace(w.key.ID, key), secret.New(text))
	w.Must(w.IdempotencyFinish(w.T.Context(), w.key.ID, key, idempotency.Answer{Status: 200, Body: []byte(sealed)},
		storetest.Start))
}

// with opens the database with other keys, as a program does.
func (w *world) with(s *secret.Sealer) (*store.Store, error) {
	w.T.Helper()
	other, err := store.Open(w.T.Context(), w.URL, s, store.Options{MaxConns: 2})
	w.Must(err)
	w.T.Cleanup(func() { _ = other.Close() })
	return other, other.Migrate(w.T.Context())
}

// program starts a program with the sealer: it follows changes of the key until the test ends, or stop is called.
func (w *world) program(s *secret.Sealer) (stop func() error) {
	w.T.Helper()
	st, err := w.with(s)
	w.Must(err)
	f, err := st.FollowSecretKey(string(storetest.NewID()), time.Now)
	w.Must(err)
	w.Must(f.Join(w.T.Context()))
	ctx, cancel := context.WithCancel(w.T.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}

// rotator returns the rotator of a command that has these keys in its environment.
func (w *world) rotator(newKey byte, has ...byte) *rotation.Rotator {
	w.T.Helper()
	s := storetest.Sealer(has[0])
	for _, k := range has[1:] {
		w.Must(s.Add(keyBytes(k)))
	}
	st, err := w.with(s)
	w.Must(err)
	r, err := st.ChangeSecretKey(keyBytes(newKey), time.Now)
	w.Must(err)
	return r
}

// stored returns every value of every column of the database whose text contains the part.
func (w *world) stored(part string) (found []string) {
	w.T.Helper()
	db := w.SQL()
	query := "SELECT m.name, p.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS p WHERE m.type = 'table'"
	if w.ManyWriters() {
		query = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
	}
	rows, err := db.QueryContext(w.T.Context(), query)
	w.Must(err)
	var columns [][2]string
	for rows.Next() {
		var c [2]string
		w.Must(rows.Scan(&c[0], &c[1]))
		columns = append(columns, c)
	}
	w.Must(errors.Join(rows.Err(), rows.Close()))
	if len(columns) < 100 {
		w.T.Fatalf("the database has %d columns", len(columns))
	}
	for _, c := range columns {
		// A bytea prints as hex.
		text := `CAST("` + c[1] + `" AS text)`
		if w.ManyWriters() {
			text = `"` + c[1] + `"::text`
		}
		values, err := db.QueryContext(w.T.Context(), `SELECT `+text+` FROM "`+c[0]+`" WHERE "`+c[1]+`" IS NOT NULL`)
		w.Must(err)
		for values.Next() {
			var value string
			w.Must(values.Scan(&value))
			if strings.Contains(value, part) || strings.Contains(value, fmt.Sprintf("%x", part)) {
				found = append(found, c[0]+"."+c[1])
			}
		}
		w.Must(errors.Join(values.Err(), values.Close()))
	}
	return found
}

// opens fails unless every sealed value is read with this sealer.
func (w *world) opens(what string, s *secret.Sealer) {
	w.T.Helper()
	ctx := w.T.Context()
	st, err := w.with(s)
	if err != nil {
		w.T.Fatalf("%s: %v", what, err)
	}
	c, err := st.Merchant().Custodian(ctx, w.key.ID)
	w.Must(err)
	storetest.Same(w.T, what+": custodian", c, w.custodian)
	f, _, err := st.Identity().SecondFactor(ctx, w.key.UserID)
	w.Must(err)
	storetest.Same(w.T, what+": authenticator", f.Secret.Reveal(), "authenticator")
	p, err := st.Identity().PasskeysOf(ctx, w.key.UserID)
	w.Must(err)
	storetest.Same(w.T, what+": passkeys", p, []identity.Passkey{w.passkey})
	due, err := st.Merchant().DueWaiting(ctx, w.due, 1000)
	w.Must(err)
	storetest.Same(w.T, what+": changes that wait", due[len(due)-1].Body.Reveal(), "input")
	_, a, err := st.IdempotencyBegin(ctx, idempotency.Try{
		KeyID: w.key.ID, Key: "answered", Now: storetest.Start, LockedUntil: storetest.Start.Add(time.Minute),
	})
	w.Must(err)
	text, err := s.Open(idempotency.AnswerPlace(w.key.ID, "answered"), string(a.Body))
	w.Must(err)
	storetest.Same(w.T, what+": answer", text.Reveal(), "kept answer")
}

// done fails unless the database has the new key, and nothing of the old one.
func (w *world) done(from, to byte) {
	w.T.Helper()
	if left := w.stored("sealed1." + storetest.Sealer(from).KeyID()); len(left) > 0 {
		w.T.Errorf("sealed with the old key: %v", left)
	}
	w.opens("the new key alone", storetest.Sealer(to))
	if _, err := w.with(storetest.Sealer(from)); !errors.Is(err, secret.ErrSealed) {
		w.T.Errorf("the old key alone: %v", err)
	}
	for _, offered := range w.stored(string(keyBytes(to))) {
		w.T.Errorf("the new key is stored in %s", offered)
	}
}

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

// TestRotator_Run_Interrupted: the command ends anywhere, and is repeated until it gets through. Between two runs, every
// program reads everything.
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
				f := identity.SecondFactor{UserID: w.key.UserID, Secret: secret.New("authenticator"), CreatedAt: storetest.Start}
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
		if err := f.Run(t.Context()); !errors.Is(err, secret.ErrSealed) {
			t.Errorf("it went on: %v", err)
		}
	})
}

// TestOffer_Bound: what one program is offered is of no use to another, nor to someone with the old key and the database.
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
