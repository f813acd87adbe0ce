package watch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// Expirer ends payments whose time has run out.
//
// Its invariant: a started payment expires only after every network where its money
// counts was scanned up to its expiry, and the balances of its addresses show no
// money that the scan missed, as a quorum of endpoints says.
// While a network cannot say so, its payments wait, payment.BlindWait at most; money that it shows later is late money.
// A balance that is not explained has the address read again (SetAside).
type Expirer struct {
	readers  map[chain.Network]chain.Reader
	profiles map[chain.Network]chain.Profile // with the assets that do not count, whose money is the merchant's too
	store    Store
	sweeps   Sweeps
	now      func() time.Time
	log      *slog.Logger
	began    time.Time // the first round
	// repairs are the payments whose addresses were read again, or are.
	repairs map[repairKey]repair
	// rests are the networks whose balances could not be read.
	rests map[chain.Network]rest
	// balances is when a payment's balance on a network was read of late.
	balances map[repairKey]time.Time
	// Lists bounds on each network how many payments are asked for all their token accounts; nil: nothing does.
	Lists map[chain.Network]*Lists
	// lists are what was listed of late, and listFailed when a list of a network last failed.
	lists      map[chain.Address]listed
	listFailed map[chain.Network]time.Time
}

// rest is how long a network's balances are not asked for again, because they could not be read: each attempt costs
// calls, and the payments wait anyway.
type rest struct {
	until    time.Time
	failures int // in a row
}

const (
	// earlyEvery is the time between two readings of a payment's balances while another of its networks is not scanned
	// up to its expiry. They find what a scan missed; the payment cannot expire on them.
	earlyEvery = time.Minute
	// expireEvery is how late a payment may expire.
	expireEvery = time.Second
	// expirePage is how many payments are decided together; their balances are
	// read with one request for each token.
	expirePage = 100
	// firstRest doubles with every failure in a row, up to lastRest.
	firstRest = 2 * time.Second
	lastRest  = time.Minute
)

// NewExpirer returns the expirer of the networks that have a reader.
func NewExpirer(profiles []chain.Profile, readers map[chain.Network]chain.Reader, s Store, w Sweeps,
	now func() time.Time, log *slog.Logger,
) *Expirer {
	e := &Expirer{
		readers: readers, profiles: make(map[chain.Network]chain.Profile), store: s, sweeps: w, now: now, log: log,
		repairs: make(map[repairKey]repair), rests: make(map[chain.Network]rest),
		balances: make(map[repairKey]time.Time),
		lists:    make(map[chain.Address]listed), listFailed: make(map[chain.Network]time.Time),
	}
	for _, p := range profiles {
		e.profiles[p.Network] = p
	}
	return e
}

