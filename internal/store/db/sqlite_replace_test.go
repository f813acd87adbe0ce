package db

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// TestKeep: what is kept is the database that was there, also on a file system that has no links. What else goes wrong
// leaves it in its place.
func TestKeep(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refusal error
		kept    bool
	}{
		"Links": {nil, true}, "NoLinks": {syscall.EPERM, true}, "NotSupported": {syscall.EOPNOTSUPP, true},
		"NoRoom": {syscall.ENOSPC, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path, kept := filepath.Join(dir, "florin.db"), filepath.Join(dir, "florin.db.replaced")
			testkit.Must(t, os.WriteFile(path, []byte("database"), fileMode))
			err := keep(path, kept, func(path, kept string) error {
				if c.refusal != nil {
					return &os.LinkError{Op: "link", Old: path, New: kept, Err: c.refusal}
				}
				return os.Link(path, kept)
			})
			want := kept
			if !c.kept {
				want = path
			}
			text, errRead := os.ReadFile(want)
			if (err == nil) != c.kept || errRead != nil || string(text) != "database" {
				t.Errorf("%v; %s holds %q, %v", err, want, text, errRead)
			}
		})
	}
}
