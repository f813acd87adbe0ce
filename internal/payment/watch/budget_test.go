package watch_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment/watch"
)

func TestLevel_Slowdown(t *testing.T) {
	t.Parallel()
	levels := []watch.Level{watch.Idle, watch.Ended, watch.Open, watch.Attended}
	began := make(map[watch.Level]int64)
	for _, l := range levels {
		before := int64(1)
		for spent := range int64(1_001) {
			factor := l.Slowdown(spent)
			if factor < before {
				t.Errorf("%s is faster with %d%% spent than with less", l, spent)
			}
			if factor > 1 && before == 1 {
				began[l] = spent
			}
			p, full := l.Within(0, spent), l.Pace()
			if p.Round > full.Round*time.Duration(factor) || full.QuickRead > 0 && p.QuickRead == 0 {
				t.Errorf("%s with %d%% spent is read every %s, quick reads every %s", l, spent, p.Round, p.QuickRead)
			}
			before = factor
		}
	}
	if began[watch.Idle] >= began[watch.Open] || began[watch.Ended] >= began[watch.Open] ||
		began[watch.Open] >= began[watch.Attended] {
		t.Errorf("levels slow down from %v per cent on; lower ones must be first", began)
	}
}
