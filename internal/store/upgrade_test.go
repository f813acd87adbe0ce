package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/migrations"
)

// versionWith is a version of the program with that many of the migrations of testdata/upgrade: the first expands the
// schema, the second contracts it.
func versionWith(t *testing.T, more int) db.Migrations {
	t.Helper()
	of := func(own fs.FS, directory string) fs.FS {
		all := fstest.MapFS{}
		add := func(from fs.FS, most int) {
			names, err := fs.Glob(from, "*.sql")
			testkit.Must(t, err)
			for _, name := range names[:most] {
				text, err := fs.ReadFile(from, name)
				testkit.Must(t, err)
				all[name] = &fstest.MapFile{Data: text}
			}
		}
		add(own, len(names(t, own)))
		add(os.DirFS("testdata/upgrade/"+directory), more)
		return maps.Clone(all)
	}
	return db.Migrations{SQLite: of(migrations.SQLite(), "sqlite"), Postgres: of(migrations.Postgres(), "postgres")}
}

// openVersion opens the database as a version of the program.
func openVersion(t *testing.T, url string, more int) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), url, storetest.Sealer(1), store.Options{Migrations: versionWith(t, more)})
	testkit.Must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// takePayments creates payments and starts them until stop is closed, and counts those that were started.
func takePayments(ctx context.Context, s *store.Store, k merchant.Key, stop <-chan struct{}, n *atomic.Int64) error {
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		p, err := s.CreatePayment(ctx, payment.New(storetest.Request(k), storetest.Start))
		if err != nil {
			return fmt.Errorf("create: %w", err)
		}
		start := storetest.StartOn(chain.Polygon, money.USDC, storetest.Start)
		if _, err = s.UpdatePayment(ctx, p.ID, start); err != nil {
			return fmt.Errorf("start: %w", err)
		}
		n.Add(1)
	}
}

// TestUpgrade: while the old version takes payments, the new one expands the schema and takes payments beside it; both
// are ready, and nothing fails. The old version may be started again, which is the way back.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(1_000_000, 0)
		older, newer := w.Store, openVersion(t, w.URL, 1)
		stop, more := make(chan struct{}), make(chan struct{})
		var before, after atomic.Int64
		const at = 4
		done := make(chan []error, 1)
		go func() {
			done <- storetest.AtOnce(2*at, func(i int) error {
				if i < at {
					return takePayments(t.Context(), older, k, stop, &before)
				}
				<-more
				return takePayments(t.Context(), newer, k, stop, &after)
			})
		}()
		enough := func(n *atomic.Int64) {
			for least := n.Load() + 20; n.Load() < least && len(done) == 0; {
				if _, err := older.Payment(t.Context(), "none"); err == nil {
					t.Error("there is a payment of no id")
				}
			}
		}
		enough(&before)
		if err := newer.Ready(t.Context()); err == nil {
			t.Error("the new version is ready before the schema is")
		}
		w.Must(newer.Migrate(t.Context()))
		close(more)
		enough(&before)
		enough(&after)
		for name, s := range map[string]*store.Store{"old": older, "new": newer} {
			if err := s.Ready(t.Context()); err != nil {
				t.Errorf("the %s version is not ready: %v", name, err)
			}
		}
		close(stop)
		for _, err := range <-done {
			w.Must(err)
		}
		if n := w.Count("SELECT count(*) FROM payments WHERE status = 'STARTED'"); n != before.Load()+after.Load() {
			t.Errorf("%d payments are stored; %d and %d were answered", n, before.Load(), after.Load())
		}
		w.CheckLedger()
		w.Must(openVersion(t, w.URL, 0).Migrate(t.Context()))
	})
}

// TestUpgrade_NewColumns: a version reads whole rows of tables to which a newer one has added columns.
func TestUpgrade_NewColumns(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(10, 0)
		p := w.NewPayment(k)
		w.Must(openVersion(t, w.URL, 1).Migrate(t.Context()))
		ctx := t.Context()
		for name, read := range map[string]func() (int, error){
			"Payments": func() (int, error) {
				list, err := w.Payments(ctx, payment.Filter{KeyID: k.ID, Limit: 10})
				return len(list), err
			},
			"PaymentsByID": func() (int, error) {
				list, err := w.PaymentsByID(ctx, []payment.ID{p.ID})
				return len(list), err
			},
			"Members": func() (int, error) {
				list, err := (storetest.Accounts{Store: w.Store.Merchant()}).Members(ctx, k.UserID)
				return len(list), err
			},
			"Records": func() (int, error) {
				_, err := w.Store.Settlement().Records(ctx, chain.Polygon, []chain.Address{"0x1"})
				return 1, err
			},
			"Covered": func() (int, error) {
				return 1, w.Store.Settlement().SettleCovered(ctx, chain.Polygon, storetest.Start)
			},
		} {
			if n, err := read(); err != nil || n == 0 {
				t.Errorf("%s: %d rows, %v", name, n, err)
			}
		}
	})
}

// TestUpgrade_Contract: once the schema lacks what an old version needs, that version is not ready and does not start.
// The version in between, which has the expanded schema, goes on.
func TestUpgrade_Contract(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		between, newest := openVersion(t, w.URL, 1), openVersion(t, w.URL, 2)
		schema, err := newest.Schema(t.Context())
		w.Must(err)
		if len(schema.Missing) != 2 || schema.Applied != "20261122000000" || schema.Known != "20270201000000" ||
			schema.Missing[0].Needs != schema.Applied || schema.Missing[1].Needs != "20270101000000" ||
			!strings.HasPrefix(schema.Missing[1].Reason, "notes have moved") {
			t.Errorf("before the upgrade: %+v", schema)
		}
		w.Must(newest.Migrate(t.Context()))
		w.Must(newest.Ready(t.Context()))
		w.Must(between.Ready(t.Context()))
		w.Must(between.Migrate(t.Context()))
		if err := w.Ready(t.Context()); !errors.Is(err, db.ErrNewerSchema) {
			t.Errorf("the old version: %v", err)
		}
		if err := w.Migrate(t.Context()); !errors.Is(err, db.ErrNewerSchema) {
			t.Errorf("the old version starts: %v", err)
		}
	})
}

// TestUpgrade_TableInUse: a migration that has to wait for a table lets requests through meanwhile.
func TestUpgrade_TableInUse(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		if !w.ManyWriters() {
			return // a writer of SQLite waits for its turn
		}
		k := w.NewKey(10, 0)
		reader, err := w.SQL().Begin()
		w.Must(err)
		var n int
		w.Must(reader.QueryRow("SELECT count(*) FROM payments").Scan(&n)) // it keeps the table open
		migrated := make(chan error, 1)
		go func() { migrated <- openVersion(t, w.URL, 1).Migrate(t.Context()) }()
		waiting := "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'payments'::regclass"
		for w.Count(waiting) == 0 && len(migrated) == 0 {
			continue
		}
		w.NewPayment(k) // it queues behind the migration
		if len(migrated) > 0 {
			t.Fatalf("migrated while the table was in use: %v", <-migrated)
		}
		w.Must(reader.Rollback())
		w.Must(<-migrated)
	})
}
