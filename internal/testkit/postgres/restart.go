package postgres

import (
	"testing"
)

// Restartable starts a private server for one test. It returns the address of its empty database, and what breaks its
// connections and starts it again, as after a crash.
func Restartable(t testing.TB) (address string, restart func()) {
	t.Helper()
	c, err := startCluster(fastSettings, nil)
	if err != nil {
		t.Fatalf("postgres: %v", err)
	}
	t.Cleanup(func() { _ = c.guard.Release() })
	return c.url.String(), func() {
		t.Helper()
		if err := c.control("restart", "-m", "immediate", "-w"); err != nil {
			t.Fatalf("postgres: restart: %v", err)
		}
	}
}
