package chain_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// TestLists: a day's allowance of lists is a part of the budget of calls, and what is not used adds up for some hours.
func TestLists(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	l := chain.Budgets{100_000}.Lists(func() time.Time { return now })
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
	if got := (chain.Budgets{0}).Lists(time.Now).Take(10_000); got != 10_000 {
		t.Errorf("without a budget %d are allowed", got)
	}
}

func TestSpent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		calls   []int64
		budgets chain.Budgets
		want    int64
	}{
		"Nothing":      {nil, []int64{100_000}, 0},
		"NoLimit":      {[]int64{1 << 40}, []int64{0}, 0},
		"Unset":        {[]int64{1 << 40}, nil, 0},
		"Half":         {[]int64{50_000}, []int64{100_000}, 50},
		"NearestCount": {[]int64{10_000, 90_000}, []int64{100_000}, 90},
		"OneForEach":   {[]int64{90_000, 10_000}, []int64{100_000, 10_000}, 100},
		"Over":         {[]int64{1 << 40}, []int64{5_000}, 1_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.budgets.SpentPercent(c.calls); got != c.want {
				t.Errorf("%d%% spent, want %d%%", got, c.want)
			}
		})
	}
}
