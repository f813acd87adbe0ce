package devsol

import (
	"context"
	"log/slog"
	"time"
)

// startTimer makes a slot every SlotTime until stop. Missed slots, as after the machine slept, are not made
// up for: a new anchor ties the next slot to the clock.
func (l *Ledger) startTimer() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	l.stop = func() { cancel(); <-done }
	go func() {
		defer close(done)
		tick := time.NewTicker(l.config.SlotTime)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-tick.C:
				if err := l.tick(now); err != nil {
					slog.Error("development ledger made no slot", "error", err)
				}
			}
		}
	}()
}

// maxDrift is how far the time of a slot may differ from the wall clock.
const maxDrift = 2 * time.Second

func (l *Ledger) tick(now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := l.next()
	if drift := now.Sub(l.timeOf(next)); drift > maxDrift {
		a := anchor{Slot: next, Time: now.UnixMilli(), Millis: l.config.SlotTime.Milliseconds()}
		l.clock = append(l.clock, a)
		if err := l.journal.write(record{Clock: &a}); err != nil {
			return err
		}
	}
	if l.config.SkipEvery > 0 && next%l.config.SkipEvery == 0 && l.pending == nil {
		return l.skip()
	}
	return l.seal()
}
