//go:build unix

package main_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// One server uses an SQLite file, whatever name the second gives it; commands work beside it, and a crash frees it.
func TestServe_Twice(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	s := i.serve(t)
	named := func(path string) installation {
		second := i
		second.env = append([]string{}, i.env...)
		second.env = append(second.env, "FLORIN_DATABASE_URL=sqlite://"+path, "FLORIN_LISTEN=127.0.0.1:0")
		return second
	}
	file, link := filepath.Join(i.dir, "test.db"), filepath.Join(i.dir, "link.db")
	hard, elsewhere := filepath.Join(i.dir, "hard.db"), filepath.Join(t.TempDir(), "mounted")
	testkit.Must(t, os.Symlink("test.db", link))
	testkit.Must(t, os.Link(file, hard))
	testkit.Must(t, os.Symlink(i.dir, elsewhere))
	for name, path := range map[string]string{
		"SameName": "test.db", "FullPath": file, "Symlink": link, "Hardlink": hard,
		"OtherDirectory": filepath.Join(elsewhere, "test.db"), "DottedPath": "./x/../test.db",
	} {
		t.Run(name, func(t *testing.T) {
			testkit.Must(t, os.MkdirAll(filepath.Join(i.dir, "x"), 0o700))
			named(path).refuses(t, 1, []string{"serve"}, "another `florin serve` uses the database", "PostgreSQL")
		})
	}
	t.Run("CommandsBesideIt", func(t *testing.T) {
		i.must(t, password, "user", "create", "--email", email)
		named(link).must(t, "", "key", "create", "--email", email)
		i.must(t, "", "verify-ledger")
	})
	t.Run("CommandOnAHardlink", func(t *testing.T) {
		named(hard).refuses(t, 1, []string{"verify-ledger"}, "under another name")
	})
	t.Run("AfterACrash", func(t *testing.T) {
		s.stop(t, syscall.SIGKILL)
		s = i.serve(t)
		named(link).refuses(t, 1, []string{"serve"}, "another `florin serve`")
	})
	t.Run("AfterItsEnd", func(t *testing.T) {
		s.stop(t, syscall.SIGTERM)
		i.serve(t)
	})
}
