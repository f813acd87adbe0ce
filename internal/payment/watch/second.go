package watch

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// One endpoint alone may leave money out of a range of blocks, and nothing in its answer shows it. So every range is
// read a second time through another voice (Reader.Quorum of them in all), behind Cursor.Scanned and in wider ranges.
// What is credited is judged transaction by transaction already; the second reading is for what was not shown.

// second is how the blocks behind the second cursor were read the first time.
type second struct {
	// voice is the only one that has read them; mixed: several have, or it is not known.
	voice string
	mixed bool
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

// readBy records which voice has read blocks the first time.
func (s *second) readBy(voice string) {
	s.mixed = s.mixed || s.voice != "" && voice != s.voice
	s.voice = voice
}

// mostShown bounds the memory that a flood takes. Beyond it, what was shown is asked for again.
const mostShown = 50_000

// show keeps what has been shown of the blocks.
func (s *second) show(found []chain.Transfer) {
	if len(s.shown)+len(found) > mostShown {
		s.shown, s.said, s.mixed = nil, make(judgement), true
		return
	}
	s.shown = append(s.shown, found...)
}

// first returns the voice that has read all blocks behind the second cursor, or none.
func (s *second) first() string {
	if s.mixed {
		return ""
	}
	return s.voice
}

const (
	// secondLimit is how long blocks may be read through one voice only before the network says so.
	secondLimit = 10 * time.Minute
	// secondTime bounds a second reading in one round, so that payers who wait are kept waiting by no more.
	secondTime = 20 * time.Second
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
	level := w.Level()
	every := level.secondEvery()
	if w.spent != nil {
		every *= time.Duration(level.Slowdown(w.spent())) // the last to be paid for
	}
	return w.second.at.Add(every)
}

// readSecond reads the blocks between the second cursor and the first a second time, if that is due. Its failures end
// no round: the network says that these blocks were read through one voice only.
func (w *Watcher) readSecond(ctx context.Context, heads chain.Heads, c Cursor) (Cursor, error) {
	if w.reading().Len() == 0 { // there is nothing to leave out
		if c.Second = c.Scanned; w.finalizes() {
			c.Rechecked = chain.Lower(c.Scanned, heads.Finalized)
			w.rechecked = c.Rechecked.Number
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
	if c.Second.Number >= c.Scanned.Number {
		w.second = second{at: w.second.at, seen: w.second.seen, said: make(judgement)}
	}
	return c, nil
}

// catchUp moves the second cursor up to a block that the first has passed.
func (w *Watcher) catchUp(ctx context.Context, heads chain.Heads, c Cursor, end chain.Head) (Cursor, error) {
	for c.Second.Number < end.Number {
		to, err := w.step(ctx, c.Second.Number, end)
		if err != nil {
			return c, err
		}
		err = w.takeTwice(ctx, heads, w.reading(), c.Second.Number+1, to, w.second.first(), w.second.shown)
		if err != nil {
			return c, err
		}
		c.Second = to
		if w.finalizes() && to.Number <= heads.Finalized.Number {
			c.Rechecked, w.rechecked = to, to.Number
		}
		if err := w.save(ctx, &c, true); err != nil {
			return c, err
		}
	}
	return c, nil
}

// finalizes reports whether nothing is credited on the network before the chain has finalized it.
func (w *Watcher) finalizes() bool { return w.profile.Finality.Tag == chain.TagFinalized }

// onceSince says since when blocks were read through one voice only, for the operator, if that is too long ago.
func (w *Watcher) onceSince(c Cursor) string {
	age, usual := c.Scanned.Time.Sub(c.Second.Time), w.Level().secondEvery()
	if w.reader.Quorum() == 1 {
		usual *= 2 // what was read since the last second reading waits for the one after the next
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
