package solana

import (
	"context"
	"errors"
	"math"
	"slices"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// walk reads the history of an account, newest transaction first, from one snapshot back to a slot, and finds the
// transactions that explain what the account holds. Anyone can name an account in thousands of cheap transactions,
// so a walk stops when its budget is spent and goes on from there in the next scan; each transaction is read once.
type walk struct {
	e     *endpoint // whose index is read
	state *rpc.Account
	slot  uint64 // of the state
	to    uint64 // the slot up to which the state counts as read
	swept uint64 // what the sweep log had counted at the time
	goal  uint64 // the slot back to which every transaction is read

	// bounded: the account held base when it was last read and no sweep named it since, so that it can only have
	// gained. The walk is over where the rest is base.
	bounded bool
	base    uint64
	// named: a sweep named the account in a slot from goal on, so that a list of nothing is not its history.
	named bool

	amount  uint64 // what the account holds
	rest    uint64 // amount without the changes read so far
	at      uint64 // slot of the last transaction read that reports the account's balance; 0: none so far
	after   uint64 // what the account held after that slot, by what was read of later ones
	matched bool   // a transaction of that slot left it: none between was left out
	before  string // the signature at which the next page begins
	page    []rpc.Signature
	last    uint64          // slot of the last signature read
	taken   map[string]bool // signatures in this slot: one that is listed twice must not explain two equal payments
	ended   bool            // there are no further pages
	older   int             // how many transactions before goal were read
	read    []*entry        // of transactions in slots from goal on
	listed  map[string]bool // signatures in slots from goal on, for the comparison with another index
	relied  bool            // it counts in what an earlier walk has read
	lacking bool            // what a transaction from goal on did to the account may have been left out
	// outdated: an index lists more by now.
	outdated bool
}

// Budgets of walks, in transactions.
const (
	// shortWalk is what every account may cost in every scan: many times what a payment needs.
	shortWalk = 16
	// longWalks is what the accounts that need more may cost together in one scan.
	longWalks = 256
	// olderReads is how many transactions before its goal a walk reads to explain a balance that did not change
	// since. A node may have forgotten the one that explains it.
	olderReads = 2 * shortWalk
	// settled is after how many slots an index lists everything before them.
	settled = 150
	// listedKept bounds the memory of a walk; with more, another index is not compared.
	listedKept = 10_000
)

// errUnexplained: no transaction explains what an account holds.
var errUnexplained = errors.New("no transaction explains it")

// begin starts a walk for a snapshot.
func (s *search) begin(x snapshot, now rpc.Holding, bounded bool) error {
	was, err := x.state.Holding()
	if err != nil {
		return err
	}
	sweep, goal := s.sweeps.named[x.key], s.historyStart(x)
	x.walk = &walk{
		e: s.e, state: x.now, slot: x.slot, to: s.to.Number, swept: s.swept, goal: goal,
		bounded: bounded, base: was.Amount, named: sweep.number > 0 && sweep.slot >= goal,
		amount: now.Amount, rest: now.Amount, listed: make(map[string]bool),
	}
	return nil
}

// again is the walk from its beginning, for the same snapshot. The endpoint may have hidden a transaction, or shown
// another effect of it, for a while.
func (w *walk) again() *walk {
	return &walk{
		e: w.e, state: w.state, slot: w.slot, to: w.to, swept: w.swept, goal: w.goal, bounded: w.bounded, base: w.base,
		named: w.named, amount: w.amount, rest: w.amount, listed: make(map[string]bool),
	}
}

// advance reads on until the walk is over or the budget is spent, which it reduces.
func (s *search) advance(ctx context.Context, acc *account, budget *int) (over bool, err error) {
	for {
		w := acc.walk
		if w.over() {
			if over, err := s.conclude(ctx, acc); over || err != nil {
				return true, err
			}
			continue
		}
		if *budget <= 0 {
			return false, nil
		}
		if len(w.page) == 0 {
			if err := w.turn(ctx, acc.key); err != nil {
				return false, err
			}
			*budget--
			continue
		}
		part := w.next(min(*budget, rpc.ParallelCalls))
		read, err := s.readOf(ctx, acc, part)
		if err != nil {
			w.page = slices.Concat(part, w.page)
			return false, err
		}
		for i, t := range read {
			if err := w.take(acc, part[i], t); err != nil {
				w.page = slices.Concat(part[i:], w.page)
				return false, err
			}
			if !part[i].Failed() && w.kept(acc, part[i]) == nil {
				*budget--
			}
			if w.bounded && w.rest == w.base && w.matched {
				break
			}
		}
	}
}

// kept returns what an earlier walk has read of a final transaction, which is not read again: a long history is begun
// anew by each pass that doubts it, and would never be read to its end. nil: it must be read.
func (w *walk) kept(acc *account, l rpc.Signature) *entry {
	e := acc.entries[l.Signature]
	if e == nil || !e.final || e.tx == nil || e.slot != l.Slot || l.Failed() || l.Slot > w.slot ||
		acc.under != nil || acc.unexplained {
		return nil
	}
	return e
}

// readOf reads transactions, nil for those that need not be read. Nodes forget old transactions, so one before the
// goal, which could only explain what the account held before, may be missing.
func (s *search) readOf(ctx context.Context, acc *account, part []rpc.Signature) ([]*rpc.Transaction, error) {
	w, read := acc.walk, make([]*rpc.Transaction, len(part))
	err := rpc.Each(ctx, part, 1, func(ctx context.Context, one []rpc.Signature, at int) error {
		l := one[0]
		if l.Failed() || l.Slot > w.slot || w.kept(acc, l) != nil {
			return nil
		}
		t, err := s.cache.transaction(ctx, l.Signature)
		switch {
		case l.Slot >= w.goal, gaveUp(ctx), err != nil && !ofOne(err):
			read[at] = t
			return err
		case err == nil && t.Slot == l.Slot:
			read[at] = t
		}
		return nil
	})
	return read, err
}

// turn reads the next page of the history. A node may not list what is older than the goal.
func (w *walk) turn(ctx context.Context, key solanago.PublicKey) error {
	page, last, err := w.e.Page(ctx, key.String(), w.before, rpc.SignaturesPerPage)
	if err != nil && w.last > 0 && w.last < w.goal && ofOne(err) && !gaveUp(ctx) {
		w.ended = true
		return nil
	}
	if err != nil {
		return err
	}
	if len(page) > 0 && w.before != "" && page[0].Slot > w.last {
		return rpc.Malformed("signatures of %s", key)
	}
	w.page, w.ended = page, last
	if len(page) > 0 {
		w.before = page[len(page)-1].Signature
	}
	return nil
}

// next takes the next signatures off the page: at most n that must be read, and none from both sides of the goal.
func (w *walk) next(n int) []rpc.Signature {
	end := 0
	for end < len(w.page) && n > 0 && (w.page[end].Slot >= w.goal) == (w.page[0].Slot >= w.goal) {
		if !w.page[end].Failed() {
			n--
		}
		end++
	}
	part := w.page[:end]
	w.page = w.page[end:]
	return part
}

// take counts one transaction in; t is nil for one that was not read now.
func (w *walk) take(acc *account, l rpc.Signature, t *rpc.Transaction) error {
	if t != nil && t.Slot != l.Slot {
		return rpc.Lagging("transaction %s is in slot %d, not %d", l.Signature, t.Slot, l.Slot)
	}
	if l.Slot != w.last {
		w.last, w.taken = l.Slot, make(map[string]bool)
	}
	if w.taken[l.Signature] {
		return nil
	}
	w.taken[l.Signature] = true
	if l.Slot >= w.goal && len(w.listed) < listedKept {
		w.listed[l.Signature] = true
	}
	if l.Slot < w.goal && !l.Failed() {
		w.older++
	}
	x := w.kept(acc, l)
	if t != nil {
		x = &entry{signature: l.Signature, slot: l.Slot, tx: outcomeOf(t, acc, w.e.Name)}
	}
	if x == nil {
		return nil
	}
	w.relied = w.relied || t == nil
	if x.tx.credited && acc.covered && l.Slot >= acc.since && l.Slot <= acc.seen && acc.entries[l.Signature] == nil {
		acc.missed = l.Slot
	}
	if l.Slot >= w.goal && (x.tx.credited || len(w.read) < listedKept) {
		w.read = append(w.read, x)
	}
	c := x.tx.change
	if t != nil {
		c, _ = t.Change(acc.key)
	}
	if c.Account == "" {
		w.lacking = w.lacking || l.Slot >= w.goal && t != nil && t.Lacks(acc.key)
		return nil // it names no token program, so it cannot have changed a token balance
	}
	if w.at != l.Slot {
		w.at, w.after, w.matched = l.Slot, w.rest, false
	}
	w.matched = w.matched || c.After == w.after
	w.rest -= c.After - c.Before
	return nil
}

// over reports whether nothing more has to be read. Transactions of one slot may be listed in any order.
func (w *walk) over() bool {
	if w.bounded && w.rest == w.base && (w.matched || w.at == 0) {
		return true
	}
	next, more := w.last, !w.ended || len(w.page) > 0
	if len(w.page) > 0 {
		next = w.page[0].Slot
	}
	switch {
	case !more:
		return true
	case w.at != 0 && !w.matched && next < w.at:
		return true // unexplained
	case len(w.page) == 0 || next >= w.goal:
		return false
	}
	return w.matched || w.amount == 0 || w.older >= olderReads
}

// conclude checks that the balance is explained, and adopts what was found. Where what was read before may be why it
// is not, all is read once more: over is false.
func (s *search) conclude(ctx context.Context, acc *account) (over bool, err error) {
	w := acc.walk
	explained := (w.matched || w.at == 0 && (w.amount == 0 && (!w.named || len(w.listed) > 0) ||
		w.bounded && w.rest == w.base)) && s.whole(ctx, w)
	if acc.unexplained = !explained; !explained && w.relied {
		acc.walk = w.again()
		return false, nil
	}
	// What is missing may be older than what the node remembers. Where more was credited than the account held, nothing
	// was forgotten, and the snapshot was wrong.
	old := !w.bounded && !w.lacking && (w.at == 0 || w.matched) && w.rest <= math.MaxInt64
	if !explained && old {
		explained = s.forgotten(ctx, acc, w)
	}
	if acc.unexplained = !explained; !explained {
		acc.walk = nil // the index is behind: begin at its newest entry again
		if old && !w.outdated {
			acc.walk = w.again()
		}
		return true, rpc.Lagging("%w: %s at slot %d", errUnexplained, acc.key, w.slot)
	}
	for _, e := range w.read {
		if e.tx.credited {
			acc.entries[e.signature], acc.credited = e, max(acc.credited, e.slot)
		} else if e.slot <= s.adapter.heads.finalNumber() && len(acc.entries) < listedKept {
			e.final = true
			acc.entries[e.signature] = e
		}
	}
	if !acc.covered || w.goal < acc.since {
		acc.since = w.goal
	}
	acc.known, acc.covered, acc.state, acc.seen = true, true, w.state, max(acc.seen, w.to)
	acc.swept, acc.walk, acc.doubted = w.swept, nil, false
	return true, nil
}

// whole reports whether nothing is missing of what was listed back to the goal: an account begins with nothing, so a
// history that ends after the goal explains all that it holds. Where the node has forgotten the goal, there may have
// been more, which a sweep took: another endpoint is asked then, if there is any.
func (s *search) whole(ctx context.Context, w *walk) bool {
	if !w.ended || len(w.page) > 0 || w.last > 0 && w.last < w.goal || w.bounded && w.rest == w.base {
		return true
	}
	return w.rest == 0 && !s.forgot(ctx, w.goal)
}

// forgot reports whether the node may have forgotten the slot, and another one may know it still.
func (s *search) forgot(ctx context.Context, slot uint64) bool {
	return s.adapter.pool.size() > 1 && !s.adapter.pool.lone() && !s.remembers(ctx, slot)
}

// remembers reports whether the node has the slot still, as far as it says.
func (s *search) remembers(ctx context.Context, slot uint64) bool {
	s.history.Lock()
	defer s.history.Unlock()
	if !s.asked {
		s.first, s.asked = s.firstSlot(ctx), true
	}
	return s.first <= slot
}

// firstSlot returns the first slot that the node has. One that does not say so is not waited for in every scan.
func (s *search) firstSlot(ctx context.Context) uint64 {
	now, unknown := s.adapter.pool.now(), solanago.PublicKey{}
	if s.adapter.failures.recent(s.e, unknown, now) {
		return math.MaxUint64
	}
	first, err := s.e.FirstSlot(ctx)
	switch {
	case err == nil:
		return first
	case !gaveUp(ctx):
		s.adapter.failures.record(s.e, unknown, now)
	}
	return math.MaxUint64
}

// reaches reports whether a list, which is all there is if last, goes back to the goal: a node may cut it.
func (w *walk) reaches(list []rpc.Signature, last bool) bool {
	return last || len(list) > 0 && list[len(list)-1].Slot < w.goal
}

// forgotten reports whether what is not explained of a balance dates from before what the node remembers, and before
// the goal. Since an index may also be behind, another endpoint whose index has reached the snapshot must list nothing
// more for the range; or the node remembers the goal, and so many slots have passed since the snapshot that the index
// would list it now.
func (s *search) forgotten(ctx context.Context, acc *account, w *walk) bool {
	for _, o := range s.adapter.pool.without(w.e.Name) {
		var list []rpc.Signature
		var last bool
		var newest rpc.Signature
		err := s.adapter.pool.try(ctx, o, func(ctx context.Context, o *endpoint) (err error) {
			// Almost every slot has a transaction that names a mint: by it the index shows how far it is.
			if newest, err = o.NewestSigned(ctx, s.adapter.mints[0].key.String()); err != nil {
				return err
			}
			list, last, err = o.Page(ctx, acc.key.String(), "", rpc.SignaturesPerPage)
			return err
		})
		if err != nil || newest.Slot < w.slot || len(w.listed) >= listedKept || !w.reaches(list, last) {
			continue
		}
		w.outdated = slices.ContainsFunc(list, func(l rpc.Signature) bool {
			return l.Slot >= w.goal && !w.listed[l.Signature]
		})
		return !w.outdated
	}
	list, last, err := w.e.Page(ctx, acc.key.String(), "", rpc.SignaturesPerPage)
	if err != nil || !w.reaches(list, last) {
		return false
	}
	w.outdated = slices.ContainsFunc(list, func(l rpc.Signature) bool {
		return l.Slot >= w.goal && l.Slot <= w.slot && !w.listed[l.Signature]
	})
	if w.outdated || s.to.Number < w.slot+settled {
		return false
	}
	return s.remembers(ctx, w.goal)
}
