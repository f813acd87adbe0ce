package store_test

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"
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

// TestCopyFile_DuringMigration: a backup that is made while a newer version changes the schema holds the schema of
// before, whole; one that is made after it says that it is newer.
func TestCopyFile_DuringMigration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "florin.db")
	s := storetest.Open(t, "sqlite://"+path)
	testkit.Must(t, s.Migrate(t.Context()))
	newer, err := sql.Open("sqlite", path)
	testkit.Must(t, err)
	defer func() { testkit.Must(t, newer.Close()) }()
	newer.SetMaxOpenConns(1)
	migration, err := newer.BeginTx(t.Context(), nil)
	testkit.Must(t, err)
	const name = "20990101000000"
	for _, statement := range []string{
		"ALTER TABLE payments ADD COLUMN mood TEXT NOT NULL DEFAULT ''", "CREATE TABLE moods (id INTEGER PRIMARY KEY) STRICT",
		"INSERT INTO bun_migrations (name, group_id, migrated_at) VALUES ('" + name + "', 99, current_timestamp)",
	} {
		_, err := migration.ExecContext(t.Context(), statement)
		testkit.Must(t, err)
	}
	copied := func(file string) backup.Contents {
		t.Helper()
		to := filepath.Join(dir, file)
		testkit.Must(t, store.CopyFile(t.Context(), path, to))
		c, err := store.CheckFile(t.Context(), to)
		testkit.Must(t, err)
		return c
	}
	before := copied("before.db")
	if _, moods := before.Tables["moods"]; moods || slices.Contains(before.Schema, name) {
		t.Errorf("a copy made during the migration has %v and schema %v", before.Tables, before.Schema)
	}
	check := func(c backup.Contents) error {
		m := backup.Manifest{Format: backup.Format, Contents: c}.Sealed(storetest.Sealer(1))
		return m.Check(storetest.Sealer(1), store.KnownMigrations())
	}
	if err := check(before); err != nil {
		t.Errorf("it cannot be restored here: %v", err)
	}
	testkit.Must(t, migration.Commit())
	if err := check(copied("after.db")); !errors.Is(err, backup.ErrSchema) {
		t.Errorf("a copy made after the migration: %v", err)
	}
}

// TestStore_Inspect: an inspection neither writes nor locks. It goes on while another program holds the rows that a
// server locks at its start.
func TestStore_Inspect(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		other, err := w.SQL().BeginTx(t.Context(), nil)
		w.Must(err)
		defer func() { _ = other.Rollback() }()
		w.MustDo(other.ExecContext(t.Context(), "UPDATE instance SET key_check = key_check"))
		x, err := w.Inspect(t.Context())
		w.Must(errors.Join(err, x.Key))
		isolation := map[bool]string{true: "read committed", false: "serializable"}[w.ManyWriters()]
		if x.Server == "" || x.Version == "" || x.Isolation != isolation || x.Bytes < 1<<12 || len(x.Pending) > 0 {
			t.Errorf("found %+v", x)
		}
	})
}

// TestStore_Inspect_OtherKey: a key that does not open the secrets is reported.
func TestStore_Inspect_OtherKey(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		s, err := store.Open(context.WithoutCancel(t.Context()), w.URL, storetest.Sealer(2), store.Options{})
		w.Must(err)
		defer s.Close()
		x, err := s.Inspect(t.Context())
		w.Must(err)
		if !errors.Is(x.Key, secret.ErrSealed) {
			t.Errorf("the key of another database: %v", x.Key)
		}
	})
}
