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

// machine is a machine whose clock can be set.
type machine struct {
	wall  time.Time
	count time.Duration
}

func (m *machine) pass(d time.Duration) {
	m.wall, m.count = m.wall.Add(d), m.count+d
}

func (m *machine) counter() time.Duration { return m.count }

func TestClock(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for name, by := range map[string]time.Duration{"Forward": time.Hour, "Back": -time.Hour} {
		t.Run("JumpsAndBack/"+name, func(t *testing.T) {
			t.Parallel()
			m := &machine{wall: start, count: 5 * time.Hour}
			c := newClock(m.wall, m.counter)
			expires, last := start.Add(time.Hour), c.Now()
			for minute := range 59 {
				switch minute {
				case 10:
					m.wall = m.wall.Add(by)
				case 20:
					m.wall = m.wall.Add(-by)
				}
				m.pass(time.Minute)
				c.approach(m.wall)
				now := c.Now()
				if now.Before(last) {
					t.Fatalf("the clock goes back, from %s to %s", last, now)
				}
				if last = now; !now.Before(expires) {
					t.Fatalf("what lasts an hour has expired after %d minutes", minute+1)
				}
			}
			if off := last.Sub(start.Add(59 * time.Minute)).Abs(); off > 5*time.Second {
				t.Errorf("after the jump and back it is off by %s", off)
			}
		})
	}
	t.Run("FollowsSlowly", func(t *testing.T) {
		t.Parallel()
		m := &machine{wall: start}
		c := newClock(m.wall, m.counter)
		m.wall = m.wall.Add(10 * time.Second)
		for range 60 {
			m.pass(time.Minute)
			c.approach(m.wall)
		}
		if got := c.Now(); !got.Equal(m.wall) {
			t.Errorf("after an hour it is %s, and the machine's clock %s", got, m.wall)
		}
	})
	t.Run("TwoMachines", func(t *testing.T) {
		t.Parallel()
		right, wrong := &machine{wall: start}, &machine{wall: start.Add(time.Hour), count: 9 * time.Hour}
		database := right.wall
		a, b := newClock(database, right.counter), newClock(database, wrong.counter)
		for range 90 {
			right.pass(time.Minute)
			wrong.pass(time.Minute)
			database = database.Add(time.Minute)
			a.approach(database)
			b.approach(database)
			if x, y := a.Now(), b.Now(); !x.Equal(y) {
				t.Fatalf("two instances have the times %s and %s", x, y)
			}
		}
	})
	t.Run("Sleep", func(t *testing.T) {
		t.Parallel()
		m := &machine{wall: start}
		c := newClock(m.wall, m.counter)
		m.pass(8 * time.Hour)
		if got := c.Now(); !got.Equal(m.wall) {
			t.Errorf("after a sleep of eight hours it is %s", got)
		}
	})
}

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
