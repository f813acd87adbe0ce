package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// TestRestore_AdoptAtOnce: a copy that was made beside a server holds the leases of that server. It is taken over at
// once all the same, while that server goes on, or after it was killed.
func TestRestore_AdoptAtOnce(t *testing.T) {
	t.Parallel()
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		file, live, copied := filepath.Join(t.TempDir(), "live.dump"), postgres.URL(t), postgres.URL(t)
		i := newInstallation(t, "FLORIN_DATABASE_URL="+live)
		i.mustKey(t)
		s := i.serve(t)
		eventually(t, "leases", func() bool {
			return readOne[bool](t, live, "SELECT count(*) > 0 FROM leases WHERE until > clock_timestamp()")
		})
		runPostgres(t, "pg_dump", "-Fc", "-f", file, live)
		runPostgres(t, "pg_restore", "--exit-on-error", "-d", copied, file)
		taken := newInstallation(t, "FLORIN_DATABASE_URL="+copied)
		taken.prints(t, "Adopted as generation", "restore", "--adopt")
		again := taken.serve(t)
		i.refuses(t, 1, []string{"restore", "--adopt"}, "a server runs on the database")
		taken.refuses(t, 1, []string{"restore", "--adopt"}, "a server runs on the database")
		again.stop(t, syscall.SIGKILL)
		s.stop(t, syscall.SIGTERM)
		eventually(t, "the end of the killed server's connections", func() bool {
			r := taken.run(t, "", "restore", "--adopt")
			return r.status == 0 && strings.Contains(r.stdout, "Adopted")
		})
	})
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		i := newInstallation(t)
		i.mustKey(t)
		i.serve(t).stop(t, syscall.SIGKILL)
		taken := newInstallation(t)
		for _, end := range []string{"", "-wal"} { // as Litestream brings it back, without the mark
			text := testkit.ReadFile(t, filepath.Join(i.dir, "test.db"+end))
			testkit.Must(t, os.WriteFile(filepath.Join(taken.dir, "test.db"+end), text, 0o600))
		}
		taken.prints(t, "Adopted as generation", "restore", "--adopt")
	})
}
