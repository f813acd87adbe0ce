package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"filippo.io/age"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

const passphrase = "a passphrase of some length\n"

// keyOfAge makes a key of age: its file, and whom backups are made for that it opens. It costs nothing, where each use
// of a passphrase takes a second of a processor.
func keyOfAge(t *testing.T) (file, recipient string) {
	t.Helper()
	identity, err := age.GenerateX25519Identity()
	testkit.Must(t, err)
	return write(t, t.TempDir(), "key.txt", identity.String()+"\n"), identity.Recipient().String()
}

// backedUp returns an installation with a user and a key, a backup of it, and what restores that.
func backedUp(t *testing.T) (i installation, file string, restore []string) {
	t.Helper()
	i = newInstallation(t)
	i.must(t, "correct horse battery\n", "user", "create", "--email", "ada@example.com", "--operator")
	i.must(t, "", "key", "create", "--email", "ada@example.com", "--credits", "7")
	file = filepath.Join(t.TempDir(), "backup.age")
	key, recipient := keyOfAge(t)
	out := i.must(t, "", "backup", file, "--recipient", recipient)
	if !strings.Contains(out, "Backed up 0 payments, 2 ledger entries") {
		t.Errorf("backup prints %q", out)
	}
	return i, file, []string{"restore", file, "--identity", key}
}

// TestRestore: a backup is restored over a later database, which is kept.
func TestRestore(t *testing.T) {
	t.Parallel()
	i, _, restore := backedUp(t)
	i.must(t, "", "credit", "grant", "--email", "ada@example.com", "--credits", "100")
	i.refuses(t, 1, restore, "--force")
	out := i.must(t, "", append(restore, "--force")...)
	for _, text := range []string{
		"Restored the backup of 20", testVersion, "is now test.db.replaced-", "generation", "florin recover",
	} {
		if !strings.Contains(out, text) {
			t.Errorf("restore prints %q, which lacks %q", out, text)
		}
	}
	i.prints(t, "The ledger of 2 entries has no differences.", "verify-ledger")
	s := i.serve(t)
	again := filepath.Join(t.TempDir(), "again.age")
	i.must(t, passphrase, "backup", again)
	s.stop(t, syscall.SIGTERM)
	i.must(t, passphrase, "restore", "--force", again)
	i.must(t, passphrase, "restore", "--force", again)
	i.prints(t, "Adopted as generation", "restore", "--adopt")
	names, err := filepath.Glob(filepath.Join(i.dir, "*.replaced-*"))
	if err != nil || len(names) < 1 {
		t.Fatalf("kept: %v, %v", names, err)
	}
	was := installation{dir: i.dir, env: append(i.env, "FLORIN_DATABASE_URL=sqlite://"+filepath.Base(names[0]))}
	was.prints(t, "The ledger of 3 entries has no differences.", "verify-ledger")
	if left, err := filepath.Glob(filepath.Join(i.dir, ".florin-*")); err != nil || len(left) > 0 {
		t.Errorf("left in the directory: %v, %v", left, err)
	}
}

// TestRestore_Elsewhere: on a new machine, with a key of age, from a server that ran.
func TestRestore_Elsewhere(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	i.must(t, "correct horse battery\n", "user", "create", "--email", "ada@example.com")
	key, recipient := keyOfAge(t)
	s := i.serve(t)
	file := filepath.Join(t.TempDir(), "backup.age")
	i.must(t, "", "backup", file, "--recipient", recipient)
	i.refuses(t, 1, []string{"backup", file, "--recipient", recipient}, "exists")
	i.refuses(t, 1, []string{"restore", "--adopt"}, "a server runs")
	s.stop(t, syscall.SIGTERM)
	other := i.bare(t)
	other.prints(t, "Restored the backup", "restore", file, "--identity", key)
	other.prints(t, "no differences", "verify-ledger")
	again := other.serve(t)
	again.stop(t, syscall.SIGTERM)
}

