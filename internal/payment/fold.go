package payment

import (
	"math"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// Anybody can send anything to a deposit address, a thousand times a block. What
// is recorded one by one is therefore bounded: the more a payment has already, the
// more a further transfer must be worth. What is worth less is folded: all of it
// in one asset is one Deposit, with their count and sum. It counts and is swept
// like any money.

// foldRule: in a payment with from deposits or more, a transfer worth less than
// below is folded.
type foldRule struct {
	from  int
	below money.Micros
}

// FoldFrom deposits of a payment are recorded whatever they are worth, since a
// payer may pay in parts; from then on DustFloor is the least.
const (
	FoldFrom  = 16
	DustFloor = money.USD / 100
	// From manyDeposits on a stranger pays a dollar for each row, and nothing is
	// recorded by itself from maxDeposits on.
	manyDeposits = 128
	manyFloor    = money.USD
	maxDeposits  = 1024
	everything   = money.Micros(math.MaxInt64)
)

var foldRules = [...]foldRule{{maxDeposits, everything}, {manyDeposits, manyFloor}, {FoldFrom, DustFloor}}

// Floor is the least that a transfer must be worth to be recorded by itself in a
// payment with that many deposits.
func Floor(deposits int) money.Micros {
	for _, r := range foldRules {
		if deposits >= r.from {
			return r.below
		}
	}
	return 0
}

// Flooded reports whether all further transfers to the payment that are worth less than DustFloor are folded.
func (p Payment) Flooded() bool { return newFolding(&p, View{}).singles >= FoldFrom }

// Folded reports whether the deposit stands for many transfers.
func (d Deposit) Folded() bool { return d.Count > 0 }

// Apart returns the deposits that a transfer without its place may be: those of its transaction and address that are
// recorded by themselves; none for one that is placed. Where there is any, folding the transfer would count it twice,
// so it must be read again with its place.
func (p Payment) Apart(t chain.Transfer) (list []Deposit) {
	for _, d := range p.Deposits {
		if o := d.Transfer; !t.Placed() && !d.Folded() && o.Network == t.Network && o.Tx == t.Tx && o.To == t.To {
			list = append(list, d)
		}
	}
	return list
}

// folding takes the transfers of a view that are to be folded into the deposits
// of a payment.
//
// Only finalized blocks are folded, since a sum cannot give back what one of them
// held, and each block once: a folded deposit knows the last block it holds. A
// view of blocks that it holds already adds nothing, unless the view shows all of
// them and they hold more than was known.
type folding struct {
	p       *Payment
	before  Payment // as it was before the view
	view    View
	singles int
	taken   []*foldSum // one for each key, in the order in which they come
}

// foldKey is what folded transfers have in common.
type foldKey struct{ to, contract chain.Address }

// foldSum is what a view holds for the folded deposits of one key.
type foldSum struct {
	foldKey

	through     uint64         // the last block that is folded already
	fresh, held part           // of later blocks, and of those
	spare       chain.Transfer // one of held that no folded deposit is named after
	since       chain.Head     // the first block that may hold what was missed; zero: none was
}

// part is the sum of some transfers.
type part struct {
	first chain.Transfer // one of the first block
	count int
	units money.Units
	last  uint64 // block
}

func (s *part) add(t chain.Transfer) {
	if s.count == 0 || t.Block.Number < s.first.Block.Number {
		s.first = t
	}
	s.count++
	s.units = s.units.Add(t.Units)
	s.last = max(s.last, t.Block.Number)
}

func newFolding(p *Payment, v View) *folding {
	f := &folding{p: p, before: *p, view: v}
	for _, d := range p.Deposits {
		if !d.Folded() {
			f.singles++
		}
	}
	return f
}

// rows returns the folded deposits of a key, the oldest first.
func (f *folding) rows(key foldKey) []*Deposit {
	var list []*Deposit
	for i := range f.p.Deposits {
		d := &f.p.Deposits[i]
		if t := d.Transfer; d.Folded() && t.Network == f.view.Network && t.To == key.to &&
			t.Asset.Contract == key.contract {
			list = append(list, d)
		}
	}
	return list
}

// through is the last block that the deposits of a key hold.
func (f *folding) through(key foldKey) uint64 {
	last := uint64(0)
	for _, d := range f.rows(key) {
		last = max(last, d.Through)
	}
	return last
}

// holds reports whether a folded deposit holds the transfer, although it is recorded by itself: an endpoint showed it
// once more, larger and in a later block.
func (f *folding) holds(t chain.Transfer, recorded Deposit) bool {
	return t.Block.Number < recorded.Transfer.Block.Number && f.isSmall(t) &&
		t.Block.Number <= f.through(foldKey{t.To, t.Asset.Contract})
}

// isSmall reports whether a transfer that is not recorded is folded.
func (f *folding) isSmall(t chain.Transfer) bool {
	return !t.Placed() || t.Asset.Worth(t.Units).Cmp(Floor(f.singles).Atto()) < 0
}

// names reports whether a folded deposit has the identity of the transfer.
func (f *folding) names(t chain.Transfer) bool {
	return slices.ContainsFunc(f.p.Deposits, func(d Deposit) bool { return d.Folded() && d.Transfer.ID() == t.ID() })
}

// take reports whether a transfer that is not recorded is folded, and folds it. One that a folded deposit is named
// after would take its place.
func (f *folding) take(t chain.Transfer) bool {
	if !f.isSmall(t) && !f.names(t) {
		f.singles++
		return false
	}
	if len(f.before.Apart(t)) > 0 {
		return true // not without its place
	}
	if t.Block.Number > f.view.Finalized.Number || t.Block.Number > f.view.Final.Number || f.view.Unread {
		return true // not yet
	}
	sum := f.sum(foldKey{t.To, t.Asset.Contract})
	if t.Block.Number <= sum.through {
		sum.held.add(t)
		if !f.names(t) {
			sum.spare = t
		}
	} else {
		sum.fresh.add(t)
	}
	return true
}

func (f *folding) sum(key foldKey) *foldSum {
	for _, s := range f.taken {
		if s.foldKey == key {
			return s
		}
	}
	s := &foldSum{foldKey: key, through: f.through(key)}
	f.taken = append(f.taken, s)
	return s
}

// apply adds what was taken to the payment and returns the deposits that changed.
func (f *folding) apply(now time.Time) []Deposit {
	var changed []Deposit
	for _, s := range f.taken {
		rows := f.rows(s.foldKey)
		f.findMissed(s, rows)
		if s.fresh.count == 0 {
			continue
		}
		changed = append(changed, f.put(s, rows, now))
	}
	return changed
}

// findMissed adds what the blocks that are folded already hold beyond what was
// found in them before, if the view shows all of them. What was swept of them is
// not changed any more, so that what a sweep took unseen is a deposit of its own.
func (f *folding) findMissed(s *foldSum, rows []*Deposit) {
	if len(rows) == 0 || s.held.count == 0 || f.view.From > rows[0].Transfer.Block.Number || f.view.To < s.through {
		return
	}
	var known part
	for _, d := range rows {
		known.count += d.Count
		known.units = known.units.Add(d.Transfer.Units)
	}
	own := rows[len(rows)-1].Swept && s.fresh.count == 0
	if more := s.held.units.Sub(known.units); more.Cmp(money.Units{}) > 0 && (!own || s.spare.Tx != "") {
		if own {
			s.fresh.first = s.spare
		} else {
			s.since = s.held.first.Block
		}
		s.fresh.count += max(s.held.count-known.count, 1)
		s.fresh.units = s.fresh.units.Add(more)
	}
}

// put adds what is new to the last folded deposit, or to another if that one is
// swept or came in time for a payment that has ended since. The deposit keeps the
// transaction of its first transfer, and the first block that may hold any: a sweep
// of a later block took that along.
func (f *folding) put(s *foldSum, rows []*Deposit, now time.Time) Deposit {
	through := max(s.through, s.fresh.last)
	if n := len(rows); n > 0 && !rows[n-1].Swept && (rows[n-1].Late || !f.p.Status.Final() || s.fresh.first.Tx == "") {
		d := rows[n-1]
		d.Transfer.Units = d.Transfer.Units.Add(s.fresh.units)
		d.Count, d.Through = d.Count+s.fresh.count, through
		s.begin(d)
		return *d
	}
	d := Deposit{
		Transfer: s.fresh.first, State: DepositFinal, Rechecked: true, Late: f.p.Status.Final(),
		SeenAt: now, FinalAt: now,
		Count: s.fresh.count, Through: through,
	}
	d.Transfer.Units, d.Transfer.From = s.fresh.units, ""
	if !d.Transfer.Placed() {
		d.Transfer.Block.Time = f.view.End.Time // its own is not known
	}
	s.begin(&d)
	f.p.Deposits = append(f.p.Deposits, d)
	return d
}

// begin has the deposit begin where what was missed may.
func (s *foldSum) begin(d *Deposit) {
	if b := s.since; b != (chain.Head{}) && b.Number < d.Transfer.Block.Number {
		if b.Time.IsZero() {
			b.Time = d.Transfer.Block.Time // of one without its place it is not known
		}
		d.Transfer.Block = b
	}
}
