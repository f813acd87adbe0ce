package settlement

import "github.com/florinpay/florin/internal/money"

// Covering is how far sweeps have covered the deposits of one address in one
// asset. A sweep moves all an address holds, so it covers deposits of blocks up
// to its own and never later ones.
type Covering struct {
	Moved  money.Units // all that sweeps ever moved
	Marked money.Units // the sum of the deposits marked as swept
	// Found is what a rescue moved beyond all recorded deposits.
	Found money.Units
	// Through is the block of the last sweep that moved money, 0 before the first.
	Through uint64
}

// CoveredDeposit is a deposit as covering needs it; one that vanished from the
// chain is not passed.
type CoveredDeposit struct {
	Units money.Units
	// Block is that of its transfer. A deposit that stands for many small transfers holds those from Block to Through;
	// of any other the two are the same.
	Block, Through uint64
	Final          bool
	Rechecked      bool // found again in a finalized block
	Swept          bool // marked before
}

// Ahead reports whether more was moved than the marked deposits account for.
func (c Covering) Ahead() bool { return c.Moved.Cmp(c.Marked) > 0 }

// Cover marks final deposits as swept in the given order, as long as what was
// moved covers them, and returns the covering afterwards with the indices of
// those newly marked. It stops at the first deposit that is not covered, so the
// same order always gives the same marks. rescued says that the last sweep was
// a rescue, which may move more than was deposited. One that was marked and then
// vanished counts no more.
func (c Covering) Cover(deposits []CoveredDeposit, rescued bool) (after Covering, marked []int) {
	c.Marked = money.Units{}
	for _, d := range deposits {
		if d.Swept {
			c.Marked = c.Marked.Add(d.Units)
		}
	}
	left := c.Moved.Sub(c.Marked)
	var deposited money.Units
	covered := true
	for i, d := range deposits {
		if d.Block > c.Through {
			continue
		}
		deposited = deposited.Add(d.Units)
		if !d.Final || d.Swept || d.Through > c.Through {
			continue
		}
		if covered = covered && d.Units.Cmp(left) <= 0; covered {
			left, c.Marked = left.Sub(d.Units), c.Marked.Add(d.Units)
			marked = append(marked, i)
		}
	}
	if excess := c.Moved.Sub(deposited); rescued && excess.Cmp(c.Found) > 0 {
		c.Found = excess
	}
	return c, marked
}

// Due returns what sweeps still have to move of final deposits that are not
// marked. What was moved and not marked yet counts against those that had
// arrived by then.
func (c Covering) Due(deposits []CoveredDeposit) money.Units {
	var due money.Units
	spare := c.Moved.Sub(c.Marked)
	for _, d := range deposits {
		units := d.Units
		if d.Block <= c.Through && spare.Cmp(money.Units{}) > 0 {
			part := units.Min(spare)
			units, spare = units.Sub(part), spare.Sub(part)
		}
		due = due.Add(units)
	}
	return due
}

// Standing returns what certainly stood on the address at a block if no sweep but the known ones moved it: deposits
// that were found again in finalized blocks. The last sweep took along what had come by then, also what is not
// recorded, so moving more than was recorded does not count against later deposits.
func (c Covering) Standing(deposits []CoveredDeposit, at uint64) money.Units {
	var early, late money.Units
	for _, d := range deposits {
		switch {
		case !d.Rechecked || d.Through > at:
		case d.Block <= c.Through:
			early = early.Add(d.Units)
		default:
			late = late.Add(d.Units)
		}
	}
	if rest := early.Sub(c.Moved); rest.Cmp(money.Units{}) > 0 {
		return late.Add(rest)
	}
	return late
}
