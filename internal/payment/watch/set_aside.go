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

// SetAside says that a payment's addresses are to be read again on a network from block From on: because of a
// transaction that the endpoints disagree about, a receipt that cannot be read, a row that cannot be written, or
// because somebody knows of money that is not recorded (Repair). Reading goes on meanwhile, for the payment too, and
// the operator is alerted of one that lasts.
type SetAside struct {
	Network   chain.Network
	PaymentID payment.ID
	From      uint64 // the first block that was not taken in for it
	Since     time.Time
	Attempts  int // made in vain
	NextAt    time.Time
	Reason    string // for the operator
	// Accounts are token accounts under the keys of the payment's addresses that are read, too.
	Accounts []chain.Address
	// Shown are transfers in these blocks that are not recorded. They are judged when the blocks are read again, even
	// if no endpoint shows them then: of two faulty ones, one may hide what the other one has forgotten.
	Shown []chain.Transfer
	// EndedAt is when the payment ended; zero: it has not. The store reads it and does not save it.
	EndedAt time.Time
}

// The pause after an attempt in vain doubles from the first to the last.
const (
	firstRetry = 2 * time.Second
	lastRetry  = 10 * time.Minute
	// retriesAtOnce bounds how many payments one round reads again, and
	// retryLimit how long that may take for each: the network comes first. After
	// repairsLimit none is begun in that round.
	retriesAtOnce = 4
	retryLimit    = 10 * time.Second
	repairsLimit  = 3 * time.Second
	// mostHalved is how often the first range of an attempt is halved at most: to one block.
	mostHalved = 11
	// setAsideAtLeast is how long a payment is tried again at least: a rescan may set one aside that ended long ago.
	setAsideAtLeast = 24 * time.Hour
)

// loadFailed reads which payments are set aside on the network.
func (r *reader) loadFailed(ctx context.Context) error {
	list, err := r.store.SetAsides(ctx, r.profile.Network)
	if err != nil {
		return err
	}
	clear(r.failed)
	for _, a := range list {
		r.failed[a.PaymentID] = a
	}
	return nil
}

// nextRepair returns when the first is to be read again, if that is before next. A round that does not reach its blocks
// is not followed by another one for its sake. last is when a round last began.
func (r *reader) nextRepair(next, last time.Time, read uint64, leads bool) time.Time {
	for _, a := range r.failed {
		due := a.NextAt
		if leads && !due.After(last) && a.From <= read { // its turn did not come in the last round
			due = last.Add(PollEvery)
		}
		if due.After(last) && due.Before(next) {
			next = due
		}
	}
	return next
}

// setAside sets payments aside because of cause, which is one line in the log however many they are; shown is what they
// must not lose. It fails only if that cannot be stored: then the cursor must stay.
func (r *reader) setAside(
	ctx context.Context, from uint64, since time.Time, cause error, shown []chain.Transfer, ids ...payment.ID,
) error {
	var fresh []payment.ID
	for _, id := range ids {
		a, known := r.failed[id]
		more := a.Show(shown)
		if known && a.From <= from {
			if more { // these blocks are read again as it is, at their own pace
				if err := r.saveFailed(ctx, a, cause); err != nil {
					return err
				}
			}
			continue
		}
		if !known {
			a.Network, a.PaymentID, a.Since = r.profile.Network, id, since
			fresh = append(fresh, id)
		}
		a.From = from
		if err := r.later(ctx, a, cause); err != nil {
			return err
		}
	}
	if len(fresh) > 0 {
		r.log.Error("payments could not be read whole; reading goes on, and these blocks are read again",
			"payments", len(fresh), "txnid", fresh[0], "from", from, "error", cause)
	}
	return ctx.Err()
}

// later has what is set aside read again after a pause, which is longer each time.
func (r *reader) later(ctx context.Context, a SetAside, cause error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a.Reason = cause.Error()
	a.NextAt = r.now().Add(min(firstRetry<<min(a.Attempts, 16), lastRetry))
	a.Attempts++
	return r.saveFailed(ctx, a, cause)
}

