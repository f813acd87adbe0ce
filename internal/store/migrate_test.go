package store_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
	"github.com/florinpay/florin/migrations"
)

func TestStore_Migrate_AtOnce(t *testing.T) {
	t.Parallel()
	for _, d := range storetest.Databases() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			url := d.Empty(t)
			for _, err := range storetest.AtOnce(8, func(int) error {
				s, err := store.Open(t.Context(), url, storetest.Sealer(1), store.Options{MaxConns: 2})
				if err != nil {
					return err
				}
				defer s.Close()
				for range 2 { // a second time there is nothing to do
					if err := s.Migrate(t.Context()); err != nil {
						return err
					}
				}
				return nil
			}) {
				testkit.Must(t, err)
			}
			w := newWorld(t, storetest.Open(t, url), url)
			if n := w.Count("SELECT count(*) FROM bun_migrations"); n != int64(len(names(t, migrations.SQLite()))) {
				t.Errorf("%d migrations are marked as applied", n)
			}
			if n := w.Count("SELECT count(*) FROM instance"); n != 1 {
				t.Errorf("there are %d instance rows, want 1", n)
			}
			w.NewPayment(w.NewKey(1, 1))
		})
	}
}

// A migration that fails leaves nothing behind and is tried again.
func TestStore_Migrate_Fails(t *testing.T) {
	t.Parallel()
	for _, d := range storetest.Databases() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			url := d.Empty(t)
			w := &storetest.World{T: t, URL: url}
			db := w.SQL()
			if _, err := db.Exec("CREATE TABLE leases (blocks integer)"); err != nil {
				t.Fatal(err)
			}
			s, err := store.Open(t.Context(), url, storetest.Sealer(1), store.Options{})
			w.Must(err)
			defer s.Close()
			if err := s.Migrate(t.Context()); err == nil {
				t.Fatal("migrated over a table of the same name")
			}
			if _, err := db.Exec("SELECT 1 FROM payments"); err == nil {
				t.Error("half a migration was left behind")
			}
			w.MustDo(db.Exec("DROP TABLE leases"))
			w.Must(s.Migrate(t.Context()))
		})
	}
}

func names(t *testing.T, files fs.FS) []string {
	t.Helper()
	list, err := fs.Glob(files, "*.tx.up.sql")
	testkit.Must(t, err)
	return list
}

// Both databases have the same migrations, and each gives its reason.
func TestMigrations(t *testing.T) {
	t.Parallel()
	postgres, sqlite := migrations.Postgres(), migrations.SQLite()
	storetest.Same(t, "names", names(t, postgres), names(t, sqlite))
	for _, files := range []fs.FS{postgres, sqlite} {
		for _, name := range names(t, files) {
			text, err := fs.ReadFile(files, name)
			testkit.Must(t, err)
			if reason, ok := strings.CutPrefix(string(text), "-- Reason: "); !ok || len(reason) < 20 {
				t.Errorf("%s does not begin with its reason", name)
			}
			lines := strings.SplitN(string(text), "\n", 3)
			needs := strings.HasPrefix(lines[1], "-- Needs: 20")
			if first := name == names(t, files)[0]; first == needs {
				t.Errorf("%s: its second line must say which migration programs need to know (-- Needs: NAME)", name)
			}
		}
	}
}

func TestOpen_Refused(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"", "florin.db", "mysql://u:hunter2@localhost/x", "sqlite://", "sqlite:///no/such/directory/florin.db",
		"sqlite://%zz", "sqlite://a%00b",
		"postgres://u:hunter2@127.0.0.1:1/x?sslmode=disable&connect_timeout=2", "postgres://u:hunter2@127.0.0.1:port/x",
	} {
		s, err := store.Open(t.Context(), url, storetest.Sealer(1), store.Options{})
		if err == nil {
			s.Close()
			t.Errorf("%s was opened", url)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error repeats the password: %v", err)
		}
	}
}

