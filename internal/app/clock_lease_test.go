package app

import (
	"log/slog"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// TestClock_Leases: two servers share a database whose clock jumps an hour, and back. The server that renews its lease
// keeps it all the time; the other takes it soon after the first has gone.
func TestClock_Leases(t *testing.T) {
	t.Parallel()
	for name, by := range map[string]time.Duration{"Forward": time.Hour, "Back": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkLeases(t, postgres.URL(t), by)
		})
	}
}

func checkLeases(t *testing.T, url string, by time.Duration) {
	t.Helper()
	const step, lasts = 10 * time.Second, 30 * time.Second
	one, two := openStore(t, url), openStore(t, url)
	reference := &machine{wall: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)}
	a, b := newClock(reference.wall, reference.counter), newClock(reference.wall, reference.counter)
	lease := func(s *store.Store, c *clock, holder string) bool {
		t.Helper()
		now := c.Now()
		has, err := s.Lease(t.Context(), "sweep:BASE", holder, now, now.Add(lasts))
		testkit.Must(t, err)
		return has
	}
	for n := range 180 {
		reference.pass(step)
		switch n {
		case 60:
			reference.wall = reference.wall.Add(by)
		case 120:
			reference.wall = reference.wall.Add(-by)
		}
		if n%6 == 0 {
			a.approach(reference.wall)
		}
		if n%6 == 3 { // the two do not compare their clocks at the same moment
			b.approach(reference.wall)
		}
		if !lease(one, a, "one") {
			t.Fatalf("after %s the server that renews the lease has lost it", step*time.Duration(n))
		}
		if lease(two, b, "two") {
			t.Fatalf("after %s both servers have the lease", step*time.Duration(n))
		}
	}
	reference.pass(lasts + step)
	if !lease(two, b, "two") {
		t.Error("the first server is gone, and the second does not get the lease")
	}
}

func openStore(t *testing.T, url string) *store.Store {
	t.Helper()
	sealer, err := secret.NewSealer(make([]byte, secret.KeyLen))
	testkit.Must(t, err)
	s, err := store.Open(t.Context(), url, sealer, store.Options{Log: slog.New(slog.DiscardHandler)})
	testkit.Must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	testkit.Must(t, s.Migrate(t.Context()))
	return s
}
