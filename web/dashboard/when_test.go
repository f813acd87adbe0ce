package dashboard

import (
	"testing"
	"time"
)

func TestReadWhen(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("+2", 7200)
	now := time.Date(2026, 11, 26, 16, 20, 0, 0, zone)
	for text, want := range map[string]string{
		"14:00":                     "2026-11-26 14:00 for 1h0m0s",
		"14:35":                     "2026-11-26 14:35 for 1h0m0s",
		"18:00":                     "2026-11-25 18:00 for 1h0m0s", // today it is still to come
		"09:15-11:00":               "2026-11-26 09:15 for 1h45m0s",
		"9:15–11:00":                "2026-11-26 09:15 for 1h45m0s",
		"2026-11-21":                "2026-11-21 00:00 for 24h0m0s",
		"21.11.2026":                "2026-11-21 00:00 for 24h0m0s",
		"21 November 2026":          "2026-11-21 00:00 for 24h0m0s",
		"2026-11-21 18:00":          "2026-11-21 18:00 for 1h0m0s",
		"Nov 21, 2026, 18:00-19:30": "2026-11-21 18:00 for 1h30m0s",
	} {
		from, until, ok := readWhen(text, now)
		if got := from.Format("2006-01-02 15:04") + " for " + until.Sub(from).String(); !ok || got != want {
			t.Errorf("%q: %s, %t, want %s", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "14", "1400", "25:00", "14:00-13:00", "14:00-", "order 14:00", "2026", "2026-13-01", "1850-01-01",
		"12.50", ":", " 14:00x",
	} {
		if from, until, ok := readWhen(text, now); ok {
			t.Errorf("%q is %v to %v", text, from, until)
		}
	}
}
