package settlement

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// Daily compares the balances of one network with the records once a day, as the Reconciler does, in small steps. It
// compares the addresses of payments that have not ended, or not long ago.
//
// A difference counts when the blocks up to the one at which it was seen were read since, and it is still there:
// before that it may be money that is on its way into the records. Then the operator is alerted of it, and an address
// that was paid more than is recorded is read again, until the difference is gone.
type Daily struct {
	Network ReconciledNetwork // without Coins: strangers send some
	Store   RecordStore
	Sweeps  Store
	Holder  string
	// WatchedFor is for how long after their end the addresses of payments are watched.
	WatchedFor time.Duration
	// Covered reports whether the network was read up to the block for the payment.
	Covered func(ctx context.Context, paymentID string, block uint64) (bool, error)
	// Reread has the addresses of the payment read again from a time on, or from when they were first shown, and
	// RereadAccounts token accounts under their keys besides; nil on a network without any.
	Reread         func(ctx context.Context, paymentID string, since time.Time) error
	RereadAccounts func(ctx context.Context, paymentID string, since time.Time, accounts []chain.Address) error
	// Lists returns how many addresses may be asked now for all token accounts under their keys, at most as many as
	// given; nil: all of them.
	Lists func(addresses int) int
	// Slowdown is by what factor the steps are slower because of the budget of calls.
	Slowdown func() int64
	Now      func() time.Time
	Log      *slog.Logger

	next time.Time // no step before
}

// Comparison is how far the daily comparison of a network is.
type Comparison struct {
	Network   chain.Network
	StartedAt time.Time
	EndedAt   time.Time // zero: it is under way
	Before    time.Time // when the one before began; zero: there was none
	Place     ReconcilePlace
	// Listed is the number of the payment up to which addresses were asked for all token accounts. Where the budget
	// does not allow for all of them in one comparison, the next one goes on there.
	Listed int64
}

// OpenDifference is a difference that a daily comparison has found, until it is gone.
type OpenDifference struct {
	Difference

	Since    time.Time
	Block    uint64    // the newest block when it was first seen as it is
	ProvenAt time.Time // zero: it may be money that is on its way into the records
	Rereads  int       // how often its address was read again
	RereadAt time.Time // it is not read again before
	NextAt   time.Time // when it is looked at again
}

const (
	// DailyEvery is the time between two steps.
	DailyEvery = time.Minute
	// DailyWithin bounds a step.
	DailyWithin = 2 * time.Minute
	// compareEvery is the time from the beginning of a comparison to that of the next.
	compareEvery = 24 * time.Hour
	// watchedMargin is for how much longer addresses are compared than they are watched: what came at the last moment
	// is seen by the comparison after it.
	watchedMargin = 2 * compareEvery
	// overlap is how much before the last comparison, which found nothing, an address is read again.
	overlap = time.Hour
	// openAtOnce is how many differences are looked at again in one step.
	openAtOnce = 50
	// examineEvery is the time between two looks at a difference that stays.
	examineEvery = 10 * time.Minute
)

// rereadPauses are the times after which an address is read again that was read again in vain.
var rereadPauses = []time.Duration{5 * time.Minute, time.Hour, 6 * time.Hour, compareEvery}

// RunOnce makes a step, if it is time and no other instance does: it looks again at the differences that are open, and
// compares some addresses.
func (d *Daily) RunOnce(ctx context.Context) error {
	now := d.Now()
	if now.Before(d.next) {
		return nil
	}
	pace := DailyEvery * time.Duration(d.Slowdown())
	name := "balances " + string(d.Network.Profile.Network)
	mine, err := d.Sweeps.Lease(ctx, name, d.Holder, now, now.Add(pace+DailyWithin))
	if err != nil || !mine {
		return err
	}
	d.next = now.Add(pace)
	return errors.Join(d.lookAgain(ctx, now), d.advance(ctx, now))
}

