//go:build unix

package main_test

import (
	"context"
	"net/http"
	"syscall"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// replace stops the instance of that number as a supervisor does, after the balancer has taken it out, and starts the
// program in its place, which the balancer uses once it is ready.
func (c *cluster) replace(t *testing.T, n int, program string) {
	t.Helper()
	old := c.member(n)
	c.put(n, nil)
	eventually(t, "the balancer", func() bool { return c.idle(old) })
	if status, log := old.stop(t, syscall.SIGTERM); status != 0 {
		t.Errorf("instance %d ends with status %d: %s", n, status, log)
	}
	as := c.installation
	as.program = program
	next := as.serve(t)
	next.awaitProbe(t, "/readyz", http.StatusOK)
	c.put(n, next)
}

// TestUpgrade_Rolling: two versions of the program on one PostgreSQL under load. The new one says what it will do and
// migrates while the old ones serve; then instances are replaced one after the other, and one goes back. Every request
// is answered, and nothing is lost or done twice.
func TestUpgrade_Rolling(t *testing.T) {
	t.Parallel()
	c := openCluster(t)
	next, err := next()
	testkit.Must(t, err)
	c.strict = true
	newer := c.installation
	newer.program = next
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	loaded := make(chan []startedOrder, 1)
	go func() { loaded <- c.load(ctx, 2) }()

	newer.prints(t, "go on serving", "migrate", "--plan")
	newer.must(t, "", "migrate")
	c.prints(t, "a newer version has migrated the database, and this one can use it", "migrate", "--plan")
	for n, program := range []string{next, next} {
		c.replace(t, n, program)
	}
	versions := make(map[any]bool)
	for n := range c.members {
		_, health := c.member(n).do(t, http.MethodGet, "/health", "")
		versions[health["version"]] = true
	}
	if !versions[testVersion] || !versions["9.9.9"] {
		t.Errorf("side by side run %v", versions)
	}
	c.replace(t, 0, florin) // the way back
	before := c.credits(t)
	eventually(t, "orders by all of them", func() bool { return c.credits(t) <= before-10 })
	cancel()
	c.wantAllOnce(t, <-loaded)
}

// credits reads the credits that are left.
func (c *cluster) credits(t *testing.T) int64 {
	t.Helper()
	c.server = c.member(1)
	return c.creditsLeft(t)
}
