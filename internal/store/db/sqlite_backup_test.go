package db

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/testkit"
)

// TestCopyFile_WhileItIsWritten: a copy holds one moment, although transactions that write two rows each go on, in the
// same process and faster than the pages are copied.
func TestCopyFile_WhileItIsWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a b?c.db")
	e, err := openSQLite(t.Context(), path, 2)
	testkit.Must(t, err)
	defer func() { _ = e.Close() }()
	write := func(texts ...string) error {
		return e.Write(t.Context(), func(ctx context.Context, tx Tx) error {
			for _, text := range texts {
				if _, err := tx.NewRaw(text).Exec(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	const one = "INSERT INTO pairs (half) VALUES (randomblob(6000))" // more than a page
	testkit.Must(t, write("CREATE TABLE pairs (id INTEGER PRIMARY KEY, half BLOB)"))
	for range 1500 {
		testkit.Must(t, write(one, one))
	}
	stop, group := make(chan struct{}), sync.WaitGroup{}
	group.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := write(one, one); err != nil {
				t.Error(err)
				return
			}
		}
	})
	before := rowsIn(t, path, "pairs")
	to := filepath.Join(t.TempDir(), "copy.db")
	if err := CopyFile(t.Context(), path, to); err != nil {
		t.Error(err)
	}
	after := rowsIn(t, path, "pairs")
	close(stop)
	group.Wait()
	if err := CheckFile(t.Context(), to); err != nil {
		t.Error(err)
	}
	got := rowsIn(t, to, "pairs")
	if got%2 != 0 || got < before || got > after || after == before {
		t.Errorf("the copy has %d rows, taken between %d and %d", got, before, after)
	}
	wantOneFile(t, to)
}

// wantOneFile: the copy is private, and nothing lies beside it.
func wantOneFile(t *testing.T, path string) {
	t.Helper()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != fileMode {
		t.Errorf("mode of the copy: %v, %v", info, err)
	}
	for _, name := range SQLiteFiles(path)[1:] {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s is left beside the copy", name)
		}
	}
}

func rowsIn(t *testing.T, path, table string) (n int) {
	t.Helper()
	err := ReadFile(t.Context(), path, func(ctx context.Context, db bun.IDB) error {
		return db.NewRaw("SELECT count(*) FROM ?", bun.Ident(table)).Scan(ctx, &n)
	})
	testkit.Must(t, err)
	return n
}

func TestCopyFile_Refuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	missing, there := filepath.Join(dir, "missing.db"), filepath.Join(dir, "there.db")
	if err := CopyFile(t.Context(), missing, filepath.Join(dir, "copy.db")); err == nil {
		t.Error("a database that does not exist is copied")
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("the copy of a missing database makes the database")
	}
	if _, err := os.Stat(filepath.Join(dir, "copy.db")); err == nil {
		t.Error("a copy that failed is left")
	}
	testkit.Must(t, os.WriteFile(there, []byte("mine"), 0o600))
	if err := CopyFile(t.Context(), missing, there); err == nil {
		t.Error("a file that exists is overwritten")
	}
	if text, err := os.ReadFile(there); err != nil || string(text) != "mine" {
		t.Errorf("the file now holds %q, %v", text, err)
	}
}

// TestSeclude: a database that another program has open is not taken from it.
func TestSeclude(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "florin.db")
	e, err := openSQLite(t.Context(), path, 2)
	testkit.Must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Seclude(ctx, path); err == nil {
		t.Error("an open database is taken")
	}
	testkit.Must(t, e.Close())
	if err := Seclude(t.Context(), path); err != nil {
		t.Error(err)
	}
}
