package watch_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment/watch"
)

// TestWatcher_InVain_Restart: what was spent before this process began was not spent in vain.
func TestWatcher_InVain_Restart(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.start()
	reader := r.paced()
	const budget = 50_000
	r.watcher.Limit(budget, func() int64 { return 40_00 + int64(2*reader.rounds+reader.quickReads)*10_000/budget })
	r.readFor(2 * time.Minute)
	if reader.quickReads < 90 {
		t.Errorf("%d quick reads in two minutes", reader.quickReads)
	}
}

// TestWatcher_InVain: who orders and never pays has the network read ever less closely, and cannot spend a tenth of the
// day's budget; real money makes reading as close as before.
func TestWatcher_InVain(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	reader := r.paced()
	const budget = 5_000
	calls := func() int64 { return int64(2*reader.rounds + reader.quickReads) }
	r.watcher.Limit(budget, func() int64 { return calls() * 10_000 / budget })
	for range 8 {
		r.start()
		r.readFor(3 * time.Minute)
	}
	spent := calls()
	p := r.start()
	r.readFor(6 * time.Minute)
	if more := calls() - spent; spent > budget/10 || more > 20 {
		t.Errorf("%d calls in 24 minutes, %d in the next six", spent, more)
	}
	r.pay(p)
	began := r.now()
	for len(r.get(p).Deposits) == 0 {
		r.readFor(time.Second)
	}
	if waited := r.now().Sub(began); waited > 2*time.Minute+time.Second {
		t.Errorf("money was seen after %s", waited)
	}
	r.readFor(4 * time.Minute) // it is final
	spent = calls()
	r.start()
	r.readFor(time.Minute)
	if more := calls() - spent; more < 6 {
		t.Errorf("%d calls in a minute after real money came", more)
	}
}

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
