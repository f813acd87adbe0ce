package store

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/migrations"
)

func TestStore_Migrate_AtOnce(t *testing.T) {
	t.Parallel()
	for _, d := range databases() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			url := d.empty(t)
			ids := make([][instanceIDLen]byte, 8)
			for _, err := range together(len(ids), func(i int) error {
				s, err := Open(t.Context(), url, mustSealer(1), Options{MaxConns: 2})
				if err != nil {
					return err
				}
				defer s.Close()
				for range 2 { // a second time there is nothing to do
					if err := s.Migrate(t.Context()); err != nil {
						return err
					}
				}
				ids[i], err = s.InstanceID(t.Context())
				return err
			}) {
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, id := range ids {
				if id != ids[0] || id == [instanceIDLen]byte{} {
					t.Errorf("instance ids differ: %x", ids)
				}
			}
			w := newWorld(t, mustOpen(t, url), url)
			if n := w.count("SELECT count(*) FROM bun_migrations"); n != int64(len(names(t, migrations.SQLite()))) {
				t.Errorf("%d migrations are marked as applied", n)
			}
			w.payment(w.key(1, 1))
		})
	}
}

// A migration that fails leaves nothing behind and is tried again.
func TestStore_Migrate_Fails(t *testing.T) {
	t.Parallel()
	for _, d := range databases() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			url := d.empty(t)
			w := &world{t: t, url: url}
			db := w.raw()
			if _, err := db.Exec("CREATE TABLE leases (blocks integer)"); err != nil {
				t.Fatal(err)
			}
			s, err := Open(t.Context(), url, mustSealer(1), Options{})
			w.must(err)
			defer s.Close()
			if err := s.Migrate(t.Context()); err == nil {
				t.Fatal("migrated over a table of the same name")
			}
			if _, err := db.Exec("SELECT 1 FROM payments"); err == nil {
				t.Error("half a migration was left behind")
			}
			_, err = db.Exec("DROP TABLE leases")
			w.must(err)
			w.must(s.Migrate(t.Context()))
		})
	}
}

func names(t *testing.T, files fs.FS) []string {
	t.Helper()
	list, err := fs.Glob(files, "*.tx.up.sql")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Both databases have the same migrations, and each gives its reason.
func TestMigrations(t *testing.T) {
	t.Parallel()
	postgres, sqlite := migrations.Postgres(), migrations.SQLite()
	same(t, "names", names(t, postgres), names(t, sqlite))
	for _, files := range []fs.FS{postgres, sqlite} {
		for _, name := range names(t, files) {
			text, err := fs.ReadFile(files, name)
			if err != nil {
				t.Fatal(err)
			}
			if reason, ok := strings.CutPrefix(string(text), "-- Reason: "); !ok || len(reason) < 20 {
				t.Errorf("%s does not begin with its reason", name)
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
		s, err := Open(t.Context(), url, mustSealer(1), Options{})
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
		k := w.key(100, 0)
		p := w.payment(k)
		errs := make(chan error, 1)
		go func() { errs <- w.Close() }()
		for range 20 { // each is answered, whatever the answer
			_, _ = w.UpdatePayment(t.Context(), p.ID, startOn("POLYGON", "USDC", start))
			_, _ = w.Payment(t.Context(), p.ID)
		}
		w.must(<-errs)
		w.must(w.Close())
		if _, err := w.Payment(t.Context(), p.ID); err == nil {
			t.Error("a closed store reads")
		}
		if _, err := w.Custodian(t.Context(), k.ID); err == nil {
			t.Error("a closed store reads")
		}
		if err := w.SaveCursor(t.Context(), "BASE", payment.Cursor{}); err == nil {
			t.Error("a closed store writes")
		}
		if err := w.Ping(t.Context()); err == nil {
			t.Error("a closed store answers")
		}
	})
}