func (r *reader) saveFailed(ctx context.Context, a SetAside, cause error) error {
	if err := r.store.SaveSetAside(ctx, a); err != nil {
		return fmt.Errorf("%w; it could not be read because: %w", err, cause)
	}
	r.failed[a.PaymentID] = a
	return nil
}

// MostShown bounds what is kept of one payment, which an endpoint that invents transfers could fill for ever.
const MostShown = 64

// Show adds transfers to those that must not be lost, and reports whether any is new. Who showed them is forgotten: its
// report is no vote when they are judged again.
func (a *SetAside) Show(shown []chain.Transfer) (more bool) {
	known := len(a.Shown)
	for _, t := range shown {
		t.Source = ""
		// A block of another year is invented, and cannot be stored as JSON. What is not placed cannot be judged.
		if year := t.Block.Time.Year(); year < 0 || year > 9999 || !t.Placed() {
			continue
		}
		if len(a.Shown) < MostShown && !slices.ContainsFunc(a.Shown, func(o chain.Transfer) bool {
			return confirmationOf(o) == confirmationOf(t)
		}) {
			a.Shown = append(slices.Clip(a.Shown), t)
		}
	}
	return len(a.Shown) > known
}

// givenUp reports whether a payment is no longer tried again: its addresses are not watched any more.
func (r *reader) givenUp(a SetAside) bool {
	now := r.now()
	return !r.watched.all && !a.EndedAt.IsZero() && now.Sub(a.EndedAt) > payment.WatchAfterEnd &&
		now.Sub(a.Since) > setAsideAtLeast
}

// repair reads again what is due, the longest due first, and gives up what is
// no longer watched. Only a failure of the store is an error.
func (r *reader) repair(ctx context.Context) error {
	due := slices.SortedFunc(maps.Values(r.failed), func(a, b SetAside) int {
		return cmp.Or(a.NextAt.Compare(b.NextAt), cmp.Compare(a.PaymentID, b.PaymentID))
	})
	due = slices.DeleteFunc(due, func(a SetAside) bool {
		return a.From > r.cursor.Scanned.Number || r.now().Before(a.NextAt) // its blocks are not final, or it rests
	})
	began := r.now()
	for i, a := range due[:min(len(due), retriesAtOnce)] {
		if i > 0 && r.now().Sub(began) >= repairsLimit {
			break // the others come next
		}
		if r.givenUp(a) {
			if err := r.store.DeleteSetAside(ctx, a); err != nil {
				return err
			}
			delete(r.failed, a.PaymentID)
			r.log.Warn("a payment that could not be read is given up: its addresses are no longer watched",
				"txnid", a.PaymentID, "from", a.From, "since", a.Since, "ended", a.EndedAt, "reason", a.Reason)
			continue
		}
		err := r.readAgain(ctx, a)
		if err == nil {
			delete(r.failed, a.PaymentID)
			r.log.Info("a payment that was set aside is read again", "txnid", a.PaymentID)
			continue
		}
		if err := r.later(ctx, r.failed[a.PaymentID], err); err != nil {
			return err
		}
	}
	return nil
}

// errNotFinal: money was seen on a token account that is read for this row only, perhaps in a block that is not final
// yet.
var errNotFinal = fault.New(fault.Unavailable, "the network is not read yet up to the time at which it was set aside")

