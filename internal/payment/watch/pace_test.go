package watch_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment/watch"
)

func TestAtRisk_Level(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for name, c := range map[string]struct {
		atRisk watch.AtRisk
		want   watch.Level
	}{
		"Nothing":      {watch.AtRisk{}, watch.Idle},
		"OnlyEnded":    {watch.AtRisk{Ended: true}, watch.Ended},
		"EndedLongAgo": {watch.AtRisk{Ended: true, EndedAt: ago(11 * time.Minute)}, watch.Ended},
		"JustEnded":    {watch.AtRisk{Ended: true, EndedAt: ago(time.Minute)}, watch.Open},
		"OpenAndUnwatched": {
			watch.AtRisk{StartedAt: ago(4 * time.Minute), ExpiresAt: now.Add(time.Minute)}, watch.Open,
		},
		"OpenAndDue":        {watch.AtRisk{StartedAt: ago(time.Hour), ExpiresAt: ago(time.Minute)}, watch.Open},
		"JustStarted":       {watch.AtRisk{StartedAt: ago(time.Minute), ExpiresAt: now.Add(time.Hour)}, watch.Attended},
		"PageOpen":          {watch.AtRisk{StartedAt: ago(time.Hour), PageUntil: now.Add(time.Second)}, watch.Attended},
		"PageOfEnded":       {watch.AtRisk{Ended: true, LookedAt: ago(time.Second)}, watch.Open},
		"PageOfEndedClosed": {watch.AtRisk{Ended: true, LookedAt: ago(time.Minute)}, watch.Ended},
		"PageClosed":        {watch.AtRisk{ExpiresAt: now.Add(time.Hour), PageUntil: ago(0)}, watch.Open},
		"MoneyOnItsWay":     {watch.AtRisk{Ended: true, Pending: 7}, watch.Attended},
		"StartedTomorrow": {
			watch.AtRisk{StartedAt: now.Add(time.Hour), ExpiresAt: now.Add(2 * time.Hour)}, watch.Attended,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.atRisk.Level(now); got != c.want {
				t.Errorf("level %s, want %s", got, c.want)
			}
		})
	}
}

// Closer attention is never slower, and no level is faster than one look a second.
func TestLevel_Pace(t *testing.T) {
	t.Parallel()
	before := watch.Idle.Pace()
	for _, l := range []watch.Level{watch.Ended, watch.Open, watch.Attended} {
		p := l.Pace()
		if p.Round > before.Round || before.QuickRead > 0 && p.QuickRead > before.QuickRead {
			t.Errorf("%s is read every %s, less often than the level below, every %s", l, p.Round, before.Round)
		}
		if p.QuickRead != 0 && p.QuickRead < time.Second || p.Round < time.Second {
			t.Errorf("%s is read every %s, quick reads every %s", l, p.Round, p.QuickRead)
		}
		if s := l.Within(0, 1_000); s.Round < p.Round || s.Round > 15*time.Minute {
			t.Errorf("%s, slowed down without end, is read every %s", l, s.Round)
		}
		before = p
	}
}

// A small budget has fewer quick reads, and as many rounds.
func TestLevel_Within(t *testing.T) {
	t.Parallel()
	full := watch.Attended.Pace()
	for budget, want := range map[int64]time.Duration{
		0: time.Second, 1_000_000: time.Second, 100_000: time.Second, 20_000: 2 * time.Second, 5_000: 10 * time.Second,
	} {
		if got := watch.Attended.Within(budget, 0); got.QuickRead != want || got.Round != full.Round {
			t.Errorf("with %d calls a day: %+v, want quick reads every %s", budget, got, want)
		}
	}
}