// advance compares the next addresses.
func (d *Daily) advance(ctx context.Context, now time.Time) error {
	c, ok, err := d.Store.Comparison(ctx, d.Network.Profile.Network)
	switch {
	case err != nil:
		return err
	case !ok || !c.EndedAt.IsZero() && now.Sub(c.StartedAt) >= compareEvery:
		c = Comparison{Network: d.Network.Profile.Network, StartedAt: now, Before: c.StartedAt, Listed: c.Listed}
	case !c.EndedAt.IsZero():
		return nil
	}
	endedAfter := now.Add(-d.WatchedFor - watchedMargin)
	page, err := d.Store.ReceivingAfter(ctx, c.Place.Last.Payment, endedAfter, addressesAtOnce)
	if err != nil {
		return err
	}
	if len(page) == 0 {
		if c.EndedAt = now; c.Listed >= c.Place.Last.Payment {
			c.Listed = 0
		}
		return d.Store.SaveComparison(ctx, c, nil)
	}
	listed := d.lists(&c, page)
	found, _, err := d.compare(ctx, page, func(a DepositAddress) bool { return listed[a.Address.Address] })
	if err != nil {
		return err
	}
	if found, err = d.rereadWorthless(ctx, found); err != nil {
		return err
	}
	var open []OpenDifference
	if len(found) > 0 {
		newest, err := d.newest(ctx)
		if err != nil {
			return err
		}
		for _, x := range found {
			open = append(open, OpenDifference{Difference: x, Since: now, Block: newest, NextAt: now.Add(DailyEvery)})
		}
	}
	c.Place = ReconcilePlace{page[len(page)-1], c.Place.Done + len(page), c.Place.Found + len(found)}
	return d.Store.SaveComparison(ctx, c, open)
}

// lists returns which addresses of the page are asked for all token accounts: the next ones, as far as the allowance
// goes.
func (d *Daily) lists(c *Comparison, page []DepositAddress) map[chain.Address]bool {
	listed := make(map[chain.Address]bool)
	if c.Listed < c.Place.Last.Payment {
		return listed // the allowance ended before this page
	}
	var next []DepositAddress
	for _, a := range On(d.Network.Profile.Network, page) {
		if a.Payment > c.Listed {
			next = append(next, a)
		}
	}
	allowed := len(next)
	if d.Lists != nil {
		allowed = d.Lists(allowed)
	}
	for _, a := range next[:allowed] {
		listed[a.Address.Address], c.Listed = true, a.Payment
	}
	if allowed == len(next) {
		c.Listed = max(c.Listed, page[len(page)-1].Payment)
	}
	return listed
}

// rereadWorthless has what came in a token that is none of the network's recorded, and returns the other differences:
// it concerns no operator.
func (d *Daily) rereadWorthless(ctx context.Context, found []Difference) (others []Difference, err error) {
	listed := func(x Difference) bool {
		is := func(a chain.Asset) bool { return a.Contract == x.Contract }
		return slices.ContainsFunc(d.Network.Profile.Assets, is)
	}
	for _, x := range found {
		if x.Contract == "" || listed(x) {
			others = append(others, x)
		} else if err := d.reread(ctx, x, time.Time{}); err != nil {
			return nil, fmt.Errorf("read the token accounts of payment %s: %w", x.PaymentID, err)
		}
	}
	return others, nil
}

// compare compares the addresses, apart from those that a sweep may be emptying, which say nothing until it has ended.
// Of a balance that differs in two ways it returns one difference.
func (d *Daily) compare(
	ctx context.Context, page []DepositAddress, listed func(DepositAddress) bool,
) (found []Difference, moving map[chain.Address]bool, err error) {
	moving = make(map[chain.Address]bool)
	sweeps, err := d.Sweeps.InFlight(ctx, d.Network.Profile.Network)
	if err != nil {
		return nil, nil, err
	}
	for _, w := range sweeps {
		for _, i := range w.Items {
			moving[i.Address.Address] = true
		}
	}
	page = slices.DeleteFunc(On(d.Network.Profile.Network, page), func(a DepositAddress) bool {
		return moving[a.Address.Address]
	})
	if len(page) == 0 {
		return nil, moving, nil
	}
	// Deposits are not looked up one by one: none is newer than now.
	r := Reconciler{Records: d.Store, Since: d.Now().Add(compareEvery), Listed: listed}
	found, err = r.compareAgreed(ctx, d.Network, page)
	slices.SortStableFunc(found, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Address, b.Address), cmp.Compare(a.Contract, b.Contract))
	})
	return slices.CompactFunc(found, Difference.sameBalance), moving, err
}

// sameBalance reports whether both are of one balance.
func (d Difference) sameBalance(o Difference) bool {
	return d.Network == o.Network && d.Address == o.Address && d.Contract == o.Contract
}

