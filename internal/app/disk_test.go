package app

import (
	"testing"
	"time"
)

// TestDiskWatch: a day's growth is what the hours that were seen come to, of one or more.
func TestDiskWatch(t *testing.T) {
	t.Parallel()
	var w diskWatch
	began := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		minutes    int
		free, want int64
	}{
		{0, 1000, 0},
		{30, 900, 0},
		{60, 990, 240},
		{120, 980, 240},
		{12 * 60, 500, 1000},
		{13 * 60, 1200, 0},
		{48 * 60, 700, 0},
		{49 * 60, 600, 2400},
	} {
		got := w.day(diskSample{began.Add(time.Duration(row.minutes) * time.Minute), row.free})
		if got != row.want {
			t.Errorf("after %d minutes a day takes %d, want %d", row.minutes, got, row.want)
		}
	}
	for i := range 100 {
		w.day(diskSample{began.Add(time.Duration(50+i) * time.Hour), 600})
	}
	if len(w.seen) > 26 {
		t.Errorf("%d samples are kept", len(w.seen))
	}
}
