package watch

import (
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

// observe applies the view of the addresses in the set to each payment concerned and returns how many changed.
// Payments are read many at a time and locked only if they change, so that those
// whose money merely waits for finality cost little each round. A payment that
// fails goes to failed, whose error ends the round, and holds up no other; one that
// is set aside already is left out.
func (w *Watcher) observe(
	ctx context.Context, set *chain.WatchSet, v payment.View, failed func(payment.ID, error) error,
) (int, error) {
	transfers, err := w.concerned(ctx, set, v)
	if err != nil {
		return 0, err
	}
	changed := 0
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(transfers)), payment.MaxPage) {
		payments, err := w.read(ctx, ids, failed)
		if err != nil {
			return changed, err
		}
		did, err := w.observeTogether(ctx, payments, transfers, v, failed)
		changed += did
		w.changed += did
		if err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// read reads payments, one by one if they cannot be read together.
func (w *Watcher) read(
	ctx context.Context, ids []payment.ID, failed func(payment.ID, error) error,
) ([]payment.Payment, error) {
	payments, err := w.store.PaymentsByID(ctx, ids)
	if err == nil {
		return payments, nil
	}
	for _, id := range ids {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("read %d payments: %w", len(ids), err)
		}
		p, err := w.store.Payment(ctx, id)
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

// concerned returns the payments that the view can change, each with the
// transfers to its addresses: those with a transfer in it, and those with a
// deposit that its blocks are expected to hold.
func (w *Watcher) concerned(
	ctx context.Context, set *chain.WatchSet, v payment.View,
) (map[payment.ID][]chain.Transfer, error) {
	list := make(map[payment.ID][]chain.Transfer)
	unsettled, err := w.store.Unsettled(ctx, v.Network, v.From, v.To)
	if err != nil {
		return nil, fmt.Errorf("list unsettled deposits: %w", err)
	}
	for _, id := range unsettled {
		if w.isRead(id, set) {
			list[id] = nil
		}
	}
	for _, t := range v.Transfers {
		if id, ok := w.watched.owner(t.To); ok {
			list[id] = append(list[id], t)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(list)) {
		without, err := w.without(ctx, id, v.From)
		if err != nil {
			return nil, err
		}
		if without {
			delete(list, id)
		}
	}
	return list, nil
}

// observeTogether lets payments observe the view, each with its own transfers, and commits what they change together:
// the webhooks of what one block completes leave at once. It returns how many changed.
func (w *Watcher) observeTogether(
	ctx context.Context, payments []payment.Payment, transfers map[payment.ID][]chain.Transfer, v payment.View,
	failed func(payment.ID, error) error,
) (int, error) {
	var first error // that ends the round; what is due by then is stored nevertheless
	fail := func(id payment.ID, err error) {
		if err = failed(id, err); err != nil && first == nil {
			first = fmt.Errorf("payment %s: %w", id, err)
		}
	}
	o := w.observation()
	v.Unread = v.From > w.rechecked+1
	var due []observed
	for _, p := range payments {
		v.Transfers = transfers[p.ID]
		x, some, err := o.look(ctx, p, v)
		if err != nil {
			fail(p.ID, err)
		} else if some {
			due = append(due, x)
		}
		if first != nil {
			break
		}
	}
	if due = w.confirmTogether(ctx, o, due, fail); len(due) == 0 {
		return 0, first
	}
	updates := make([]Update, len(due))
	for i, x := range due {
		updates[i] = x.update(o.now)
	}
	changed := 0
	for i, err := range w.store.UpdatePayments(ctx, updates) {
		if err == nil {
			changed++
		}
		if err = errors.Join(err, due[i].doubted); err != nil {
			fail(due[i].before.ID, err)
		}
	}
	return changed, first
}

// confirmTogether has confirmed what payments are credited with above the final head, many at once, and returns the
// payments for which that succeeded.
func (w *Watcher) confirmTogether(
	ctx context.Context, o observation, due []observed, fail func(payment.ID, error),
) []observed {
	var asked []chain.Transfer
	for _, x := range due {
		asked = append(asked, x.early...)
	}
	if n := len(asked); n > 0 && n <= w.budget {
		_ = o.confirm(ctx, asked, due[0].view.Latest) // of each payment, what is still open is asked about below
	}
	return slices.DeleteFunc(due, func(x observed) bool {
		err := o.confirm(ctx, x.early, x.view.Latest)
		if err != nil {
			fail(x.before.ID, err)
		}
		return err != nil
	})
}

// observeOne lets one payment observe the view.
func (w *Watcher) observeOne(ctx context.Context, p payment.Payment, v payment.View) (bool, error) {
	v.Unread = v.From > w.rechecked+1
	return w.observation().apply(ctx, p, v)
}

// observation returns an observation that asks about each transfer once.
func (w *Watcher) observation() observation {
	known := make(confirmed)
	return observation{w.reader, w.store, w.now, func(ctx context.Context, list []chain.Transfer, at chain.Head) error {
		return w.confirmEarly(ctx, known, list, at)
	}}
}

// observation is what it takes to let a payment observe a view.
type observation struct {
	reader chain.Reader
	store  Store
	now    func() time.Time
	// confirm confirms what would be credited above the final head.
	confirm func(ctx context.Context, transfers []chain.Transfer, at chain.Head) error
}

// observed is a payment that a view changes.
type observed struct {
	before  payment.Payment
	view    payment.View
	early   []chain.Transfer // what is credited above the final head, and must be confirmed first
	doubted error            // why part of the view is left out
}

// look decides on the payment as it was read; some is false if there is nothing to write.
func (o observation) look(ctx context.Context, p payment.Payment, v payment.View) (x observed, some bool, err error) {
	c, err := p.Observe(v, o.now())
	if err != nil || c.None() {
		return observed{}, false, err
	}
	gone, doubted, err := absent(ctx, o.reader, c, v)
	if err != nil {
		return observed{}, false, err
	}
	v.Doubted = func(t chain.Transfer) bool { return !gone[confirmationOf(t)] }
	if c, err = p.Observe(v, o.now()); err != nil || c.None() {
		return observed{}, false, errors.Join(err, doubted)
	}
	return observed{p, v, early(c, v), doubted}, true, nil
}

// update decides again, under the payment's lock, and refuses to credit early what was not confirmed.
func (x observed) update(now func() time.Time) Update {
	known := make(map[confirmation]bool, len(x.early))
	for _, t := range x.early {
		known[confirmationOf(t)] = true
	}
	return Update{ID: x.before.ID, Decide: func(p payment.Payment) (payment.Change, error) {
		c, err := p.Observe(x.view, now())
		other := func(t chain.Transfer) bool { return !known[confirmationOf(t)] }
		if err == nil && slices.ContainsFunc(early(c, x.view), other) {
			err = errUnconfirmed
		}
		return c, err
	}}
}

// apply decides on the payment as it was read, has confirmed what the decision
// rests on, and decides again under the payment's lock.
func (o observation) apply(ctx context.Context, p payment.Payment, v payment.View) (bool, error) {
	x, some, err := o.look(ctx, p, v)
	if err != nil || !some {
		return false, err
	}
	if err := o.confirm(ctx, x.early, v.Latest); err != nil {
		return false, err
	}
	u := x.update(o.now)
	_, err = o.store.UpdatePayment(ctx, u.ID, u.Decide)
	return err == nil, errors.Join(err, x.doubted)
}

// errDoubted: a recorded deposit was not found where it should be, and no second
// endpoint confirms that it vanished.
var errDoubted = fault.New(fault.Unavailable, "a deposit is missing from an endpoint's answer, and no second endpoint confirms that it vanished")

// absent asks about every deposit that the change takes for vanished. It returns
// those whose absence is confirmed, each as it was recorded when it was asked about,
// and errDoubted if any is not.
func absent(
	ctx context.Context, r chain.Reader, c payment.Change, v payment.View,
) (gone map[confirmation]bool, doubted, err error) {
	for _, d := range c.Deposits {
		if d.State != payment.DepositVanished {
			continue
		}
		verdict, err := r.Absent(ctx, d.Transfer, v.End)
		if err != nil {
			return nil, nil, fmt.Errorf("absence of transaction %s: %w", d.Transfer.Tx, err)
		}
		if verdict != chain.Missing {
			doubted = fmt.Errorf("transaction %s, block %d: %w", d.Transfer.Tx, d.Transfer.Block.Number, errDoubted)
			continue
		}
		if gone == nil {
			gone = make(map[confirmation]bool)
		}
		gone[confirmationOf(d.Transfer)] = true
	}
	return gone, doubted, nil
}

// errUnconfirmed: meanwhile the payer chose a network on which money is final
// earlier, or another instance recorded something else, so other transfers must be
// confirmed, in the next round.
var errUnconfirmed = fault.New(fault.Unavailable, "the payment changed while its money was being confirmed")

// early returns the transfers that a change credits above the network's final
// head, by a merchant's own rule. No scan has confirmed those.
func early(c payment.Change, v payment.View) []chain.Transfer {
	var list []chain.Transfer
	for _, d := range c.Deposits {
		if d.State == payment.DepositFinal && d.Transfer.Block.Number > v.Final.Number {
			list = append(list, d.Transfer)
		}
	}
	return list
}
