package watch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// second reads every range of blocks a second time through another voice (Reader.Quorum of them in all), behind
// Cursor.Scanned and in wider ranges: one endpoint alone may leave money out, and nothing in its answer shows it. What
// is credited is judged transaction by transaction already; the second reading is for what was not shown.
type second struct {
	*reader

	at time.Time // when it was last tried
	// seen is the cursor at that time. One endpoint that is all there is is asked for blocks again only if they were
	// read by then: what it leaves out, it leaves out of two answers in a row.
	seen chain.Head
	// again is up to where such an endpoint has been asked once more for what it showed before this process read.
	again chain.Head
	why   string // it cannot be made; empty: it can
}

// reset forgets how the blocks behind the cursor were read the first time.
func (s *second) reset() {
	*s = second{reader: s.reader}
	s.once = memory{said: make(judgement)}
}

// memory is how the blocks behind the second cursor were read the first time.
type memory struct {
	// voice has read those after since up to read; empty: it is not known which.
	voice       string
	since, read uint64
	// shown is what has been shown of them, and said what was found to stand of it, so that neither is asked for twice.
	shown []chain.Transfer
	said  judgement
}

// first returns the voice that has read all blocks after..to, or none.
func (m *memory) first(after, to uint64) (voice string) {
	if after < m.since || to > m.read {
		return ""
	}
	return m.voice
}

// forget drops what was kept of blocks up to the number, which were read twice.
func (m *memory) forget(upTo uint64) {
	m.since = max(m.since, upTo)
	m.shown = slices.DeleteFunc(m.shown, func(t chain.Transfer) bool { return t.Block.Number <= upTo })
	said := make(judgement)
	for _, t := range m.shown {
		if why, known := m.said[confirmationOf(t)]; known {
			said[confirmationOf(t)] = why
		}
	}
	m.said = said
}

// mostShown bounds the memory that a flood takes. Beyond it, what was shown is asked for again.
const mostShown = 50_000

// keep keeps what a voice has shown of the blocks after..to, the first time, if there is room for it. What is between
// these and the last ones was read by another instance.
func (m *memory) keep(found []chain.Transfer, voice string, after, to uint64) {
	if len(m.shown)+len(found) > mostShown {
		*m = memory{said: make(judgement)}
		return
	}
	m.shown = append(m.shown, found...)
	if voice != m.voice || after != m.read {
		m.voice, m.since = voice, after
	}
	m.read = to
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
func (s *second) due() time.Time {
	if s.cursor.Second.Number >= s.cursor.Scanned.Number {
		return time.Time{}
	}
	return s.at.Add(s.pace.level().Pace().Second * time.Duration(factor(secondSlowdowns, s.pace.part)))
}

// take reads the blocks between the second cursor and the first a second time, if that is due.
func (s *second) take(ctx context.Context) error {
	c, end := &s.cursor, s.cursor.Scanned
	cursors := []*chain.Head{&c.Second}
	if s.finalizes() || s.pace.secondRechecks() || s.single() {
		// It is the recheck, too: a voice that has fallen behind must not leave blocks between the two cursors, of
		// which nothing would be folded any more.
		end = chain.Lower(end, s.heads.Finalized)
		if s.finalizes() || c.Rechecked.Number >= c.Second.Number {
			cursors = append(cursors, &c.Rechecked)
		}
	}
	if s.current.Len() == 0 { // there is nothing to leave out
		move(end, cursors...)
	}
	if due := s.due(); due.IsZero() || s.now().Before(due) {
		return nil
	}
	s.at = s.now()
	if s.single() {
		if s.seen.Number == 0 && (s.again.Number > 0 || s.once.first(c.Second.Number, end.Number) == "") {
			move(c.Second, &s.again)
			if err := s.read(ctx, false, end, &s.again); err != nil || s.again.Number < end.Number {
				return err
			}
		}
		end, s.seen = chain.Lower(s.seen, end), c.Scanned
	}
	err := s.read(ctx, true, end, cursors...)
	s.once.forget(c.Second.Number)
	return err
}

// read reads the blocks after the first of the cursors up to end as advance does, as far as the time allows. That they
// cannot be read ends no round: the network says so.
func (s *second) read(ctx context.Context, twice bool, end chain.Head, cursors ...*chain.Head) error {
	limited, cancel := context.WithTimeout(ctx, secondTime)
	defer cancel()
	after := cursors[0].Number
	err := s.advance(limited, twice, end, cursors...)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case after >= end.Number, err != nil && limited.Err() != nil:
		return nil
	case err == nil:
		s.why = ""
		return nil
	case s.why == "":
		s.log.Warn("blocks cannot be read through a second endpoint yet", "after", after, "error", err)
	}
	s.why = err.Error()
	return nil
}

// recheck reads again the blocks that were credited before the chain finalized them. Where nothing is credited before,
// or nobody waits, the second reading is that. It is made through as many voices: only what is finalized is folded, and
// of a block that is folded already no more is. Where one endpoint is all there is, the second reading folds.
func (s *second) recheck(ctx context.Context) error {
	c := &s.cursor
	if s.finalizes() || s.pace.secondRechecks() && c.Second.Number <= c.Rechecked.Number {
		return nil
	}
	return s.read(ctx, !s.single(), chain.Lower(s.heads.Finalized, c.Scanned), &c.Rechecked)
}

// onceSince says since when blocks were read through one voice only, for the operator, if that is too long ago.
func (s *second) onceSince() string {
	c := s.cursor
	last, usual := c.Second, s.pace.level().Pace().Second
	if s.single() {
		usual *= 2 // what was read since the last second reading waits for the one after the next
	}
	if !s.finalizes() && (s.pace.secondRechecks() || s.single() || s.why != "") {
		usual += finalizedWithin
		if !c.Rechecked.Time.IsZero() { // of a cursor of before, the time is not known
			last = chain.Lower(last, c.Rechecked)
		}
	}
	if last.Number >= c.Scanned.Number || last.Time.Unix() <= 0 || // the first block of a chain may have no time
		c.Scanned.Time.Sub(last.Time) < secondLimit+usual {
		return ""
	}
	return fmt.Sprintf("blocks since %s were read through one endpoint only, which may have left out money: %s",
		last.Time.UTC().Format("15:04"),
		cmp.Or(s.why, "the budget of calls, or the time of a round, does not allow for it"))
}
