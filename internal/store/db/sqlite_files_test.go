//go:build unix

package db

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// Nobody but the user that runs the program may read the database, whatever mode
// new files usually get.
//
//nolint:paralleltest // the mask is the whole process's
func TestOpen_PrivateFiles(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	t.Run("New", func(t *testing.T) {
		dir := t.TempDir()
		for range 2 { // the second time they exist
			wantPrivate(t, filepath.Join(dir, "florin.db"))
		}
		if mode := modeOf(t, dir); mode != 0o700 {
			t.Errorf("the directory has mode %o", mode)
		}
	})
	t.Run("Existing", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "florin.db")
		for _, end := range []string{"", "-wal", "-shm"} {
			testkit.Must(t, os.WriteFile(path+end, nil, 0o666))
		}
		wantPrivate(t, path)
	})
	t.Run("SharedDirectory", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "florin.db")
		testkit.Must(t, os.WriteFile(path+".note", nil, 0o600))
		before := modeOf(t, filepath.Dir(path))
		wantPrivate(t, path)
		if after := modeOf(t, filepath.Dir(path)); after != before {
			t.Errorf("the mode of a directory that holds another file went from %o to %o", before, after)
		}
	})
}

// wantPrivate writes to the database and checks its files while it is open.
func wantPrivate(t *testing.T, path string) {
	t.Helper()
	e, err := Open(t.Context(), "sqlite://"+path, 2)
	testkit.Must(t, err)
	defer func() { _ = e.Close() }()
	for _, text := range []string{"CREATE TABLE IF NOT EXISTS t (a)", "INSERT INTO t VALUES (1)"} {
		err := e.Write(t.Context(), func(ctx context.Context, x Tx) error { return x.Run(ctx, Exec(text).AnyNumber()) })
		testkit.Must(t, err)
	}
	for _, end := range []string{"", "-wal", "-shm"} {
		if mode := modeOf(t, path+end); mode != 0o600 {
			t.Errorf("%s has mode %o", filepath.Base(path+end), mode)
		}
	}
}

func modeOf(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	testkit.Must(t, err)
	return info.Mode().Perm()
}