// TestRestore_Refuses: whatever is wrong with a backup, the database stays as it is.
func TestRestore_Refuses(t *testing.T) {
	t.Parallel()
	i, file, restore := backedUp(t)
	locked := filepath.Join(t.TempDir(), "locked.age")
	i.must(t, passphrase, "backup", locked)
	whole := testkit.ReadFile(t, file)
	changed := func(at int) string {
		text := []byte(string(whole))
		text[at] ^= 1
		return write(t, t.TempDir(), "changed.age", string(text))
	}
	elsewhere := i.bare(t)
	elsewhere.env = append(elsewhere.env, "FLORIN_SECRET_KEY=MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
	before := i.must(t, "", "verify-ledger")
	for name, c := range map[string]struct {
		in         installation
		file, text string
	}{
		"Truncated": {i, write(t, t.TempDir(), "cut.age", string(whole[:len(whole)-100])), "damaged"},
		"Shortened": {i, write(t, t.TempDir(), "cut.age", string(whole[:len(whole)-1])), "damaged"},
		"Changed":   {i, changed(len(whole) - 50), "damaged"},
		"NoBackup":  {i, write(t, t.TempDir(), "text", "hello"), "open the backup"},
		"OtherKey":  {elsewhere, file, "FLORIN_SECRET_KEY"},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.in.run(t, "", "restore", "--force", c.file, "--identity", restore[3])
			if r.status != 1 || !strings.Contains(r.stderr, c.text) {
				t.Errorf("status %d, %q", r.status, r.stderr)
			}
		})
	}
	r := i.run(t, "another passphrase\n", "restore", "--force", locked)
	if r.status != 1 || !strings.Contains(r.stderr, "not made for this passphrase") {
		t.Errorf("with another passphrase: status %d, %q", r.status, r.stderr)
	}
	if after := i.must(t, "", "verify-ledger"); after != before {
		t.Errorf("the database has changed: %s", after)
	}
	if _, err := os.Stat(filepath.Join(elsewhere.dir, "test.db")); err == nil {
		t.Error("a refused restore made a database")
	}
	t.Run("Running", func(t *testing.T) {
		s := i.serve(t)
		defer s.stop(t, syscall.SIGTERM)
		if r := i.run(t, "", append(restore, "--force")...); r.status != 1 || !strings.Contains(r.stderr, "stop the server") {
			t.Errorf("status %d, %q", r.status, r.stderr)
		}
	})
	i.refuses(t, 1, []string{"backup", filepath.Join(i.dir, "new.age")}, "at least 16 characters")
	i.refuses(t, 1, []string{"restore"}, "--adopt")
}

// TestServe_OlderCopy: a file that was copied back is noticed, and taken over once the operator says so.
func TestServe_OlderCopy(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	i.must(t, "correct horse battery\n", "user", "create", "--email", "ada@example.com")
	path := filepath.Join(i.dir, "test.db")
	old := testkit.ReadFile(t, path)
	for range 2 {
		s := i.serve(t)
		s.stop(t, syscall.SIGTERM)
	}
	write(t, i.dir, "test.db", string(old))
	i.examine(t).wants(t, "database copy", "wrong", "older than when it was last served")
	i.refuses(t, 1, []string{"serve"}, "older than when it was last served", "restore --adopt")
	i.prints(t, "Adopted as generation", "restore", "--adopt")
	s := i.serve(t)
	s.stop(t, syscall.SIGTERM)
	t.Run("AnotherDatabase", func(t *testing.T) {
		testkit.Must(t, os.Remove(path))
		i.refuses(t, 1, []string{"serve"}, "another database", "test.db.mark")
	})
}

// TestServe_CopyOfSecondsAgo: a copy that was made while the server ran is noticed, however little later it is put
// back.
func TestServe_CopyOfSecondsAgo(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	path := filepath.Join(i.dir, "test.db")
	copied := filepath.Join(t.TempDir(), "copy.db")
	s := i.serve(t)
	testkit.Must(t, store.CopyFile(t.Context(), path, copied))
	s.stop(t, syscall.SIGTERM)
	for _, ending := range []string{"-wal", "-shm"} {
		_ = os.Remove(path + ending)
	}
	old := testkit.ReadFile(t, copied)
	write(t, i.dir, "test.db", string(old))
	i.refuses(t, 1, []string{"serve"}, "older than when it was last served", "restore --adopt")
}

