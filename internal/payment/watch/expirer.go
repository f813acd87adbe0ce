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
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// Expirer ends payments whose time has run out.
//
// Its invariant: a started payment expires only after every network where its money counts was scanned up to its
// expiry, and the balances of its addresses show no money that the scan missed, as a quorum of endpoints says, or fewer
// where as many have shown all blocks up to its expiry: some do not tell balances at all. While a network
// cannot say so, its payments wait, payment.BlindWait at most; money that it shows later is late money. A balance that
// is not explained has the address read again (SetAside).
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
	// pauses are until when something is not asked for again: of a payment on a network; of no payment, the balances of
	// all, which could not be read, or with unreadKey those of one: each attempt costs calls, and the payments wait
	// anyway.
	pauses map[repairKey]time.Time
	// Lists bounds on each network how many payments are asked for all their token accounts; nil: nothing does.
	Lists map[chain.Network]*chain.Lists
	lists map[chain.Address]listed // of late
}

const (
	// earlyEvery is the time between two readings of a payment's balances while another of its networks is not read up
	// to its expiry, or cannot be. They find what a scan missed; the payment cannot expire on them.
	earlyEvery = time.Minute
	// expirePage is how many payments are decided together; their balances are read with one request for each token.
	expirePage = 100
	// balancesPause is the pause after balances that could not be read.
	balancesPause = time.Minute
	// unreadKey is before the payment in the key of its pause after its own balances could not be read.
	unreadKey = payment.ID("unread ")
)

// NewExpirer returns the expirer of the networks that have a reader.
func NewExpirer(profiles []chain.Profile, readers map[chain.Network]chain.Reader, s Store, w Sweeps,
	now func() time.Time, log *slog.Logger,
) *Expirer {
	e := &Expirer{
		readers: readers, profiles: make(map[chain.Network]chain.Profile), store: s, sweeps: w, now: now, log: log,
		repairs: make(map[repairKey]repair), pauses: make(map[repairKey]time.Time),
		lists: make(map[chain.Address]listed),
	}
	for _, p := range profiles {
		e.profiles[p.Network] = p
	}
	return e
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
		if ctx.Err() != nil || len(ids) < expirePage {
			return failed
		}
	}
}

// page expires those of the payments that may expire. The error says which could not be decided, and why.
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
	expire := func(p payment.Payment) (payment.Change, error) { return p.Expire(coverage[p.ID], e.now()) }
	for _, p := range payments {
		if p.Status.Final() {
			maps.DeleteFunc(e.repairs, func(k repairKey, _ repair) bool { return k.id == p.ID })
		}
		if c, err := expire(p); err != nil || c.None() {
			continue
		}
		if _, err := e.store.UpdatePayment(ctx, p.ID, expire); err != nil {
			failed = append(failed, fmt.Errorf("expire payment %s: %w", p.ID, err))
		}
	}
	return errors.Join(failed...)
}

// coverage returns for each payment up to when its networks are known to hold no unrecorded money. A network that fails
// leaves its payments uncovered and does not keep others from expiring; the first error is returned.
func (e *Expirer) coverage(ctx context.Context, payments []payment.Payment) (map[payment.ID]payment.Coverage, error) {
	covered := make(map[payment.ID]payment.Coverage, len(payments))
	for _, p := range payments {
		covered[p.ID] = payment.Coverage{}
		for _, r := range p.Routes {
			if _, read := e.readers[r.Network]; !read && !p.WaitsFor(e.began, e.now()) {
				covered[p.ID][r.Network] = p.ExpiresAt // it was turned off
			}
		}
	}
	var first error
	fail := func(n chain.Network, err error) {
		if err != nil && first == nil {
			first = fmt.Errorf("%s: %w", n, err)
		}
	}
	var all []scanned
	waits := make(map[payment.ID]int, len(payments)) // for so many networks to be read up to the payment's expiry
	for n, r := range e.readers {
		s, blind, err := e.scanned(ctx, n, r)
		fail(n, err)
		for _, p := range payments {
			route, here := p.WatchedOn(n)
			waiting := p.WaitsFor(e.began, e.now())
			switch {
			case !here:
				continue
			case !waiting:
				covered[p.ID][n] = p.ExpiresAt
			case !blind:
				covered[p.ID][n] = time.Time{} // it is to be read
			}
			if !blind && err == nil && s.has(p) {
				s.due = append(s.due, p)
			} else if waiting && (!blind || route.Network == n) { // another network that is blind holds up nothing
				waits[p.ID]++
			}
		}
		all = append(all, s)
	}
	maps.DeleteFunc(e.pauses, func(_ repairKey, until time.Time) bool { return !e.now().Before(until) })
	for _, s := range all {
		s.due = slices.DeleteFunc(s.due, func(p payment.Payment) bool {
			_, lately := e.pauses[repairKey{s.network, p.ID}]
			_, unread := e.pauses[repairKey{s.network, unreadKey + p.ID}]
			return unread || lately && waits[p.ID] > 0
		})
		fail(s.network, e.cover(ctx, s, covered))
	}
	return covered, first
}

// scanned is a network up to its cursor, and the payments whose money there is recorded up to their expiry, as far as
// scans found it.
type scanned struct {
	network chain.Network
	reader  chain.Reader
	cursor  Cursor
	unread  map[payment.ID]bool  // are to be read again
	few     map[payment.ID]error // why too few endpoints have said what their addresses hold
	due     []payment.Payment
}

