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
	// Accounts are token accounts under the keys of the payment's addresses that are read, too. The store adds them to
	// those that it has.
	Accounts []chain.Address
	// EndedAt is when the payment ended; zero: it has not. The store reads it and
	// does not save it.
	EndedAt time.Time
}

// The pause after an attempt in vain doubles from the first to the last.
const (
	firstRetry = 2 * time.Second
	lastRetry  = 10 * time.Minute
	// retriesAtOnce bounds how many payments one round reads again, and
	// retryLimit how long that may take for each: the network comes first.
	retriesAtOnce = 4
	retryLimit    = 10 * time.Second
	// asideAtLeast is how long a payment is tried again at least: a rescan may set
	// one aside that ended long ago.
	asideAtLeast = 24 * time.Hour
)

// loadSetAside reads which payments are set aside.
func (w *Watcher) loadSetAside(ctx context.Context) error {
	list, err := w.store.SetAsides(ctx, w.profile.Network)
	if err != nil {
		return err
	}
	clear(w.aside)
	for _, a := range list {
		w.aside[a.PaymentID] = a
	}
	return nil
}

// setAside sets payments aside because of cause, which is one line in the log however many they are. It fails only if
// that cannot be stored: then the cursor must stay.
func (w *Watcher) setAside(ctx context.Context, from uint64, since time.Time, cause error, ids ...payment.ID) error {
	var fresh []payment.ID
	for _, id := range ids {
		a, known := w.aside[id]
		if known && a.From <= from {
			continue // these blocks are read again as it is, at their own pace
		}
		if !known {
			a = SetAside{Network: w.profile.Network, PaymentID: id, From: from, Since: since}
			fresh = append(fresh, id)
		}
		a.From = from
		if err := w.tryLater(ctx, a, cause); err != nil {
			return err
		}
	}
	if len(fresh) > 0 {
		w.log.Error("payments could not be read whole; reading goes on, and these blocks are read again",
			"payments", len(fresh), "txnid", fresh[0], "from", from, "error", cause)
	}
	return ctx.Err()
}

// tryLater has what is set aside read again after a pause, which is longer each time.
func (w *Watcher) tryLater(ctx context.Context, a SetAside, cause error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a.Reason = cause.Error()
	a.NextAt = w.now().Add(min(firstRetry<<min(a.Attempts, 16), lastRetry))
	a.Attempts++
	if err := w.store.SaveSetAside(ctx, a); err != nil {
		return fmt.Errorf("%w; it could not be read because: %w", err, cause)
	}
	w.aside[a.PaymentID] = a
	return nil
}

// unreadBefore reports whether blocks before this one are still to be read for the payment.
func (w *Watcher) unreadBefore(id payment.ID, block uint64) bool {
	a, set := w.aside[id]
	return set && a.From < block
}

// givenUp reports whether a payment is no longer tried again: its addresses are not
// watched any more.
func (w *Watcher) givenUp(a SetAside) bool {
	now := w.now()
	return !w.watched.all && !a.EndedAt.IsZero() && now.Sub(a.EndedAt) > payment.WatchAfterEnd &&
		now.Sub(a.Since) > asideAtLeast
}

// retrySetAside reads again what is due, the longest due first, and gives up what is
// no longer watched. Only a failure of the store is an error.
func (w *Watcher) retrySetAside(ctx context.Context, heads chain.Heads, c Cursor) error {
	due := slices.SortedFunc(maps.Values(w.aside), func(a, b SetAside) int {
		return cmp.Or(a.NextAt.Compare(b.NextAt), cmp.Compare(a.PaymentID, b.PaymentID))
	})
	for _, a := range due[:min(len(due), retriesAtOnce)] {
		id := a.PaymentID
		if w.now().Before(a.NextAt) {
			break
		}
		if a.From > c.Scanned.Number { // its blocks are not final yet
			a.NextAt = w.now().Add(firstRetry)
			w.aside[id] = a
			if err := w.store.SaveSetAside(ctx, a); err != nil {
				return err
			}
			continue
		}
		if w.givenUp(a) {
			if err := w.store.DeleteSetAside(ctx, a); err != nil {
				return err
			}
			delete(w.aside, id)
			w.log.Warn("a payment that could not be read is given up: its addresses are no longer watched",
				"txnid", id, "from", a.From, "since", a.Since, "ended", a.EndedAt, "reason", a.Reason)
			continue
		}
		err := w.readAgain(ctx, a, heads, c)
		if err == nil {
			delete(w.aside, id)
			w.log.Info("a payment that was set aside is read again", "txnid", id)
			continue
		}
		if err := w.tryLater(ctx, w.aside[id], err); err != nil {
			return err
		}
	}
	return nil
}