// newest returns the number of the newest block: what was just read is of no later one, or is seen to change.
func (d *Daily) newest(ctx context.Context) (uint64, error) {
	heads, err := d.Network.Reader.Heads(ctx)
	return heads.Latest.Number, err
}

// lookAgain looks at the open differences that are due. Those whose blocks are not read yet cost no call.
func (d *Daily) lookAgain(ctx context.Context, now time.Time) error {
	open, err := d.Store.OpenDifferences(ctx, d.Network.Profile.Network, now, openAtOnce)
	if err != nil {
		return err
	}
	var due []OpenDifference
	var page []DepositAddress
	for _, x := range open {
		covered, err := d.Covered(ctx, x.PaymentID, x.Block)
		if err != nil {
			return err
		}
		if x.NextAt = now.Add(DailyEvery); !covered && x.ProvenAt.IsZero() {
			if err := d.Store.SaveDifference(ctx, x); err != nil {
				return err
			}
			continue
		}
		due = append(due, x)
		page = append(page, DepositAddress{
			PaymentID: x.PaymentID, Network: x.Network, Address: chain.Watched{Address: x.Address},
		})
	}
	if len(due) == 0 {
		return nil
	}
	found, moving, err := d.compare(ctx, page, nil) // those that differ are listed
	if err != nil {
		return err
	}
	newest, err := d.newest(ctx)
	if err != nil {
		return err
	}
	var failed []error // one holds up no other
	for _, x := range due {
		if moving[x.Address] {
			err = d.Store.SaveDifference(ctx, x)
		} else {
			err = d.decide(ctx, x, found, newest, now)
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// decide says what has become of a difference, now that its blocks are read: it is gone, or is another one by now, or
// is proven.
func (d *Daily) decide(ctx context.Context, x OpenDifference, found []Difference, newest uint64, now time.Time) error {
	at := slices.IndexFunc(found, x.sameBalance)
	if at < 0 {
		if !x.ProvenAt.IsZero() {
			d.Log.Info("a balance agrees with the records again",
				"network", x.Network, "txnid", x.PaymentID, "address", x.Address)
		}
		x.Text = ""
		return d.Store.SaveDifference(ctx, x)
	}
	changes := found[at].Text != x.Text // by money that may be on its way into the records
	x.Difference = found[at]
	switch {
	case changes:
		x.Block = newest
	case x.ProvenAt.IsZero():
		x.ProvenAt = now
		d.Log.Error("a balance differs from the records",
			"network", x.Network, "txnid", x.PaymentID, "address", x.Address, "difference", x.Text)
		fallthrough
	default:
		x.NextAt = now.Add(examineEvery)
	}
	// Somebody who pays again and again must not keep it from being read for what it lacks.
	if !x.Unrecorded || now.Before(x.RereadAt) || changes && now.Sub(x.Since) < examineEvery {
		return d.Store.SaveDifference(ctx, x)
	}
	since, err := d.agreedAt(ctx, x)
	if err != nil {
		return err
	}
	if err := d.reread(ctx, found[at], since); err != nil {
		return fmt.Errorf("read the address of payment %s again: %w", x.PaymentID, err)
	}
	x.NextAt, x.RereadAt = now.Add(DailyEvery), now.Add(rereadPauses[min(x.Rereads, len(rereadPauses)-1)])
	x.Rereads++
	return d.Store.SaveDifference(ctx, x)
}

func (d *Daily) reread(ctx context.Context, x Difference, since time.Time) error {
	if len(x.Accounts) == 0 || d.RereadAccounts == nil {
		return d.Reread(ctx, x.PaymentID, since)
	}
	return d.RereadAccounts(ctx, x.PaymentID, since, x.Accounts)
}

// agreedAt returns since when an address is to be read again: since the last comparison, which has found nothing, and
// if that was in vain, from the beginning.
func (d *Daily) agreedAt(ctx context.Context, x OpenDifference) (time.Time, error) {
	c, _, err := d.Store.Comparison(ctx, x.Network)
	if err != nil || x.Rereads > 0 || c.StartedAt.IsZero() {
		return time.Time{}, err
	}
	before := c.StartedAt
	if !x.Since.Before(c.StartedAt) {
		before = c.Before
	}
	if before.IsZero() || !before.Before(x.Since) {
		return time.Time{}, nil
	}
	return before.Add(-overlap), nil
}