func TestStore_Close(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		p := w.NewPayment(k)
		errs := make(chan error, 1)
		go func() { errs <- w.Close() }()
		for range 20 { // each is answered, whatever the answer
			_, _ = w.UpdatePayment(t.Context(), p.ID, storetest.StartOn("POLYGON", "USDC", storetest.Start))
			_, _ = w.Payment(t.Context(), p.ID)
		}
		w.Must(<-errs)
		w.Must(w.Close())
		if _, err := w.Payment(t.Context(), p.ID); err == nil {
			t.Error("a closed store reads")
		}
		if _, err := w.Custodian(t.Context(), k.ID); err == nil {
			t.Error("a closed store reads")
		}
		if err := w.SaveCursor(t.Context(), "BASE", watch.Cursor{}); err == nil {
			t.Error("a closed store writes")
		}
		if err := w.Ping(t.Context()); err == nil {
			t.Error("a closed store answers")
		}
	})
}

// refusesDatabase fails unless every way to the database says the sentence, and none of them changes it.
func refusesDatabase(t *testing.T, url, sentence string) {
	t.Helper()
	s, err := store.Open(t.Context(), url, storetest.Sealer(1), store.Options{})
	testkit.Must(t, err)
	defer s.Close()
	_, inspected := s.Inspect(t.Context())
	for way, err := range map[string]error{
		"migrate": s.Migrate(t.Context()), "ready": s.Ready(t.Context()), "doctor": inspected,
	} {
		if err == nil || !strings.Contains(err.Error(), sentence) {
			t.Errorf("%s: %v, want %q", way, err, sentence)
		}
	}
}

// TestStore_OtherSchema: a database of another build, whose schema has the same name, is refused before anything uses
// it; with and without the digest that tells them apart.
func TestStore_OtherSchema(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.Must(w.Migrate(t.Context())) // its own is fine
		for _, change := range []string{
			"UPDATE schema_versions SET digest = 'another'", "ALTER TABLE schema_versions DROP COLUMN digest",
		} {
			w.MustDo(w.SQL().Exec(change))
			refusesDatabase(t, w.URL, "made by another build")
			if err := w.Migrate(t.Context()); !errors.Is(err, store.ErrOtherSchema) {
				t.Errorf("%s: %v", change, err)
			}
		}
	})
}

// TestStore_ForeignDatabase: tables of another program are named, also if it uses the same library of migrations.
func TestStore_ForeignDatabase(t *testing.T) {
	t.Parallel()
	for _, d := range storetest.Databases() {
		for name, tables := range map[string][]string{
			"Tables":     {"CREATE TABLE wp_users (id integer)", "CREATE TABLE wp_posts (id integer)"},
			"Migrations": {"CREATE TABLE bun_migrations (name text)", "CREATE TABLE wp_users (id integer)"},
		} {
			t.Run(d.Name+name, func(t *testing.T) {
				t.Parallel()
				url := d.Empty(t)
				w := &storetest.World{T: t, URL: url}
				for _, table := range tables {
					w.MustDo(w.SQL().Exec(table))
				}
				refusesDatabase(t, url, "tables of another program (wp_")
				if name == "Tables" {
					if _, err := w.SQL().Exec("SELECT 1 FROM bun_migrations"); err == nil {
						t.Error("the database was changed")
					}
				}
			})
		}
	}
}

// TestStore_Encoding: texts are in UTF-8, or refused by the name of what they are in.
func TestStore_Encoding(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		url := "sqlite://" + t.TempDir() + "/florin.db"
		w := &storetest.World{T: t, URL: url}
		w.MustDo(w.SQL().Exec("PRAGMA encoding = 'UTF-16le'; CREATE TABLE x (y); DROP TABLE x"))
		refusesDatabase(t, url, "texts in UTF-16le")
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		url := postgres.URL(t)
		config, err := pgx.ParseConfig(url)
		testkit.Must(t, err)
		name := config.Database + "_latin"
		testkit.Must(t, execOn(url, "CREATE DATABASE "+name+" ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'"))
		t.Cleanup(func() { testkit.Must(t, execOn(url, "DROP DATABASE "+name+" WITH (FORCE)")) })
		refusesDatabase(t, strings.Replace(url, config.Database, name, 1), "texts in LATIN1")
	})
}

func execOn(url, statement string) error {
	admin, err := pgx.Connect(context.Background(), url)
	if err != nil {
		return err
	}
	_, err = admin.Exec(context.Background(), statement)
	return errors.Join(err, admin.Close(context.Background()))
}