// readAgain takes in for one payment all blocks from a.From to the cursor, and
// gives the payer back the time that passed meanwhile.
func (w *Watcher) readAgain(ctx context.Context, a SetAside, heads chain.Heads, c Cursor) error {
	ctx, cancel := context.WithTimeout(ctx, retryLimit)
	defer cancel()
	p, err := w.store.Payment(ctx, a.PaymentID)
	if err != nil {
		return err
	}
	sets := w.setsOf(p, a.Accounts)
	for a.From <= c.Scanned.Number {
		to, err := w.step(ctx, a.From-1, c.Scanned)
		if err != nil {
			return err
		}
		if err := w.readRange(ctx, p.ID, sets, heads, a.From, to); err != nil {
			return err
		}
		if err := w.store.AdvanceSetAside(ctx, a, to.Number+1); err != nil {
			return err
		}
		a.From = to.Number + 1
		w.aside[a.PaymentID] = a
	}
	if now := w.now(); now.Sub(a.Since) >= w.profile.HeadLimit {
		if _, err := w.store.UpdatePayment(ctx, p.ID, func(p payment.Payment) (payment.Change, error) {
			return p.Resume(a.Since, now, now)
		}); err != nil {
			return err
		}
	}
	return w.store.DeleteSetAside(ctx, a)
}

// setsOf returns what is read for a payment: its addresses, and each token account under their keys by itself, given or
// recorded: strangers can make one that cannot be read.
func (w *Watcher) setsOf(p payment.Payment, accounts []chain.Address) []*chain.WatchSet {
	set := chain.NewWatchSet(len(p.Routes))
	sets := []*chain.WatchSet{set}
	for _, r := range p.Routes {
		if r.Network != w.profile.Network && !(r.Network.EVM() && w.profile.Network.EVM()) {
			continue
		}
		set.Add(r.Address)
		if r.Network != w.profile.Network {
			continue
		}
		for _, text := range p.AccountsOn(r, accounts) {
			if account, err := chain.ParseAddress(r.Network, string(text)); err == nil {
				one := chain.NewWatchSet(1)
				one.AddAccount(r.Address, account)
				sets = append(sets, one)
			}
		}
	}
	return sets
}

// readRange takes in blocks for one payment, through as many voices as must say the same. What they still dispute is an
// error, and so is a token account that cannot be read, which keeps the others from nothing.
func (w *Watcher) readRange(
	ctx context.Context, id payment.ID, sets []*chain.WatchSet, heads chain.Heads, from uint64, to chain.Head,
) error {
	v := payment.View{
		Network: w.profile.Network, From: from, To: to.Number, Latest: heads.Latest, Unread: from > w.rechecked+1,
		Final: chain.Lower(heads.Final, to), Finalized: chain.Lower(heads.Finalized, to), End: to,
	}
	o := observation{reader: w.reader, now: w.now, said: make(judgement), early: make(judgement), twice: true}
	var unread []error
	for i, set := range sets {
		found, err := w.scanTwice(ctx, from, to, set)
		if err != nil && (i == 0 || ctx.Err() != nil) {
			return err
		}
		unread = append(unread, err)
		v.Transfers = append(v.Transfers, found...)
	}
	p, err := w.store.Payment(ctx, id)
	if err != nil {
		return err
	}
	o.said.judge(ctx, o.reader, unjudged(p, v.Transfers, v), to)
	x, some := o.look(ctx, p, v)
	if some {
		u := x.update(o.now)
		if _, err := w.store.UpdatePayment(ctx, u.ID, u.Decide); err != nil {
			return err
		}
		w.changed++
	}
	if x.open != nil {
		return x.open
	}
	return errors.Join(unread...)
}

// scanTwice returns the transfers that as many voices as must say the same show.
func (w *Watcher) scanTwice(
	ctx context.Context, from uint64, to chain.Head, set *chain.WatchSet,
) (all []chain.Transfer, err error) {
	for heard := []string(nil); len(heard) < w.reader.Quorum(); {
		found, by, err := w.reader.Scan(ctx, from, to, set, heard...)
		if err != nil {
			return nil, err
		}
		heard = append(heard, by)
		for _, t := range found {
			same := func(o chain.Transfer) bool { return confirmationOf(o) == confirmationOf(t) }
			if !slices.ContainsFunc(all, same) {
				all = append(all, t)
			}
		}
	}
	return all, nil
}
