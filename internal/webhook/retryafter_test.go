package webhook_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/webhook"
)

func TestParseRetryAfter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value string
		want  time.Duration
		ok    bool
	}{
		{"0", 0, true},
		{"120", 2 * time.Minute, true},
		{" 5 ", 5 * time.Second, true},
		{"86400", webhook.MaxRetryAfter, true},
		{"86401", webhook.MaxRetryAfter, true},
		{"99999999999999999999999999", webhook.MaxRetryAfter, true},
		{"Sat, 21 Nov 2026 12:01:00 GMT", time.Minute, true},
		{"Saturday, 21-Nov-26 12:01:00 GMT", time.Minute, true},
		{"Sat Nov 21 12:01:00 2026", time.Minute, true},
		{"Sat, 21 Nov 2026 11:00:00 GMT", 0, true},
		{"Sat, 21 Nov 2099 12:00:00 GMT", webhook.MaxRetryAfter, true},
		{"Fri, 31 Dec 9999 23:59:59 GMT", webhook.MaxRetryAfter, true},
		{"", 0, false},
		{"-1", 0, false},
		{"+1", 0, false},
		{"1.5", 0, false},
		{"soon", 0, false},
		{"2026-11-21T12:01:00Z", 0, false},
	} {
		got, ok := webhook.ParseRetryAfter(c.value, noon)
		if got != c.want || ok != c.ok {
			t.Errorf("%q: got %v, %v; want %v, %v", c.value, got, ok, c.want, c.ok)
		}
	}
}

func FuzzParseRetryAfter(f *testing.F) {
	for _, s := range []string{"0", "120", "-1", "1e9", "Sat, 21 Nov 2026 12:01:00 GMT", "9999999999999999999"} {
		f.Add(s, int64(0))
	}
	f.Fuzz(func(t *testing.T, value string, seconds int64) {
		now := time.Unix(seconds%(1<<40), 0)
		got, ok := webhook.ParseRetryAfter(value, now)
		if got < 0 || got > webhook.MaxRetryAfter || !ok && got != 0 {
			t.Fatalf("%q at %v: %v, %v", value, now, got, ok)
		}
		// A date is parsed as the time until it, in whole seconds.
		if at, err := http.ParseTime(value); err == nil && at.After(now) && at.Sub(now) < webhook.MaxRetryAfter &&
			got != at.Sub(now) {
			t.Fatalf("%q at %v: %v, want %v", value, now, got, at.Sub(now))
		}
	})
}
