package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
)

// setAsideFunc is called with a payment that could not observe a view, or not all of it, and with what it was shown and
// has not recorded. Its error ends the round.
type setAsideFunc func(id payment.ID, cause error, shown []chain.Transfer) error

// observe applies the view of the addresses in the set to each payment concerned. Payments are read many at a time and
// locked only if they change, so that those whose money merely waits for finality cost little each round. A payment
// that fails is set aside and holds up no other.
func (r *reader) observe(
	ctx context.Context, set *chain.WatchSet, v payment.View, agreed judgement, setAside setAsideFunc,
) error {
	transfers, err := r.concerned(ctx, v)
	if err != nil {
		return err
	}
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(transfers)), payment.MaxPage) {
		payments, err := r.read(ctx, ids, func(id payment.ID, cause error) error {
			return setAside(id, cause, transfers[id])
		})
		if err != nil {
			return err
		}
		if !r.single() { // nobody else would have to show what one endpoint invents
			for _, p := range payments {
				r.watched.flood(p, r.heads.Final.Number)
			}
		}
		payments = slices.DeleteFunc(payments, func(p payment.Payment) bool {
			route, _ := p.WatchedOn(r.profile.Network)
			_, read := set.Lookup(route.Address.Raw)
			return len(transfers[p.ID]) == 0 && !read && rests(r.profile.Network) // else every scan reads it
		})
		if err := r.observeBatch(ctx, payments, transfers, v, agreed, setAside); err != nil {
			return err
		}
	}
	return nil
}

// read reads payments, one by one if they cannot be read together.
func (r *reader) read(
	ctx context.Context, ids []payment.ID, failed func(payment.ID, error) error,
) ([]payment.Payment, error) {
	payments, err := r.store.PaymentsByID(ctx, ids)
	if err == nil {
		return payments, nil
	}
	for _, id := range ids {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("read %d payments: %w", len(ids), err)
		}
		p, err := r.store.Payment(ctx, id)
		switch {
		case err == nil:
			payments = append(payments, p)
		case !errors.Is(err, payment.ErrUnknown):
			if err := failed(id, err); err != nil {
				return nil, fmt.Errorf("payment %s: %w", id, err)
			}
		}
	}
	return payments, nil
}

// concerned returns the payments that the view can change, each with the transfers to its addresses: those with a
// transfer in it, and those with a deposit that its blocks are expected to hold.
func (r *reader) concerned(ctx context.Context, v payment.View) (map[payment.ID][]chain.Transfer, error) {
	list := make(map[payment.ID][]chain.Transfer)
	unsettled, err := r.store.Unsettled(ctx, v.Network, v.From, v.To)
	if err != nil {
		return nil, fmt.Errorf("list unsettled deposits: %w", err)
	}
	for _, id := range unsettled {
		list[id] = nil
	}
	for _, t := range v.Transfers {
		if id, ok := r.watched.owners[t.To]; ok {
			list[id] = append(list[id], t)
		}
	}
	return list, nil
}

