package watch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// A sweep takes all that an address holds, also what no scan has seen: an index of signatures was late, an endpoint hid
// a transfer, and the payment had ended otherwise, so that nobody compared its balance any more. What sweeps moved
// beyond the record shows it, and is searched for.

// errSweptBeyond: sweeps moved more than is recorded.
var errSweptBeyond = fault.New(fault.Unavailable, "a sweep moved money that is not recorded")

// soughtKey is one balance of a payment.
type soughtKey struct {
	network  chain.Network
	id       payment.ID
	contract chain.Address
}

// sought is a search for what was moved beyond the record.
type sought struct {
	units    money.Units // all that was moved by then
	searches int
	next     time.Time // no search before
	listed   time.Time // when it was found last
}

const (
	// sweptEvery is the time between two comparisons of what sweeps moved with what is recorded.
	sweptEvery = time.Minute
	// sweptPage is how many balances of a network are compared at once.
	sweptPage = 100
)

// soughtPauses are the pauses after searches that did not explain what was moved. After the last, none follows: a
// search of the address's whole life costs calls, and `florin reconcile` goes on to show the difference.
var soughtPauses = []time.Duration{time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}

// searchSwept searches for money that sweeps have moved and that no deposit records.
func (e *Expirer) searchSwept(ctx context.Context) error {
	if e.now().Sub(e.soughtLast) < sweptEvery {
		return nil
	}
	e.soughtLast = e.now()
	var failed []error
	for n, reader := range e.readers {
		if err := e.searchSweptOn(ctx, n, reader); err != nil {
			failed = append(failed, fmt.Errorf("search for what sweeps moved on %s: %w", n, err))
		}
	}
	maps.DeleteFunc(e.sought, func(_ soughtKey, s sought) bool { return e.now().Sub(s.listed) > payment.WatchAfterEnd })
	return errors.Join(failed...)
}

func (e *Expirer) searchSweptOn(ctx context.Context, n chain.Network, r chain.Reader) error {
	c, ok, err := e.store.Cursor(ctx, n)
	if err != nil || !ok || !c.BehindSince.IsZero() {
		return err
	}
	list, err := e.sweeps.SweptAhead(ctx, n, c.Scanned.Number, e.now().Add(-payment.WatchAfterEnd), sweptPage)
	if err != nil {
		return err
	}
	var failed []error
	for _, w := range list {
		if err := e.searchOne(ctx, n, r, w); err != nil {
			failed = append(failed, fmt.Errorf("payment %s: %w", w.PaymentID, err))
		}
	}
	return errors.Join(failed...)
}

// searchOne searches for what was moved of a balance beyond the record, if there is any and it is time.
func (e *Expirer) searchOne(ctx context.Context, n chain.Network, r chain.Reader, w Swept) error {
	key := soughtKey{n, w.PaymentID, w.Contract}
	s := e.sought[key]
	if s.listed = e.now(); s.units.Cmp(w.Units) != 0 {
		s = sought{units: w.Units, listed: e.now()}
	}
	e.sought[key] = s
	if s.searches > len(soughtPauses) || e.now().Before(s.next) {
		return nil
	}
	p, err := e.store.Payment(ctx, w.PaymentID)
	if err != nil {
		return err
	}
	route, watched := p.WatchedOn(n)
	if !watched || !p.SweptBeyond(n, w.Address, w.Contract, w.Units, w.Through) {
		return nil
	}
	s.next = e.now().Add(soughtPauses[min(s.searches, len(soughtPauses)-1)])
	s.searches++
	e.sought[key] = s
	e.log.Warn("a sweep moved money that is not recorded; its address is read again", "network", n, "txnid", p.ID)
	return RepairSince(ctx, e.store, r, p.ID, route.Since, errSweptBeyond, e.now())
}
