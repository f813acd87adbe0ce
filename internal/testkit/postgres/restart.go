package postgres

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Restartable starts a private server for one test. It returns the address of its empty database, and what breaks its
// connections and starts it again, as after a crash.
func Restartable(t testing.TB) (address string, restart func()) {
	t.Helper()
	c, err := startCluster(fastSettings)
	if err != nil {
		t.Fatalf("postgres: %v", err)
	}
	t.Cleanup(func() { _ = c.guard.Release() })
	return c.url.String(), func() {
		t.Helper()
		var owner *syscall.Credential
		if os.Getuid() == 0 {
			if owner, err = unprivileged(); err != nil {
				t.Fatalf("postgres: %v", err)
			}
		}
		if err := runAs(owner, c.directory, filepath.Join(c.programs, "pg_ctl"), "restart", "-m", "immediate", "-w",
			"-t", startTimeoutSeconds, "-D", filepath.Join(c.directory, "data"),
			"-l", filepath.Join(c.directory, "log"),
		); err != nil {
			t.Fatalf("postgres: restart: %v", err)
		}
	}
}
