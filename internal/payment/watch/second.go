package watch

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// One endpoint alone may leave money out of a range of blocks, and nothing in its answer shows it. So every range is
// read a second time through another voice (Reader.Quorum of them in all), behind Cursor.Scanned and in wider ranges.
// What is credited is judged transaction by transaction already; the second reading is for what was not shown.

// second is how the blocks behind the second cursor were read the first time.
type second struct {
	// runs are through which voice they were read, in order.
	runs []run
	// shown is what has been shown of them, and said what was found to stand of it, so that neither is asked for twice.
	shown []chain.Transfer
	said  judgement
	at    time.Time // when the second reading was last tried
	// seen is the cursor at that time. One endpoint that is all there is is asked for blocks again only if they were
	// read by then: what it leaves out, it leaves out of two answers in a row.
	seen chain.Head
	// failing is since when it cannot be made, and why.
	failing time.Time
	why     string
}

// run is a run of blocks that one voice has read, from the end of the run before; empty: it is not known which.
type run struct {
	to    uint64
	voice string
}

// readBy records through which voice the blocks after..to were read the first time.
func (s *second) readBy(voice string, after, to uint64) {
	if len(s.runs) == 0 {
		s.runs = []run{{to: after}}
	}
	if last := &s.runs[len(s.runs)-1]; last.voice == voice {
		last.to = to
		return
	}
	s.runs = append(s.runs, run{to, voice})
}

// first returns the voice that has read all of the blocks after..to, or none.
func (s *second) first(after, to uint64) (voice string) {
	for _, r := range s.runs {
		switch {
		case r.to <= after:
		case r.voice == "", voice != "" && r.voice != voice:
			return ""
		case r.to >= to:
			return r.voice
		default:
			voice = r.voice
		}
	}
	return ""
}

// forget drops what was kept of blocks up to the number, which were read twice.
func (s *second) forget(upTo uint64) {
	s.runs = slices.DeleteFunc(s.runs, func(r run) bool { return r.to <= upTo })
	said := make(judgement)
	s.shown = slices.DeleteFunc(s.shown, func(t chain.Transfer) bool {
		if t.Block.Number <= upTo {
			return true
		}
		if why, known := s.said[confirmationOf(t)]; known {
			said[confirmationOf(t)] = why
		}
		return false
	})
	s.said = said
}

// mostShown bounds the memory that a flood takes. Beyond it, what was shown is asked for again.
const mostShown = 50_000

// show keeps what has been shown of the blocks.
func (s *second) show(found []chain.Transfer) {
	if len(s.shown)+len(found) > mostShown {
		s.shown, s.said, s.runs = nil, make(judgement), nil
		return
	}
	s.shown = append(s.shown, found...)
}

const (
	// secondLimit is how long blocks may be read through one voice only before the network says so.
	secondLimit = 10 * time.Minute
	// secondTime bounds a second reading in one round, so that payers who wait are kept waiting by no more.
	secondTime = 20 * time.Second
	// finalizedWithin is how long after it is credited a block is finalized at the latest, where the two differ.
	finalizedWithin = 30 * time.Minute
)

// secondEvery returns the time between two second readings: with Finality, it is how late money is seen that the first
// endpoint hides.
func (l Level) secondEvery() time.Duration {
	switch l {
	case Attended:
		return 30 * time.Second
	case Open:
		return openRound
	case Ended:
		return 30 * time.Minute
	case Idle:
	}
	return 6 * time.Hour
}

// secondDue returns when the next second reading is due; zero: none is.
func (w *Watcher) secondDue(c Cursor) time.Time {
	if c.Second.Number >= c.Scanned.Number {
		return time.Time{}
	}
	every := w.Level().secondEvery()
	if w.spent != nil {
		every *= time.Duration(factor(secondSlowdowns, w.spent()))
	}
	return w.second.at.Add(every)
}