// observeBatch lets payments observe the view, each with its own transfers, and commits what they change together:
// the webhooks of what one block completes leave at once. What the endpoints dispute is left out of the view, and set
// aside from its block on; what they deny is left out.
func (r *reader) observeBatch(
	ctx context.Context, payments []payment.Payment, transfers map[payment.ID][]chain.Transfer, v payment.View,
	agreed judgement, setAside setAsideFunc,
) error {
	o := observation{endpoints: r.endpoints, now: r.now, said: r.once.said, early: make(judgement), agreed: agreed}
	defer maps.DeleteFunc(o.said, func(_ confirmation, why error) bool { return why != nil }) // is asked about again
	var all []chain.Transfer
	for _, p := range payments {
		all = append(all, unjudged(p, transfers[p.ID], v)...)
	}
	o.said.judge(ctx, o.endpoints, all, v.End)
	if err := ctx.Err(); err != nil {
		return err
	}
	var due []observed
	var updates []Update
	for _, p := range payments {
		v.Transfers = transfers[p.ID]
		before, waits := r.failed[p.ID]
		v.Unread = agreed == nil || v.From > r.folded(p)+1 || waits && before.From <= v.From
		x, some := o.look(ctx, p, v)
		if some {
			due, updates = append(due, x), append(updates, x.update(o.now))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if x.denied {
			r.above = kept{} // what the endpoint reported is not kept until another one reports it, too
		}
		if x.open != nil {
			if err := setAside(p.ID, x.open, x.left); err != nil {
				return fmt.Errorf("payment %s: %w", p.ID, err)
			}
		}
	}
	if len(due) == 0 {
		return nil
	}
	var failed error
	for i, err := range r.store.UpdatePayments(ctx, updates) {
		switch p := due[i].before; {
		case err == nil:
			r.changed++
			for _, d := range due[i].deposits {
				r.pace.paid(d)
			}
		case failed == nil:
			if err = setAside(p.ID, err, unjudged(p, transfers[p.ID], v)); err != nil {
				failed = fmt.Errorf("payment %s: %w", p.ID, err)
			}
		}
	}
	return failed
}

// unjudged returns the placed transfers of final blocks that are not recorded as final yet: those were judged before.
func unjudged(p payment.Payment, transfers []chain.Transfer, v payment.View) []chain.Transfer {
	return slices.DeleteFunc(slices.Clone(transfers), func(t chain.Transfer) bool {
		return t.Block.Number > v.Final.Number || !t.Placed() || recorded(p, t)
	})
}

// recorded reports whether the payment has the transfer as a final deposit of this block.
func recorded(p payment.Payment, t chain.Transfer) bool {
	return slices.ContainsFunc(p.Deposits, func(d payment.Deposit) bool {
		return d.State == payment.DepositFinal && !d.Folded() && confirmationOf(d.Transfer) == confirmationOf(t)
	})
}

// observation is what it takes to let payments observe a view.
type observation struct {
	endpoints chain.Reader
	now       func() time.Time
	// said is what was found to stand of final blocks, and early of those that are not: it must not outlive the view.
	said, early judgement
	// agreed is why transfers of the view that are not placed do not stand; nil: not as many voices as must say the
	// same show the view.
	agreed judgement
}

// observed is what a payment makes of a view.
type observed struct {
	before payment.Payment
	view   payment.View // without what does not stand
	// judged is what stands of what is credited above the final head, and what a quorum says vanished.
	judged   map[confirmation]payment.DepositState
	deposits []payment.Deposit // that change
	denied   bool              // something above the final head is not confirmed
	open     error             // why part of the view is left out, which is to be read again
	left     []chain.Transfer  // that part
}

// leave leaves a transfer out because of why. The view is to be read again as a whole, and nothing of it is folded
// before: of a block that is folded already no more is.
func (x *observed) leave(why error) {
	if x.open == nil {
		x.open = why
	}
	x.view.Unread = true
}

// look decides on the payment as it was read; some is false if there is nothing to write. What is new must stand, what
// is missing must be denied, and what is credited above the final head must stand, too.
func (o observation) look(ctx context.Context, p payment.Payment, v payment.View) (x observed, some bool) {
	x = observed{before: p, view: v, judged: make(map[confirmation]payment.DepositState)}
	doubted := make(doubts)
	x.view.Doubted = doubted.has
	x.view.Transfers = slices.DeleteFunc(slices.Clone(v.Transfers), func(t chain.Transfer) bool {
		why := o.said[confirmationOf(t)]
		switch {
		case !t.Placed():
			why = o.agreed[confirmationOf(t)]
		case why != nil && o.otherwise(p, t, v.Transfers):
			why = errDenied
		}
		for _, d := range p.Apart(t) {
			doubted.add(d.Transfer)
			why = cmp.Or[error](why, errApart)
		}
		if renumbered(p, t, v) {
			why = cmp.Or[error](why, errRenumbered)
		}
		denied := errors.Is(why, errDenied)
		if why != nil && !(denied && o.agreed != nil) {
			doubted.add(t) // another amount may stand in its place, which this endpoint does not show
		}
		if why != nil && !denied {
			x.leave(why)
			x.left = append(x.left, t)
		}
		return why != nil
	})
	c, err := p.Observe(x.view, o.now())
	if err == nil && !c.None() && o.doubt(ctx, &x, c, doubted) {
		c, err = p.Observe(x.view, o.now())
	}
	if err != nil {
		x.open, x.left = err, unjudged(p, v.Transfers, v)
	}
	x.deposits = c.Deposits
	return x, err == nil && !c.None()
}

// otherwise reports whether the transfer stands in its block in another way, such as with another time: an endpoint
// that is all there is may have named a wrong one, and denies no transaction that it shows.
func (o observation) otherwise(p payment.Payment, t chain.Transfer, list []chain.Transfer) bool {
	return slices.ContainsFunc(list, func(other chain.Transfer) bool {
		why, known := o.said[confirmationOf(other)]
		return other.ID() == t.ID() && other.Block.Hash == t.Block.Hash && (known && why == nil || recorded(p, other))
	})
}

// errApart: an endpoint showed a transfer larger than it is, so that it was recorded by itself.
var errApart = fault.New(fault.Unavailable, "a small transfer is shown without its place, and may be recorded already")

// errRenumbered: a receipt lacks another log of the transaction now, or lacked it when the deposit was recorded.
var errRenumbered = fault.New(fault.Unavailable, "a transfer that is recorded is shown at another place of its transaction")

// renumbered reports whether a transfer that is not recorded is one that is, and that the view does not show where it
// was: it must not count twice.
func renumbered(p payment.Payment, t chain.Transfer, v payment.View) bool {
	if !t.Placed() {
		return false
	}
	has := func(list []chain.Transfer, id chain.TransferID) bool {
		return slices.ContainsFunc(list, func(o chain.Transfer) bool { return o.ID() == id })
	}
	var counted []chain.Transfer
	for _, d := range p.Deposits {
		if o := d.Transfer; d.State == payment.DepositFinal && !d.Folded() && o.Network == t.Network && o.Tx == t.Tx {
			counted = append(counted, o)
		}
	}
	return !has(counted, t.ID()) && slices.ContainsFunc(counted, func(o chain.Transfer) bool {
		return o.Block.Hash == t.Block.Hash && o.To == t.To && o.Account == t.Account &&
			o.Asset.Contract == t.Asset.Contract && o.Units.Cmp(t.Units) == 0 && !has(v.Transfers, o.ID())
	})
}

// doubt judges what a change credits above the final head, or no longer, and what it takes for vanished. What is not
// confirmed is left out of the view; it reports whether anything is.
func (o observation) doubt(ctx context.Context, x *observed, c payment.Change, doubted doubts) (some bool) {
	var credited []chain.Transfer
	for _, d := range c.Deposits {
		if early(x.before, d, x.view) {
			credited = append(credited, d.Transfer)
			x.judged[confirmationOf(d.Transfer)] = d.State
		}
	}
	o.early.judge(ctx, o.endpoints, credited, x.view.Latest)
	for _, t := range credited {
		if o.early[confirmationOf(t)] != nil {
			delete(x.judged, confirmationOf(t))
			doubted.add(t)
			some, x.denied = true, true // it is read again
		}
	}
	x.view.Transfers = slices.DeleteFunc(slices.Clone(x.view.Transfers), func(t chain.Transfer) bool {
		return o.early[confirmationOf(t)] != nil
	})
	for _, d := range c.Deposits {
		if d.State != payment.DepositVanished {
			continue
		}
		if why := o.absent(ctx, d.Transfer, x.view.End); why != nil {
			doubted.add(d.Transfer)
			some = true
			x.leave(why)
		} else {
			x.judged[confirmationOf(d.Transfer)] = payment.DepositVanished
		}
	}
	return some
}

// doubts are transfers that are left out of a view, whenever their block is said to have been made: so is a deposit
// that is recorded with another time.
type doubts map[confirmation]bool

func (d doubts) add(t chain.Transfer) { d[confirmationOf(atNoTime(t))] = true }

func (d doubts) has(t chain.Transfer) bool { return d[confirmationOf(atNoTime(t))] }

func atNoTime(t chain.Transfer) chain.Transfer {
	t.Block.Time = time.Time{}
	return t
}

// errDoubted: a recorded deposit was not found where it should be, and no quorum of endpoints says that it vanished.
var errDoubted = fault.New(fault.Unavailable, "a deposit is missing from an endpoint's answer, and the others do not confirm that it vanished")

// absent returns why a recorded deposit may still be there; nil: a quorum says that it vanished.
func (o observation) absent(ctx context.Context, recorded chain.Transfer, at chain.Head) error {
	recorded.Source = ""          // its report does not count any more
	recorded = atNoTime(recorded) // whatever the time of the block, the transfer is there
	j := make(judgement)
	j.judge(ctx, o.endpoints, []chain.Transfer{recorded}, at)
	switch why := j[confirmationOf(recorded)]; {
	case errors.Is(why, errDenied):
		return nil
	case why != nil:
		return why
	}
	return fmt.Errorf("transaction %s, block %d: %w", recorded.Tx, recorded.Block.Number, errDoubted)
}

// errUnconfirmed: meanwhile the payer chose a network on which money is final earlier, or another instance recorded
// something else, so other transfers must be confirmed, in the next round.
var errUnconfirmed = fault.New(fault.Unavailable, "the payment changed while its money was being confirmed")

// update decides again, under the payment's lock, and refuses to credit early, or to take for vanished, what was not
// confirmed.
func (x observed) update(now func() time.Time) Update {
	return Update{ID: x.before.ID, Decide: func(p payment.Payment) (payment.Change, error) {
		c, err := p.Observe(x.view, now())
		if err == nil && slices.ContainsFunc(c.Deposits, func(d payment.Deposit) bool {
			needed := early(p, d, x.view) || d.State == payment.DepositVanished
			return needed && x.judged[confirmationOf(d.Transfer)] != d.State
		}) {
			err = errUnconfirmed
		}
		return c, err
	}}
}

// early reports whether a deposit is credited above the network's final head, by a merchant's own rule, or is not
// credited any more because of what is shown there.
func early(before payment.Payment, d payment.Deposit, v payment.View) bool {
	was := func(o payment.Deposit) bool {
		return o.State == payment.DepositFinal && o.Transfer.ID() == d.Transfer.ID()
	}
	return d.Transfer.Block.Number > v.Final.Number && (d.State == payment.DepositFinal ||
		d.State == payment.DepositSeen && slices.ContainsFunc(before.Deposits, was))
}
