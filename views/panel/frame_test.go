package panel

import (
	"testing"
	"time"
)

func TestRelative(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		5 * time.Second: "just now", 59 * time.Second: "59 seconds ago",
		time.Minute: "1 minute ago", 119 * time.Second: "1 minute ago",
		90 * time.Minute: "90 minutes ago", 3 * time.Hour: "3 hours ago",
		50 * time.Hour: "2 days ago", -time.Minute: "in 1 minute",
	} {
		if got := relative(t.Context(), now.Add(-d), now); got != want {
			t.Errorf("%s before is %q, want %q", d, got, want)
		}
	}
}

func TestWhen(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 2*60*60)
	now := time.Date(2026, 1, 3, 12, 0, 0, 0, zone)
	for want, at := range map[string]time.Time{
		"1 Jan, 00:30": time.Date(2025, 12, 31, 22, 30, 0, 0, time.UTC),
		"31 Dec 2025":  time.Date(2025, 12, 31, 21, 30, 0, 0, time.UTC),
	} {
		if got := when(t.Context(), at, now); got != want {
			t.Errorf("%s is written as %q, want %q", at, got, want)
		}
	}
}