// readSecond reads the blocks between the second cursor and the first a second time, if that is due. Its failures end
// no round: the network says that these blocks were read through one voice only.
func (w *Watcher) readSecond(ctx context.Context, heads chain.Heads, c Cursor) (Cursor, error) {
	if w.reading().Len() == 0 { // there is nothing to leave out
		to := c.Scanned
		if w.finalizes() {
			to = chain.Lower(to, heads.Finalized)
		}
		if to.Number > c.Second.Number {
			c.Second = to
		}
		if w.finalizes() {
			c.Rechecked, w.rechecked = c.Second, c.Second.Number
		}
	}
	due := w.secondDue(c)
	if due.IsZero() || w.now().Before(due) {
		return c, nil
	}
	w.second.at = w.now()
	end := c.Scanned
	if w.reader.Quorum() == 1 {
		end, w.second.seen = chain.Lower(w.second.seen, c.Scanned), c.Scanned
	}
	if w.finalizes() || w.secondRechecks() {
		// It is the recheck, too: a voice that has fallen behind must not leave blocks between the two cursors, of
		// which nothing would be folded any more.
		end = chain.Lower(end, heads.Finalized)
	}
	limited, cancel := context.WithTimeout(ctx, secondTime)
	defer cancel()
	c, err := w.catchUp(limited, heads, c, end)
	switch {
	case ctx.Err() != nil:
		return c, ctx.Err()
	case err != nil && limited.Err() == nil:
		if w.second.failing.IsZero() {
			w.second.failing = w.now()
			w.log.Warn("blocks cannot be read through a second endpoint yet", "from", c.Second.Number+1, "error", err)
		}
		w.second.why = err.Error()
	default:
		w.second.failing, w.second.why = time.Time{}, ""
	}
	w.second.forget(c.Second.Number)
	return c, nil
}

// catchUp moves the second cursor up to a block that the first has passed.
func (w *Watcher) catchUp(ctx context.Context, heads chain.Heads, c Cursor, end chain.Head) (Cursor, error) {
	for c.Second.Number < end.Number {
		to, err := w.step(ctx, c.Second.Number, end)
		if err != nil {
			return c, err
		}
		err = w.takeTwice(ctx, heads, w.reading(), c.Second.Number+1, to, w.second.first(c.Second.Number, to.Number),
			w.second.shown)
		if err != nil {
			return c, err
		}
		rechecked := w.finalizes() || w.secondRechecks() && c.Rechecked.Number >= c.Second.Number
		c.Second = to
		if rechecked && to.Number <= heads.Finalized.Number {
			c.Rechecked, w.rechecked = to, to.Number
		}
		if err := w.save(ctx, &c, true); err != nil {
			return c, err
		}
	}
	return c, nil
}

// secondRechecks reports whether the second reading waits for blocks to be finalized, and is the recheck of what was
// credited before at the same time: nothing was, nobody waits for money, and where ranges are narrow each reading costs
// much.
func (w *Watcher) secondRechecks() bool { return !w.unpaced && !w.early && w.Level() < Open }

// finalizes reports whether nothing is credited on the network before the chain has finalized it.
func (w *Watcher) finalizes() bool { return w.profile.Finality.Tag == chain.TagFinalized }

// onceSince says since when blocks were read through one voice only, for the operator, if that is too long ago.
func (w *Watcher) onceSince(c Cursor) string {
	age, usual := c.Scanned.Time.Sub(c.Second.Time), w.Level().secondEvery()
	if w.reader.Quorum() == 1 {
		usual *= 2 // what was read since the last second reading waits for the one after the next
	}
	if !w.finalizes() && w.secondRechecks() {
		usual += finalizedWithin
	}
	if c.Second.Number >= c.Scanned.Number || age < secondLimit+usual {
		return ""
	}
	why := w.second.why
	if why == "" {
		why = "the budget of calls, or the time of a round, does not allow for it"
	}
	return fmt.Sprintf("blocks since %s were read through one endpoint only, which may have left out money: %s",
		c.Second.Time.UTC().Format("15:04"), why)
}