// TestServe_Mark: without its mark a database is served, and gets a new one. One that is behind a newer mark is refused
// until it is adopted, and is then ahead of it.
func TestServe_Mark(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	serve := func() {
		t.Helper()
		s := i.serve(t)
		s.stop(t, syscall.SIGTERM)
	}
	mark := filepath.Join(i.dir, "test.db.mark")
	serve()
	t.Run("Missing", func(t *testing.T) {
		testkit.Must(t, os.Remove(mark))
		serve()
		if _, err := os.Stat(mark); err != nil {
			t.Errorf("there is no new mark: %v", err)
		}
	})
	t.Run("Damaged", func(t *testing.T) {
		whole := testkit.ReadFile(t, mark)
		write(t, i.dir, "test.db.mark", string(whole[:len(whole)/2]))
		i.refuses(t, 1, []string{"serve"}, "test.db.mark", "damaged")
		write(t, i.dir, "test.db.mark", string(whole))
		serve()
	})
	t.Run("Newer", func(t *testing.T) {
		whole := testkit.ReadFile(t, mark)
		var m backup.Mark
		testkit.Must(t, json.Unmarshal(whole, &m))
		m.Ticks += 1_000
		m.Generation += 1_000_000_000
		testkit.Must(t, m.Write(mark))
		i.refuses(t, 1, []string{"serve"}, "older than when it was last served", "restore --adopt")
		i.prints(t, "Adopted as generation", "restore", "--adopt")
		serve()
		text := testkit.ReadFile(t, mark)
		var after backup.Mark
		testkit.Must(t, json.Unmarshal(text, &after))
		if after.Generation <= m.Generation || after.Installation != m.Installation {
			t.Errorf("after the adoption the mark is %+v, and was %+v", after, m)
		}
	})
}

// TestRestore_LogLeftBehind: the database file is gone, and its write-ahead log is still there. The log is not applied
// to the database that is restored.
func TestRestore_LogLeftBehind(t *testing.T) {
	t.Parallel()
	i, _, restore := backedUp(t)
	s := i.serve(t)
	i.must(t, "", "credit", "grant", "--email", "ada@example.com", "--credits", "100")
	s.stop(t, syscall.SIGKILL)
	path := filepath.Join(i.dir, "test.db")
	if log, err := os.Stat(path + "-wal"); err != nil || log.Size() == 0 {
		t.Fatalf("the killed server left no log; the test shows nothing: %v", err)
	}
	testkit.Must(t, os.Remove(path))
	out := i.must(t, "", restore...)
	if !strings.Contains(out, "Restored the backup") {
		t.Errorf("restore prints %q", out)
	}
	i.prints(t, "The ledger of 2 entries has no differences.", "verify-ledger")
	again := i.serve(t)
	again.stop(t, syscall.SIGTERM)
}

// TestRestore_Symlink: the database is a link to another disk. The restored one is on that disk too, also if the disk
// is new and empty.
func TestRestore_Symlink(t *testing.T) {
	t.Parallel()
	i, _, restore := backedUp(t)
	path, disk := filepath.Join(i.dir, "test.db"), t.TempDir()
	stands := filepath.Join(disk, "real.db")
	testkit.Must(t, os.Rename(path, stands))
	testkit.Must(t, os.Symlink(stands, path))
	out := i.must(t, "", append(restore, "--force")...)
	if !strings.Contains(out, "is now "+stands+".replaced-") {
		t.Errorf("restore prints %q", out)
	}
	i.prints(t, "The ledger of 2 entries has no differences.", "verify-ledger")
	kept, err := filepath.Glob(filepath.Join(disk, "*.replaced-*"))
	testkit.Must(t, err)
	for _, name := range append(kept, stands) {
		testkit.Must(t, os.Remove(name))
	}
	i.must(t, "", restore...)
	if to, err := os.Readlink(path); err != nil || to != stands {
		t.Errorf("%s is not the link to %s any more: %q, %v", path, stands, to, err)
	}
	i.prints(t, "The ledger of 2 entries has no differences.", "verify-ledger")
}

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