// readAgain takes in for one payment all blocks from a.From to the cursor, and
// gives the payer back the time that passed meanwhile.
func (r *reader) readAgain(ctx context.Context, a SetAside) error {
	ctx, cancel := context.WithTimeout(ctx, retryLimit)
	defer cancel()
	p, err := r.store.Payment(ctx, a.PaymentID)
	if err != nil {
		return err
	}
	sets := r.setsOf(p, a.Accounts)
	halved := min(a.Attempts, mostHalved) // after an attempt that ran out of time one gets on by shorter ranges
	if a.Attempts == 0 && slices.ContainsFunc(p.Deposits, payment.Deposit.Folded) {
		defer func(size uint64) { r.size = size }(r.size)
		r.size = r.cursor.Scanned.Number // what a sum lacks is found by all its blocks at once
	}
	err = r.walk(ctx, max(a.From, 1)-1, r.cursor.Scanned, halved, func(from uint64, to chain.Head) error {
		left, err := r.readRange(ctx, p.ID, sets, from, to, a.Shown)
		if err != nil {
			if unread, some := errors.AsType[*chain.UnreadError](err); some && unread.From > 0 {
				a.From = min(a.From, unread.From) // what was read of it before was wrong
			}
			a.Show(left)
		} else if err = r.store.AdvanceSetAside(ctx, a, to.Number+1); err == nil {
			a.From = to.Number + 1
		}
		r.failed[a.PaymentID] = a
		return err
	})
	if err != nil {
		return err
	}
	if len(a.Accounts) > 0 && r.cursor.Scanned.Time.Before(a.Since) {
		return errNotFinal
	}
	if now := r.now(); now.Sub(a.Since) >= r.profile.HeadLimit {
		if _, err := r.store.UpdatePayment(ctx, p.ID, func(p payment.Payment) (payment.Change, error) {
			return p.Resume(a.Since, now, now)
		}); err != nil {
			return err
		}
	}
	return r.store.DeleteSetAside(ctx, a)
}

// setsOf returns what is read for a payment: its addresses, and each token account under their keys by itself, given or
// recorded: strangers can make one that cannot be read.
func (r *reader) setsOf(p payment.Payment, accounts []chain.Address) []*chain.WatchSet {
	set := chain.NewWatchSet(len(p.Routes))
	sets := []*chain.WatchSet{set}
	for _, route := range p.Routes {
		if !route.Network.SharesAddresses(r.profile.Network) {
			continue
		}
		set.Add(route.Address)
		if route.Network != r.profile.Network {
			continue
		}
		for _, text := range p.AccountsOn(route, accounts) {
			if account, err := chain.ParseAddress(route.Network, string(text)); err == nil {
				one := chain.NewWatchSet(1)
				one.AddAccount(route.Address, account)
				sets = append(sets, one)
			}
		}
	}
	return sets
}

// readRange takes in blocks for one payment, through as many voices as must say the same, and more if they answer. What
// they still dispute is an error, and so is a token account that cannot be read, which keeps the others from nothing.
// What was shown before is judged, too, even if too few can read the blocks; left is what was shown now and must not be
// lost.
func (r *reader) readRange(
	ctx context.Context, id payment.ID, sets []*chain.WatchSet, from uint64, to chain.Head, shown []chain.Transfer,
) (left []chain.Transfer, err error) {
	v := r.view(from, to, nil)
	v.Final, v.Finalized = chain.Lower(v.Final, to), chain.Lower(v.Finalized, to)
	p, err := r.store.Payment(ctx, id)
	if err != nil {
		return nil, err
	}
	shown = distinct(slices.Clone(shown), from, to.Number)
	// First, while an endpoint that fails for these blocks does not rest because of that.
	r.once.said.judge(ctx, r.endpoints, unjudged(p, shown, v), v.End)
	var unread []error
	whole := judgement{}
	for i, set := range sets {
		// All are asked: somebody knows that there is money, and as many as must say the same may leave it out.
		found, _, err := r.scan(ctx, chain.Voices(r.endpoints.Endpoints()), from, to, set, false)
		if ctx.Err() != nil {
			return nil, err
		}
		unread = append(unread, err)
		if err != nil && i == 0 {
			whole = nil // nothing more is read of them, and nothing is folded
			break
		}
		v.Transfers = append(v.Transfers, found...)
	}
	v.Transfers = distinct(append(v.Transfers, shown...), from, to.Number)
	if p, err = r.store.Payment(ctx, id); err != nil {
		return v.Transfers, err
	}
	var open []error
	found := map[payment.ID][]chain.Transfer{id: v.Transfers}
	delete(r.failed, id) // it waits for these blocks, which are read now; readAgain puts it back
	err = r.observeBatch(ctx, []payment.Payment{p}, found, v, whole,
		func(_ payment.ID, cause error, shown []chain.Transfer) error {
			open, left = append(open, cause), append(left, shown...)
			return nil
		})
	if err = errors.Join(append(open, err)...); err != nil {
		return left, err
	}
	return left, errors.Join(unread...)
}
