package watch

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
)

// errUnexplained: an address holds more than is recorded.
var errUnexplained = fault.New(fault.Unavailable,
	"an endpoint reports a balance that is not recorded; if reading again does not explain it, compare the endpoints with a block explorer")

// ErrDiffers: an address was paid more than is recorded, as its balance or a sweep shows.
var ErrDiffers = fault.New(fault.Unavailable,
	"the address was paid more than is recorded, as the daily comparison of balances or a sweep found; it is read again")

// errRestored: what came before a restore may have been swept since.
var errRestored = fault.New(fault.Unavailable, "the database was restored; the address is read again")

// Repair has the payment's addresses on the network, with more token accounts of theirs, read again from the block on,
// through as many voices as must say the same, because of cause. Whoever knows of money that is not recorded asks for
// one and does nothing else: a look-up, an expiry, a comparison of balances and a restore.
func Repair(
	ctx context.Context, s Store, n chain.Network, id payment.ID, from uint64, cause error, now time.Time,
	accounts ...chain.Address,
) error {
	return RepairShown(ctx, s, n, id, from, cause, now, nil, accounts...)
}

// RepairShown is Repair by somebody who has seen the transfers: they are judged even if no endpoint lists them when
// the addresses are read.
func RepairShown(
	ctx context.Context, s Store, n chain.Network, id payment.ID, from uint64, cause error, now time.Time,
	shown []chain.Transfer, accounts ...chain.Address,
) error {
	a := SetAside{
		Network: n, PaymentID: id, From: from, Since: now, NextAt: now, Reason: cause.Error(), Accounts: accounts,
	}
	a.Show(shown)
	return s.SaveSetAside(ctx, a)
}

// RepairSince is Repair from a time on, or from when the payment's address was first shown, if that was later.
func RepairSince(
	ctx context.Context, s Store, r chain.Reader, id payment.ID, since time.Time, cause error, now time.Time,
	accounts ...chain.Address,
) error {
	n := r.Network()
	c, ok, err := s.Cursor(ctx, n)
	if err != nil || !ok {
		return err
	}
	p, err := s.Payment(ctx, id)
	if err != nil {
		return err
	}
	shown := now
	for _, route := range p.Routes {
		if n.SharesAddresses(route.Network) && route.Since.Before(shown) {
			shown = route.Since
		}
	}
	if since.Before(shown) {
		since = shown
	}
	from, err := chain.BlockBefore(ctx, r, since, c.Scanned)
	if err != nil {
		return err
	}
	return Repair(ctx, s, n, id, from, cause, now, accounts...)
}

// Covered reports whether the network was read up to the block for the payment, whichever address of it.
func Covered(ctx context.Context, s Store, n chain.Network, id payment.ID, block uint64) (bool, error) {
	c, ok, err := s.Cursor(ctx, n)
	if err != nil || !ok || !c.BehindSince.IsZero() || c.Scanned.Number < block || rests(n) && c.Ended < block {
		return false, err
	}
	rows, err := s.SetAsides(ctx, n)
	return !slices.ContainsFunc(rows, func(a SetAside) bool { return a.PaymentID == id }), err
}

// repairKey is a payment on a network.
type repairKey struct {
	network chain.Network
	id      payment.ID
}

// repair is how often a payment's addresses were read again because of their balances.
type repair struct {
	tries    int
	next     time.Time // none before
	restored bool      // it was read again because of a restore
}

const (
	// repairEvery is the time between two repairs that did not explain a balance, and lastRepair the same after
	// quickRepairs of them: then the row stays, and the operator is alerted.
	repairEvery  = time.Minute
	quickRepairs = 3
	lastRepair   = 10 * time.Minute
)

// repair has a payment's address read again since a time, unless that was done a moment ago.
func (e *Expirer) repair(
	ctx context.Context, s scanned, p payment.Payment, since time.Time, cause error, accounts ...chain.Address,
) error {
	key := repairKey{s.network, p.ID}
	x := e.repairs[key]
	if e.now().Before(x.next) {
		return nil
	}
	from, err := chain.BlockBefore(ctx, s.reader, since, s.cursor.Scanned)
	if err != nil {
		return err
	}
	at := e.now()
	if x.tries++; x.tries > quickRepairs {
		at = at.Add(lastRepair)
	}
	e.log.Warn("an address is read again", "network", s.network, "txnid", p.ID, "from", from, "reason", cause)
	err = e.store.SaveSetAside(ctx, SetAside{
		Network: s.network, PaymentID: p.ID, From: from, Since: e.now(), NextAt: at, Reason: cause.Error(),
		Accounts: accounts,
	})
	x.next, x.restored = at.Add(repairEvery), x.restored || err == nil && errors.Is(cause, errRestored)
	e.repairs[key] = x
	return err
}
