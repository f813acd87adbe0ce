package web

import (
	"testing"
	"time"
)

func TestLatencyOf(t *testing.T) {
	t.Parallel()
	for l, want := range map[time.Duration]string{
		0: "less than 1 ms", 999 * time.Microsecond: "less than 1 ms", 1_234_567: "1 ms", 120 * time.Millisecond: "120 ms",
		999_400 * time.Microsecond: "999 ms", 999_600 * time.Microsecond: "1.0 s", 1_234 * time.Millisecond: "1.2 s", 15 * time.Second: "15.0 s",
	} {
		if got := latencyOf(l); got != want {
			t.Errorf("%d is %q, want %q", l, got, want)
		}
	}
}
