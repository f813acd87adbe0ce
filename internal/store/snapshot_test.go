package store_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/storetest"
)

// leaving calls the lists for a while as clients do that hang up at any moment.
func (w *world) leaving(keyID int64, clients int, last time.Duration) {
	var all sync.WaitGroup
	stop := time.Now().Add(last)
	for range clients {
		all.Go(func() {
			for time.Now().Before(stop) {
				ctx, cancel := context.WithCancel(w.T.Context())
				gone := time.AfterFunc(rand.N(120*time.Microsecond), cancel)
				// Whether they succeed is up to chance.
				_, _ = w.Payments(ctx, payment.Filter{KeyID: keyID, Limit: 10})
				_, _ = w.Custodian(ctx, keyID)
				gone.Stop()
				cancel()
			}
		})
	}
	all.Wait()
}

// Clients that hang up in the middle of a list leave nothing behind: lists go
// on working, and every reader sees what is written afterwards.
func TestStore_ClientsHangUp(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(0, 0)
		w.NewCustodian(k, "")
		p := w.NewPayment(k)
		w.leaving(k.ID, 8, time.Second)
		old, fresh := k.Hash, storetest.HashOf("replaced "+k.PublicID)
		w.ReplaceKey(k.ID, old, fresh)
		// Enough at once that every connection takes part.
		for _, err := range storetest.AtOnce(4*db.DefaultMaxConns, func(int) error {
			for range 10 {
				if err := w.seesKey(fresh, old); err != nil {
					return err
				}
				list, err := w.Payments(t.Context(), payment.Filter{KeyID: k.ID, Limit: 10})
				if err != nil || len(list) != 1 || list[0].ID != p.ID {
					return errors.Join(errors.New("the list is not that of the key"), err)
				}
				if _, err := w.Custodian(t.Context(), k.ID); err != nil {
					return err
				}
			}
			return nil
		}) {
			w.Must(err)
		}
	})
}

// seesKey fails unless the new key is known and the one it replaced is not.
func (w *world) seesKey(fresh, old [32]byte) error {
	known, err := w.KeyByHash(w.T.Context(), fresh)
	gone, err2 := w.KeyByHash(w.T.Context(), old)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if known.ID == 0 || gone.ID != 0 {
		return errors.New("a replaced key is still valid, or the new one is not")
	}
	return nil
}

// onOneConn is onEach with a single connection for reading, which a fault
// cannot hide from.
func onOneConn(t *testing.T, story func(t *testing.T, w *world)) {
	t.Helper()
	onEach(t, func(t *testing.T, w *world) {
		s, err := store.Open(t.Context(), w.URL, storetest.Sealer(1), store.Options{MaxConns: 1})
		w.Must(err)
		t.Cleanup(func() { w.Must(s.Close()) })
		story(t, newWorld(t, s, w.URL))
	})
}

// Whatever happens in a snapshot, the next caller sees the database of now.
func TestStore_SnapshotEnds(t *testing.T) {
	t.Parallel()
	const endedAlready = "has been ended"
	see := func(ctx context.Context, t db.Tx) error {
		return t.Run(ctx, db.Query(func(scan db.Scan) error { return scan(new(int64)) }, "SELECT count(*) FROM users"))
	}
	for name, fn := range map[string]func(context.Context, db.Tx) error{
		"fails":  func(context.Context, db.Tx) error { return db.ErrLost },
		"panics": func(context.Context, db.Tx) error { panic("a fault") },
		endedAlready: func(ctx context.Context, t db.Tx) error {
			return t.Run(ctx, db.Exec("COMMIT"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onOneConn(t, func(t *testing.T, w *world) {
				k := w.NewKey(0, 0)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				failed := db.Guard(func() error {
					return w.Store.Engine().Snapshot(ctx, func(ctx context.Context, t db.Tx) error {
						return errors.Join(see(ctx, t), fn(ctx, t))
					})
				})
				if name != "panics" {
					db.Repanic(failed)
				}
				if failed == nil && name != endedAlready { // PostgreSQL does not mind
					t.Fatal("the snapshot did not fail")
				}
				fresh := storetest.HashOf("replaced " + k.PublicID)
				w.ReplaceKey(k.ID, k.Hash, fresh)
				w.Must(w.seesKey(fresh, k.Hash))
				w.Must(w.Store.Engine().Snapshot(ctx, see))
			})
		})
	}
}
