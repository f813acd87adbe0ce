package app

import (
	"testing"
	"time"
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
