package watch_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// lines returns how many lines of the level a log has.
func lines(t *testing.T, log *bytes.Buffer, level slog.Level) int {
	t.Helper()
	n := 0
	for line := range strings.Lines(log.String()) {
		var entry struct{ Level string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatal(err)
		}
		if entry.Level == level.String() {
			n++
		}
	}
	return n
}

// TestWatcher_Alarms: a network that does not come up with the program, or goes away, is one alarm, and its timers
// stand still.
func TestWatcher_Alarms(t *testing.T) {
	t.Parallel()
	const behind = 3 * time.Hour // longer than any HeadLimit
	for name, row := range map[string]struct {
		before, wait time.Duration // the network is watched, and then away, so long
		comes        bool
		alarms       int
	}{
		"ComesUp":        {wait: 5 * time.Second, comes: true, alarms: 1},
		"NeverComes":     {wait: 40 * time.Second, alarms: 1},
		"GoesAway":       {before: time.Second, wait: 2 * time.Second, alarms: 1},
		"AwayAndBack":    {before: time.Second, wait: 2 * time.Second, comes: true, alarms: 1},
		"ComesUpLate":    {wait: 40 * time.Second, comes: true, alarms: 1},
		"WellFromTheOff": {before: 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 1)
			p := r.start()
			log := &bytes.Buffer{}
			w := watch.NewWatcher(
				r.profile, r.reader(), r.store, "one", r.now, slog.New(slog.NewJSONHandler(log, nil)),
			)
			round := func() { _ = w.RunOnce(t.Context()) }
			if row.before > 0 {
				round()
				r.pass(row.before)
				round()
			}
			if row.wait > 0 {
				r.pass(behind)
				round()
				if h := w.Health(); h.OK || h.Reason == "" {
					t.Errorf("health: %+v", h)
				}
				if r.cursor().BehindSince.IsZero() {
					t.Error("the timers of its payments run")
				}
				r.pass(row.wait)
				round()
				round()
			}
			if row.comes {
				r.catchUp()
				r.chain.Mine(rigFinalDepth)
				round()
				if h := w.Health(); !h.OK || !r.cursor().BehindSince.IsZero() {
					t.Errorf("it is back, and health is %+v", h)
				}
				r.expect(p, payment.Started, 0)
			}
			if got := lines(t, log, slog.LevelError); got != row.alarms {
				t.Errorf("%d alarms, want %d:\n%s", got, row.alarms, log.String())
			}
			if got := lines(t, log, slog.LevelWarn); (got > 0) != (row.alarms > 0) || got > 2 {
				t.Errorf("%d warnings beside %d alarms", got, row.alarms)
			}
		})
	}
}
