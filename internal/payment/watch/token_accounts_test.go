package watch_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment/watch"
)

// TestLists: a day's allowance of lists is a part of the budget of calls, and what is not used adds up for some hours.
func TestLists(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	l := watch.ListsOf(100_000, func() time.Time { return now })
	if got := l.Take(10); got != 10 {
		t.Errorf("of 10 there are %d at once", got)
	}
	if got := l.Take(10_000); got != 1_240 {
		t.Errorf("%d more are allowed at once, want a quarter of a day's allowance in all", got)
	}
	taken := 1_250
	for range 24 * 60 {
		now = now.Add(time.Minute)
		taken += l.Take(100)
	}
	if calls := 2 * taken; calls < 9_900 || calls > 10_000 {
		t.Errorf("%d calls in a day, want a tenth of the budget", calls)
	}
	now = now.Add(10 * 24 * time.Hour)
	if got := l.Take(10_000); got != 1_250 {
		t.Errorf("after ten days %d are allowed", got)
	}
	if got := watch.ListsOf(0, time.Now).Take(10_000); got != 10_000 {
		t.Errorf("without a budget %d are allowed", got)
	}
}
