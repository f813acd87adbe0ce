package settlement

import (
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// Progress is what sweeps have done to a deposit balance so far.
type Progress struct {
	// Moved is all that ever left the address.
	Moved money.Units
	// Through is the block of the last sweep that moved it, 0 before the
	// first. Money that arrived later has not been moved.
	Through uint64
	// Failures counts consecutive sweeps that could not move it; it is not
	// swept before BlockedUntil.
	Failures     int
	BlockedUntil time.Time
	Reason       string // of the last failure; empty after a success
}

// blockFor are the pauses after consecutive failures of a balance; the last one
// repeats. A token that was paused for a moment is swept within a minute, and one
// frozen by its issuer must not cost gas every minute.
var blockFor = []time.Duration{time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}

// batchPause is the pause of the balances of a transaction that failed as a
// whole. They return in smaller batches, until the faulty one is a single.
const batchPause = time.Minute

// Block returns the end of the pause after that many consecutive failures, at
// least one.
func Block(failures int, now time.Time) time.Time {
	i := min(max(failures, 1), len(blockFor)) - 1
	return now.Add(blockFor[i])
}

// After returns the progress of an item's balance once the sweep has ended.
func (w Sweep) After(i chain.SweepItem, p Progress, now time.Time) Progress {
	single := len(w.Items) == 1
	switch {
	case w.State == Confirmed:
		return w.confirmed(i, p, now)
	case w.State == Failed && single, w.State == Superseded && single && len(w.Attempts) == 0:
		return p.failed(w.Note, now)
	case w.State == Failed:
		p.BlockedUntil, p.Reason = now.Add(batchPause), w.Note
	case w.spent() && p.Reason == w.Note: // again: each costs gas, if no endpoint shows what is included
		return p.failed(w.Note, now)
	case w.spent():
		p.Reason = w.Note
	}
	return p
}

// spent reports whether an attempt may have cost gas although the sweep was superseded: one that expires costs none.
func (w Sweep) spent() bool {
	last, some := w.Last()
	return some && !last.Expires()
}

// nothingLeft is the reason when the chain shows neither that the balance moved
// nor that it could not.
const nothingLeft = "nothing left the address, although money was recorded there"

func (w Sweep) confirmed(i chain.SweepItem, p Progress, now time.Time) Progress {
	if reason, bad := w.unmoved(i); bad {
		return p.failed(reason, now)
	}
	units, ok := w.moved(i)
	if !ok {
		return p.failed(nothingLeft, now)
	}
	return Progress{Moved: p.Moved.Add(units), Through: max(p.Through, w.Block.Number)}
}

func (p Progress) failed(reason string, now time.Time) Progress {
	p.Failures++
	p.BlockedUntil, p.Reason = Block(p.Failures, now), reason
	return p
}