// Run expires payments until ctx ends.
func (e *Expirer) Run(ctx context.Context) error {
	tick := time.NewTicker(expireEvery)
	defer tick.Stop()
	for {
		if err := e.RunOnce(ctx); err != nil && ctx.Err() == nil {
			e.log.Warn("payments cannot expire yet", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// RunOnce decides once on every payment whose time has run out.
func (e *Expirer) RunOnce(ctx context.Context) error {
	if e.began.IsZero() {
		e.began = e.now()
	}
	after := payment.ID("")
	var failed error // of networks and payments; the others go on
	for {
		ids, err := e.store.Due(ctx, e.now(), after, expirePage)
		if err != nil {
			return fmt.Errorf("list payments that are due: %w", err)
		}
		if len(ids) == 0 {
			return failed
		}
		after = ids[len(ids)-1]
		failed = errors.Join(failed, e.page(ctx, ids))
		if ctx.Err() != nil {
			return failed
		}
		if len(ids) < expirePage {
			return failed
		}
	}
}

// page expires those of the payments that may expire. The error says which could
// not be decided, and why.
func (e *Expirer) page(ctx context.Context, ids []payment.ID) error {
	var failed []error
	payments := make([]payment.Payment, 0, len(ids))
	for _, id := range ids {
		p, err := e.store.Payment(ctx, id)
		if err != nil {
			failed = append(failed, fmt.Errorf("read payment %s: %w", id, err))
			continue
		}
		payments = append(payments, p)
	}
	coverage, err := e.coverage(ctx, payments)
	failed = append(failed, err)
	for _, p := range payments {
		if p.Status.Final() {
			maps.DeleteFunc(e.repairs, func(k repairKey, _ repair) bool { return k.id == p.ID })
		}
		if c, err := p.Expire(coverage[p.ID], e.now()); err != nil || c.None() {
			continue
		}
		_, err := e.store.UpdatePayment(ctx, p.ID, func(p payment.Payment) (payment.Change, error) {
			return p.Expire(coverage[p.ID], e.now())
		})
		if err != nil {
			failed = append(failed, fmt.Errorf("expire payment %s: %w", p.ID, err))
		}
	}
	return errors.Join(failed...)
}

// coverage returns for each payment up to when its networks are known to hold no
// unrecorded money. A network that fails leaves its payments uncovered and does
// not keep others from expiring; the first error is returned.
func (e *Expirer) coverage(ctx context.Context, payments []payment.Payment) (map[payment.ID]payment.Coverage, error) {
	covered := make(map[payment.ID]payment.Coverage, len(payments))
	for _, p := range payments {
		covered[p.ID] = payment.Coverage{}
	}
	var first error
	fail := func(n chain.Network, err error) {
		if err != nil && first == nil {
			first = fmt.Errorf("%s: %w", n, err)
		}
	}
	cursors := make(map[chain.Network]Cursor, len(e.readers))
	due := make(map[chain.Network][]payment.Payment, len(e.readers))
	networks := make(map[payment.ID]int, len(payments)) // that are scanned up to the payment's expiry
	for n := range e.readers {
		var blind bool
		var err error
		cursors[n], due[n], blind, err = e.due(ctx, n, payments)
		fail(n, err)
		for _, p := range payments {
			switch _, here := p.WatchedOn(n); {
			case !here:
			case !p.WaitsFor(e.began, e.now()):
				covered[p.ID][n] = p.ExpiresAt
			case !blind:
				covered[p.ID][n] = time.Time{} // it is to be read
			}
		}
		for _, p := range due[n] {
			networks[p.ID]++
		}
	}
	maps.DeleteFunc(e.balances, func(_ repairKey, at time.Time) bool { return e.now().Sub(at) >= earlyEvery })
	for n, reader := range e.readers {
		due[n] = slices.DeleteFunc(due[n], func(p payment.Payment) bool {
			_, lately := e.balances[repairKey{n, p.ID}]
			return lately && networks[p.ID] < len(covered[p.ID])
		})
		fail(n, e.cover(ctx, n, reader, due[n], cursors[n], covered))
	}
	return covered, first
}

// due returns the payments whose money on the network is recorded up to their expiry, as far as scans found it. blind:
// the network cannot be read at present.
func (e *Expirer) due(
	ctx context.Context, n chain.Network, payments []payment.Payment,
) (c Cursor, due []payment.Payment, blind bool, err error) {
	c, ok, err := e.store.Cursor(ctx, n)
	if err != nil || !ok || !c.BehindSince.IsZero() || e.now().Sub(c.UpdatedAt) > e.profiles[n].HeadLimit+c.Pause {
		return c, nil, true, err
	}
	aside, err := e.store.SetAsides(ctx, n)
	if err != nil {
		return c, nil, false, err
	}
	unread := make(map[payment.ID]bool, len(aside))
	for _, a := range aside {
		unread[a.PaymentID] = true
	}
	for _, p := range payments {
		if _, here := p.WatchedOn(n); here && p.Status == payment.Started && !c.Scanned.Time.Before(p.ExpiresAt) &&
			p.Incoming().IsZero() && !unread[p.ID] {
			due = append(due, p)
		}
	}
	return c, due, false, nil
}

func (e *Expirer) cover(
	ctx context.Context, n chain.Network, r chain.Reader, due []payment.Payment, c Cursor,
	covered map[payment.ID]payment.Coverage,
) error {
	if len(due) == 0 || e.now().Before(e.rests[n].until) {
		return nil
	}
	for _, p := range due {
		e.balances[repairKey{n, p.ID}] = e.now()
	}
	others, due, err := e.tokenAccounts(ctx, n, r, due)
	var found map[payment.ID]unrecorded
	if err == nil && len(due) > 0 {
		found, err = e.unrecorded(ctx, n, r, due, c.Scanned, others)
	}
	if err != nil {
		failures := e.rests[n].failures + 1
		e.rests[n] = rest{e.now().Add(min(firstRest<<min(failures-1, 10), lastRest)), failures}
		return err
	}
	delete(e.rests, n)
	var failed []error
	for _, p := range due {
		route, _ := p.WatchedOn(n)
		switch found[p.ID] {
		case none, worthless:
			if read, err := e.readSinceRestore(ctx, n, r, p, c); err != nil || !read {
				failed = append(failed, err)
				continue
			}
			covered[p.ID][n] = c.Scanned.Time
		case moving:
		case missed:
			failed = append(failed, e.repair(ctx, n, r, p, c, route.Since, errUnexplained, others.of(route)...))
		}
		if found[p.ID] == worthless {
			failed = append(failed, e.repair(ctx, n, r, p, c, route.Since, errUnlisted, others.of(route)...))
		}
	}
	return errors.Join(failed...)
}

// unrecorded is what is known of money at a payment's addresses that no deposit
// was recorded for.
type unrecorded int

const (
	none      unrecorded = iota
	worthless            // there is some of another token, which holds up nothing
	moving               // a sweep is emptying an address, so its balance says nothing
	missed               // there is some
)

// unrecorded reads the balances of the payments' addresses. Sweeps take all that
// an address holds, also what the scan missed, so what they moved counts with what
// is left.
func (e *Expirer) unrecorded(
	ctx context.Context, n chain.Network, r chain.Reader, due []payment.Payment, at chain.Head, others accounts,
) (map[payment.ID]unrecorded, error) {
	addresses := make([]chain.Address, len(due))
	for i, p := range due {
		route, _ := p.WatchedOn(n)
		addresses[i] = route.Address.Address
	}
	found := make(map[payment.ID]unrecorded)
	for _, asset := range others.assets(e.profiles[n].Assets) {
		balances, more := make([]money.Units, len(due)), missed
		var err error
		if !asset.Listed() {
			more = worthless // and Balances does not know it
		} else if balances, err = r.MostHeld(ctx, asset, addresses, at); err != nil {
			return nil, fmt.Errorf("balances of %s: %w", asset.Symbol, err)
		}
		if len(balances) != len(due) {
			return nil, fault.New(fault.Unavailable, "asked for %d balances, got %d", len(due), len(balances))
		}
		// Read after the balances: a sweep that made one lower is in flight, or what
		// it moved is recorded.
		swept, err := e.sweeps.SweptFrom(ctx, asset, addresses)
		if err != nil {
			return nil, fmt.Errorf("what was swept in %s: %w", asset.Symbol, err)
		}
		for i, p := range due {
			moved, known := swept[addresses[i]]
			holds := balances[i].Add(others.sum(asset, addresses[i]))
			switch {
			case !known:
				found[p.ID] = max(found[p.ID], moving) // whatever it moves
			case p.Unexplained(asset, addresses[i], holds.Add(moved).Sub(p.Recorded(asset, addresses[i]))):
				found[p.ID] = max(found[p.ID], more)
			}
		}
	}
	return found, nil
}
