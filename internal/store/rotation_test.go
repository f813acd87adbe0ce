package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/store/table"
)

// TestRotate walks the four steps. At each of them every server that has both keys reads and writes everything.
func TestRotate(t *testing.T) {
	t.Parallel()
	onEachSealed(t, func(t *testing.T, w *rotationWorld) {
		w.fill(120) // more than a page
		oldID, newID := storetest.Sealer(1).KeyID(), storetest.Sealer(2).KeyID()
		first := sealer(t, 2, 1)
		w.opens("a server with both keys, before the change", first)
		storetest.Same(t, "its key", first.KeyID(), oldID)

		report := w.rotate(2, 1)
		all := report.Resealed >= 121*len(table.Sealed) && len(report.Unreadable) == 0
		if !report.Changed || report.KeyID != newID || !all {
			t.Errorf("reported %+v", report)
		}
		w.opens("a server that seals with the old key", sealer(t, 2, 1))
		running, err := w.with(sealer(t, 1, 2)) // as one that was started before the change
		w.Must(err)
		w.Must(storetest.People{Store: running.Identity()}.PutSecondFactor(t.Context(), identity.SecondFactor{
			UserID: w.key.UserID, Secret: secret.New("authenticator"), CreatedAt: storetest.Start,
		}))
		second := sealer(t, 2, 1)
		w.opens("a server that was restarted", second)
		storetest.Same(t, "its key", second.KeyID(), newID)

		again := w.rotate(2, 1)
		if again.Changed || len(again.Unreadable) > 0 {
			t.Errorf("repeated: %+v", again)
		}
		w.done(1, 2)
		storetest.Same(t, "once more", w.rotate(2, 1), store.Rotation{KeyID: newID})
	})
}

// TestRotate_Meanwhile: what a server sealed with the old key after the first run is resealed by the second.
func TestRotate_Meanwhile(t *testing.T) {
	t.Parallel()
	onEachSealed(t, func(t *testing.T, w *rotationWorld) {
		old := sealer(t, 1, 2)
		running, err := w.with(old)
		w.Must(err)
		w.rotate(2, 1)
		storetest.Same(t, "key of the server that runs", old.KeyID(), storetest.Sealer(1).KeyID())
		for _, text := range []string{"another", "authenticator"} { // the same one would keep its seal
			w.Must(storetest.People{Store: running.Identity()}.PutSecondFactor(t.Context(), identity.SecondFactor{
				UserID: w.key.UserID, Secret: secret.New(text), CreatedAt: storetest.Start,
			}))
		}
		storetest.Same(t, "resealed by the second run", w.rotate(2, 1).Resealed, 1)
		w.done(1, 2)
	})
}

// cutWrites is a database that is lost after some writes.
type cutWrites struct {
	db.Engine
	left int
}

var errLost = errors.New("the database is lost")

func (c *cutWrites) Write(ctx context.Context, fn func(context.Context, db.Tx) error) error {
	if c.left--; c.left < 0 {
		return errLost
	}
	return c.Engine.Write(ctx, fn)
}

// TestRotate_Interrupted: the command ends anywhere, and is repeated until it gets through. Between two runs a server
// with both keys reads everything.
func TestRotate_Interrupted(t *testing.T) {
	t.Parallel()
	onEachSealed(t, func(t *testing.T, w *rotationWorld) {
		w.fill(3)
		runs := 0
		for ended := false; !ended; runs++ {
			s := sealer(t, 2, 1)
			_, err := store.OnEngine(&cutWrites{w.DB(), 1 + runs%2}, s).
				ChangeSecretKey(t.Context(), s.KeyID(), storetest.Start)
			ended = err == nil
			if err != nil && !errors.Is(err, errLost) {
				t.Fatal(err)
			}
			w.opens("a server with both keys", sealer(t, 2, 1))
		}
		if runs < 4 {
			t.Errorf("it was interrupted %d times only", runs-1)
		}
		w.done(1, 2)
	})
}

// TestRotate_Refused: without the key of the database nothing is changed, and no server starts.
func TestRotate_Refused(t *testing.T) {
	t.Parallel()
	onEachSealed(t, func(t *testing.T, w *rotationWorld) {
		w.fill(1)
		s := sealer(t, 3, 2)
		_, err := store.OnEngine(w.DB(), s).ChangeSecretKey(t.Context(), s.KeyID(), storetest.Start)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "FLORIN_OLD_SECRET_KEY") {
			t.Errorf("with two other keys: %v", err)
		}
		if _, err := w.with(s); !errors.Is(err, secret.ErrSealed) {
			t.Errorf("a server started with two other keys: %v", err)
		}
		w.opens("the old key alone", storetest.Sealer(1))
	})
}

// TestRotate_Damaged: a value that no key opens stays as it is and holds up no other.
func TestRotate_Damaged(t *testing.T) {
	t.Parallel()
	onEachSealed(t, func(t *testing.T, w *rotationWorld) {
		damaged := w.key
		w.MustDo(w.SQL().ExecContext(t.Context(), "UPDATE custodians SET secret = 'sealed1.00000000.AAAA'"))
		w.fill(1)
		var id string
		query := fmt.Sprintf("SELECT public_id FROM custodians WHERE key_id = %d", damaged.ID)
		w.Must(w.SQL().QueryRowContext(t.Context(), query).Scan(&id))
		storetest.Same(t, "unreadable", w.rotate(2, 1).Unreadable,
			[]string{"custodians.secret of " + id + ": sealed with the key 00000000"})
		w.done(1, 2)
	})
}
