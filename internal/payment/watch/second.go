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

// second is that reading.
type second struct {
	*reader

	at time.Time // when it was last tried
	// seen is the cursor at that time. One endpoint that is all there is is asked for blocks again only if they were
	// read by then: what it leaves out, it leaves out of two answers in a row.
	seen chain.Head
	// failing is since when it cannot be made, and why.
	failing time.Time
	why     string
}

// reset forgets how the blocks behind the cursor were read the first time.
func (s *second) reset() {
	*s = second{reader: s.reader}
	s.once = memory{said: make(judgement)}
}

// memory is how the blocks behind the second cursor were read the first time.
type memory struct {
	// runs are through which voice they were read, in order.
	runs []run
	// shown is what has been shown of them, and said what was found to stand of it, so that neither is asked for twice.
	shown []chain.Transfer
	said  judgement
}

// run is a run of blocks that one voice has read, from the end of the run before; empty: it is not known which.
type run struct {
	to    uint64
	voice string
}

// readBy records through which voice the blocks after..to were read the first time.
func (m *memory) readBy(voice string, after, to uint64) {
	if len(m.runs) == 0 {
		m.runs = []run{{to: after}}
	}
	if last := &m.runs[len(m.runs)-1]; last.voice == voice {
		last.to = to
		return
	}
	m.runs = append(m.runs, run{to, voice})
}