// scanned reads how far a network was scanned. blind: it cannot be read at present.
func (e *Expirer) scanned(ctx context.Context, n chain.Network, r chain.Reader) (s scanned, blind bool, err error) {
	c, ok, err := e.store.Cursor(ctx, n)
	s = scanned{network: n, reader: r, cursor: c, unread: make(map[payment.ID]bool), few: make(map[payment.ID]error)}
	if err != nil || !ok || c.unread(e.profiles[n].HeadLimit, e.now()) {
		return s, true, err
	}
	rows, err := e.store.SetAsides(ctx, n)
	for _, a := range rows {
		s.unread[a.PaymentID] = true
	}
	return s, false, err
}

// has reports whether what came to a payment until its expiry is recorded and final.
func (s scanned) has(p payment.Payment) bool {
	return p.Status == payment.Started && !s.cursor.Scanned.Time.Before(p.ExpiresAt) && p.Incoming().IsZero() &&
		!s.unread[p.ID]
}

func (e *Expirer) cover(ctx context.Context, s scanned, covered map[payment.ID]payment.Coverage) error {
	if _, paused := e.pauses[repairKey{network: s.network}]; paused || len(s.due) == 0 {
		return nil
	}
	for _, p := range s.due {
		e.pauses[repairKey{s.network, p.ID}] = e.now().Add(earlyEvery)
	}
	others, due, err := e.tokenAccounts(ctx, s)
	s.due = due
	var found map[payment.ID]unrecorded
	var failed []error
	if err == nil && len(due) > 0 {
		var unread *chain.UnreadError
		if found, unread, err = e.unrecorded(ctx, s, others); unread != nil {
			failed = append(failed, unread)
		}
	}
	if err != nil {
		e.pauses[repairKey{network: s.network}] = e.now().Add(balancesPause)
		return err
	}
	for _, p := range due {
		route, _ := p.WatchedOn(s.network)
		switch found[p.ID] {
		case none, worthless:
			if p.CreatedAt.Before(s.cursor.RestoredAt) && !e.repairs[repairKey{s.network, p.ID}].restored {
				// It may have been started in the time that is lost, and its balance says nothing: see errRestored.
				failed = append(failed, e.repair(ctx, s, p, p.CreatedAt, errRestored))
				continue
			}
			if why := s.few[p.ID]; why != nil && s.cursor.Second.Time.Before(p.ExpiresAt) {
				e.pauses[repairKey{s.network, unreadKey + p.ID}] = e.now().Add(balancesPause)
				failed = append(failed, why)
				continue
			}
			covered[p.ID][s.network] = s.cursor.Scanned.Time
		case moving:
		case missed:
			failed = append(failed, e.repair(ctx, s, p, route.Since, errUnexplained, others.of(route)...))
		}
		if found[p.ID] == worthless {
			failed = append(failed, e.repair(ctx, s, p, route.Since, errUnlisted, others.of(route)...))
		}
	}
	return errors.Join(failed...)
}

// unrecorded is what is known of money at a payment's addresses that no deposit was recorded for.
type unrecorded int

const (
	none      unrecorded = iota
	worthless            // there is some of another token, which holds up nothing
	moving               // a sweep is emptying an address, so its balance says nothing, or it cannot be read
	missed               // there is some
)

// unrecorded reads the balances of the payments' addresses. Sweeps take all that an address holds, also what the scan
// missed, so what they moved counts with what is left. unread names the addresses whose balances are not known.
func (e *Expirer) unrecorded(
	ctx context.Context, s scanned, others accounts,
) (found map[payment.ID]unrecorded, unread *chain.UnreadError, err error) {
	addresses := make([]chain.Address, len(s.due))
	for i, p := range s.due {
		route, _ := p.WatchedOn(s.network)
		addresses[i] = route.Address.Address
	}
	found = make(map[payment.ID]unrecorded)
	for _, asset := range others.assets(e.profiles[s.network].Assets) {
		balances, more := make([]money.Units, len(s.due)), missed
		if !asset.Listed() {
			more = worthless // and Balances does not know it
		} else if balances, err = s.reader.MostHeld(ctx, asset, addresses, s.cursor.Scanned); err != nil {
			of, some := errors.AsType[*chain.UnreadError](err)
			if !some && balances == nil {
				return nil, nil, fmt.Errorf("balances of %s: %w", asset.Symbol, err)
			}
			for i, p := range s.due {
				if !some || slices.Contains(of.Heard, addresses[i]) {
					s.few[p.ID] = err
				} else if slices.Contains(of.Addresses, addresses[i]) {
					unread = unread.With(&chain.UnreadError{
						Addresses: []chain.Address{addresses[i]}, Reason: of.Reason,
					})
				}
			}
		}
		// Read after the balances: a sweep that made one lower is in flight, or what it moved is recorded.
		swept, err := e.sweeps.SweptFrom(ctx, asset, addresses)
		if err != nil {
			return nil, nil, fmt.Errorf("what was swept in %s: %w", asset.Symbol, err)
		}
		for i, p := range s.due {
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
	for i, p := range s.due {
		if unread != nil && slices.Contains(unread.Addresses, addresses[i]) {
			found[p.ID] = max(found[p.ID], moving)
			e.pauses[repairKey{s.network, unreadKey + p.ID}] = e.now().Add(balancesPause)
		}
	}
	return found, unread, nil
}
