package settlement

import (
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// Progress is what sweeps have done to a pot so far.
type Progress struct {
	// Moved is all that ever left the address.
	Moved money.Units
	// Through is the block of the last sweep that moved it, 0 before the
	// first. Money that arrived later has not been moved, however much was.
	Through uint64
	// Failures counts sweeps that could not move it, one after the other;
	// until BlockedUntil it is left alone.
	Failures     int
	BlockedUntil time.Time
	Reason       string // of the last failure; empty after a success
}

// blockFor are the pauses after failures of a pot, the last one for all
// further ones: a token its issuer has frozen must not cost gas every minute.
var blockFor = []time.Duration{10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}

// batchPause is how long the pots of a transaction that failed as a whole are
// left alone. They come again in smaller batches, until the one that is to
// blame is alone.
const batchPause = time.Minute

// Block returns until when a pot is left alone that has failed that many times
// one after the other, at least once.
func Block(failures int, now time.Time) time.Time {
	i := min(max(failures, 1), len(blockFor)) - 1
	return now.Add(blockFor[i])
}

// After returns the progress of an item's pot when the sweep has ended, given
// what it was before.
func (w Sweep) After(i chain.SweepItem, p Progress, now time.Time) Progress {
	alone := len(w.Items) == 1
	switch {
	case w.State == Confirmed:
		return w.confirmed(i, p, now)
	case w.State == Failed && alone, w.State == Superseded && alone && len(w.Attempts) == 0:
		return p.failed(w.Note, now)
	case w.State == Failed:
		p.BlockedUntil, p.Reason = now.Add(batchPause), w.Note
	}
	return p
}

// nothingLeft is why a pot failed of which the chain says neither that it
// moved nor that it could not.
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