// first returns the voice that has read all of the blocks after..to, or none.
func (m *memory) first(after, to uint64) (voice string) {
	for _, r := range m.runs {
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
func (m *memory) forget(upTo uint64) {
	m.runs = slices.DeleteFunc(m.runs, func(r run) bool { return r.to <= upTo })
	said := make(judgement)
	m.shown = slices.DeleteFunc(m.shown, func(t chain.Transfer) bool {
		if t.Block.Number <= upTo {
			return true
		}
		if why, known := m.said[confirmationOf(t)]; known {
			said[confirmationOf(t)] = why
		}
		return false
	})
	m.said = said
}

// mostShown bounds the memory that a flood takes. Beyond it, what was shown is asked for again.
const mostShown = 50_000

// show keeps what has been shown of the blocks.
func (m *memory) show(found []chain.Transfer) {
	if len(m.shown)+len(found) > mostShown {
		*m = memory{said: make(judgement)}
		return
	}
	m.shown = append(m.shown, found...)
}

const (
	// secondLimit is how long blocks may be read through one voice only before the network says so.
	secondLimit = 10 * time.Minute
	// secondTime bounds a second reading in one round, so that payers who wait are kept waiting by no more.
	secondTime = 20 * time.Second
	// finalizedWithin is how long after it is credited a block is finalized at the latest, where the two differ.
	finalizedWithin = 30 * time.Minute
)

// due returns when the next second reading is due; zero: none is.
func (s *second) due(c Cursor) time.Time {
	if c.Second.Number >= c.Scanned.Number {
		return time.Time{}
	}
	return s.at.Add(s.pace.level().Pace().Second * time.Duration(s.pace.slower(secondSlowdowns)))
}

// take reads the blocks between the second cursor and the first a second time, if that is due. Its failures end
// no round: the network says that these blocks were read through one voice only.
func (s *second) take(ctx context.Context, c Cursor) (Cursor, error) {
	if s.set().Len() == 0 { // there is nothing to leave out
		to := c.Scanned
		if s.finalizes() {
			to = chain.Lower(to, s.heads.Finalized)
		}
		if to.Number > c.Second.Number {
			c.Second = to
		}
		if s.finalizes() {
			c.Rechecked, s.rechecked = c.Second, c.Second.Number
		}
	}
	due := s.due(c)
	if due.IsZero() || s.now().Before(due) {
		return c, nil
	}
	s.at = s.now()
	end := c.Scanned
	if s.endpoints.Quorum() == 1 {
		end, s.seen = chain.Lower(s.seen, c.Scanned), c.Scanned
	}
	if s.finalizes() || s.pace.secondRechecks() {
		// It is the recheck, too: a voice that has fallen behind must not leave blocks between the two cursors, of
		// which nothing would be folded any more.
		end = chain.Lower(end, s.heads.Finalized)
	}
	c, failing, err := s.catchUp(ctx, c, end)
	if err == nil && failing == nil {
		s.failing, s.why = time.Time{}, ""
	}
	s.once.forget(c.Second.Number)
	return c, err
}

// catchUp moves the second cursor up to a block that the first has passed; failing says why it could not.
func (s *second) catchUp(ctx context.Context, c Cursor, end chain.Head) (now Cursor, failing, err error) {
	failing, err = s.twice(ctx, c.Second.Number, end, func(to chain.Head, _ int, _ string) error {
		rechecked := s.finalizes() || s.pace.secondRechecks() && c.Rechecked.Number >= c.Second.Number
		c.Second = to
		if rechecked && to.Number <= s.heads.Finalized.Number {
			c.Rechecked, s.rechecked = to, to.Number
		}
		return s.save(ctx, &c, true)
	})
	return c, failing, err
}

// twice reads the blocks after..end through as many voices as must say the same, as advance does, as far as the time
// allows; failing says why they could not be read, which ends no round.
func (s *second) twice(
	ctx context.Context, after uint64, end chain.Head, moved func(to chain.Head, changed int, by string) error,
) (failing, err error) {
	limited, cancel := context.WithTimeout(ctx, secondTime)
	defer cancel()
	switch err = s.advance(limited, s.set(), true, after, end, moved); {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil, limited.Err() != nil:
		return nil, nil
	case s.failing.IsZero():
		s.failing = s.now()
		s.log.Warn("blocks cannot be read through a second endpoint yet", "after", after, "error", err)
	}
	s.why = err.Error()
	return err, nil
}

// recheck reads again the blocks that were credited before the chain finalized them. Where nothing is credited before,
// or nobody waits, the second reading is that. It is made through as many voices: only what is finalized is folded, and
// of a block that is folded already no more is. How far it came is stored as often as the cursor is, which the round
// began with as it was stored then: the next one does not read them again.
func (s *second) recheck(ctx context.Context, c Cursor, stored time.Time) (Cursor, error) {
	if s.finalizes() {
		return c, nil
	}
	end := s.heads.Finalized
	if s.pace.secondRechecks() && c.Second.Number < end.Number {
		if c.Second.Number <= c.Rechecked.Number {
			return c, nil
		}
		var err error // the hash of the cursor is not stored
		if end, err = s.blockAt(ctx, c.Second.Number); err != nil {
			return c, err
		}
	}
	end = chain.Lower(end, c.Scanned)
	_, err := s.twice(ctx, c.Rechecked.Number, end, func(to chain.Head, changed int, _ string) error {
		c.Rechecked, s.rechecked = to, to.Number
		return s.save(ctx, &c, changed > 0 || to.Number < end.Number || s.now().Sub(stored) >= saveEvery)
	})
	return c, err
}

// onceSince says since when blocks were read through one voice only, for the operator, if that is too long ago.
func (s *second) onceSince(c Cursor) string {
	last, usual := c.Second, s.pace.level().Pace().Second
	if s.endpoints.Quorum() == 1 {
		usual *= 2 // what was read since the last second reading waits for the one after the next
	}
	if !s.finalizes() && (s.pace.secondRechecks() || s.why != "") {
		usual += finalizedWithin
		if !c.Rechecked.Time.IsZero() { // of a cursor of before, the time is not known
			last = chain.Lower(last, c.Rechecked)
		}
	}
	if last.Number >= c.Scanned.Number || c.Scanned.Time.Sub(last.Time) < secondLimit+usual {
		return ""
	}
	why := s.why
	if why == "" {
		why = "the budget of calls, or the time of a round, does not allow for it"
	}
	return fmt.Sprintf("blocks since %s were read through one endpoint only, which may have left out money: %s",
		last.Time.UTC().Format("15:04"), why)
}
