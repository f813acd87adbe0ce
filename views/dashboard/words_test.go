package dashboard

import (
	"testing"
	"time"
)

func TestRunwayText(t *testing.T) {
	t.Parallel()
	for want, in := range map[string][2]int64{
		"enough for less than a day at the pace of the last day":  {0, 1},
		"enough for about 1 day at the pace of the last 2 days":   {1, 2},
		"enough for about 30 days at the pace of the last 7 days": {30, 7},
	} {
		if got := RunwayText(in[0], in[1]); got != want {
			t.Errorf("%d days are %q, want %q", in[0], got, want)
		}
	}
}

func TestRelative(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		5 * time.Second: "just now", 59 * time.Second: "59 seconds ago", time.Minute: "1 minute ago", 119 * time.Second: "1 minute ago",
		90 * time.Minute: "90 minutes ago", 3 * time.Hour: "3 hours ago", 50 * time.Hour: "2 days ago", -time.Minute: "in 1 minute",
	} {
		if got := relative(now.Add(-d), now); got != want {
			t.Errorf("%s before is %q, want %q", d, got, want)
		}
	}
}
