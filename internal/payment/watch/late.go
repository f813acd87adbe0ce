package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// rests reports whether the addresses of payments that ended are read more slowly than those of open ones: where
// reading costs by the address. On EVM networks it costs by the block, whatever is watched.
func rests(n chain.Network) bool { return !n.EVM() }

// late is the pass over the addresses of payments that ended, on a network where they rest: a part at a time, each in
// its turn.
//
// Two things hold after every round. Each address of the current set was read up to Cursor.Scanned: these are the
// addresses of the payments whose expiry waits for that block. And every watched address was read up to Cursor.Ended,
// twice. So one that enters the current set is first read from the block after Cursor.Ended up to Cursor.Scanned.
type late struct {
	*reader

	queue []chain.Watched // what this pass has still to read
	until uint64          // Cursor.Ended after this pass: up to where the current ones were read twice when it began
	began time.Time       // zero: no pass has begun
	// before is what until was of the pass before this one, where one endpoint is all there is: see begin.
	before uint64
	// failing is since when not everything could be read twice, and why. once: this pass did not.
	failing time.Time
	why     error
	once    bool
}

const (
	// restPart is how many addresses one scan reads.
	restPart = 1_000
	// restRate is how many addresses a second are read on average: all of a month of 1,000 payments a day within 34
	// minutes.
	restRate = 15
	// partsAtOnce bounds how many parts one round reads. A payer who waits is kept waiting by one at most.
	partsAtOnce = 6
	// partsLimit bounds how long that takes.
	partsLimit = 30 * time.Second
	// restLimit is for how long it may fail before the network says so.
	restLimit = 30 * time.Minute
)

// reset forgets what was read, so that it is read again from the cursor on.
func (l *late) reset() {
	l.current = chain.NewWatchSet(0)
	*l = late{reader: l.reader}
}

// loadWatched loads the watched addresses: after an operator moved the cursor, or a restore, those of all times until
// they are read to where the network stood.
func (l *late) loadWatched(ctx context.Context) error {
	read := l.cursor.Scanned.Number
	if rests(l.profile.Network) {
		read = min(read, l.cursor.Ended)
	}
	all := read < l.cursor.RereadTo
	if all != l.watched.all {
		l.reset()
	}
	return l.watched.load(ctx, l.store, l.now(), all)
}

// passTime is the time from the beginning of one pass to that of the next.
func (l *late) passTime() time.Duration {
	least := max(endedRound, time.Duration(l.watched.set.Len()/restRate)*time.Second)
	return least * time.Duration(Ended.Slowdown(l.pace.spent()/100))
}

// loadCurrent brings the current set up to date with what is at risk (Store.OpenAddresses). It must be called after the
// heads and the watched addresses were read, and before the cursor moves on.
func (l *late) loadCurrent(ctx context.Context) error {
	if !rests(l.profile.Network) {
		l.current = l.watched.set
		return nil
	}
	open, err := l.store.OpenAddresses(ctx, l.profile.Network, l.now().Add(-endFor))
	if err != nil {
		return err
	}
	current, behind := l.watched.subset(len(open)), l.watched.subset(0)
	for _, a := range open {
		_, read := l.current.Lookup(a.Raw)
		id, watched := l.watched.owners[a.Address]
		if !watched {
			continue
		}
		current.Add(a)
		if !read && !l.watched.fresh[id] { // a fresh one was not shown yet when the blocks up to the cursor were made
			behind.Add(a)
		}
	}
	if behind.Len() > 0 && l.cursor.Ended < l.cursor.Scanned.Number {
		// Once is enough: until Cursor.Ended moves, what rests is read twice.
		if err := l.reader.take(ctx, behind, false, l.cursor.Ended+1, l.cursor.Scanned); err != nil {
			return err
		}
		l.above = kept{}
	}
	l.current = current
	clear(l.watched.fresh)
	return nil
}

// take reads on at the addresses that rest, as far as their pace has it, and moves Cursor.Ended when all are
// read. Its failures delay late money only, so they end no round: the network says so.
func (l *late) take(ctx context.Context) error {
	if !rests(l.profile.Network) {
		return nil
	}
	if l.began.IsZero() || len(l.queue) == 0 && l.now().Sub(l.began) >= l.passTime() {
		l.begin()
	}
	if err := l.readParts(ctx); err != nil {
		if ctx.Err() != nil {
			return err
		}
		l.fails(err)
	}
	if l.once || len(l.queue) > 0 {
		return nil
	}
	if l.failing = (time.Time{}); l.until <= l.cursor.Ended {
		return nil
	}
	l.cursor.Ended = l.until
	return l.save(ctx, l.watched.set.Len() > 0 || l.cursor.RereadTo > 0)
}

// fails records that this pass does not read everything twice.
func (l *late) fails(why error) {
	if l.once, l.why = true, why; l.failing.IsZero() {
		l.failing = l.now()
		l.log.Warn("addresses of payments that ended cannot be read twice; they are tried again", "error", why)
	}
}

// unread says since when addresses that rest are not read twice, for the operator, if that lasts.
func (l *late) unread() string {
	if l.failing.IsZero() || l.now().Sub(l.failing) < restLimit {
		return ""
	}
	return fmt.Sprintf("addresses of payments that ended are not read twice since %s: %v",
		l.failing.UTC().Format("15:04"), l.why)
}

// begin lists all addresses. One endpoint that is all there is would leave out of two answers in a row what it leaves
// out of one: there, two passes read them before Cursor.Ended moves.
func (l *late) begin() {
	l.queue, l.until, l.began, l.once = nil, l.cursor.Second.Number, l.now(), false
	if l.single() {
		l.until, l.before = l.before, l.until
	}
	for raw, a := range l.watched.set.All {
		l.queue = append(l.queue, chain.Watched{Address: a, Raw: raw})
	}
	slices.SortFunc(l.queue, func(a, b chain.Watched) int { return cmp.Compare(a.Address, b.Address) })
}

// readParts reads the parts of the pass that are due.
func (l *late) readParts(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, partsLimit)
	defer cancel()
	most := partsAtOnce
	if l.pace.level() == Attended {
		most = 1
	}
	for range most {
		if len(l.queue) == 0 {
			return nil
		}
		set := l.watched.subset(restPart)
		part := l.queue[:min(restPart, len(l.queue))]
		for _, a := range part {
			if _, watched := l.watched.owners[a.Address]; watched {
				set.Add(a)
			}
		}
		err := l.reader.take(ctx, set, true, l.cursor.Ended+1, l.cursor.Scanned)
		if errors.Is(err, chain.ErrNoEndpoint) { // one endpoint that is left shows late money, too
			l.fails(err)
			err = l.reader.take(ctx, set, false, l.cursor.Ended+1, l.cursor.Scanned)
		}
		if err != nil {
			return err
		}
		l.queue = l.queue[len(part):]
	}
	return nil
}

// rebuildEvery is how often all addresses are read again, which drops those that are no longer watched.
const rebuildEvery = 6 * time.Hour

// watchlist holds the addresses a watcher watches, with their payments. On an EVM network it holds those of every EVM
// network: the same address exists on all of them, and money sent on the wrong one must be recorded.
type watchlist struct {
	networks []chain.Network
	set      *chain.WatchSet
	owners   map[chain.Address]payment.ID
	floods   map[chain.Address]chain.Flood
	mark     Mark
	built    time.Time
	// fresh are the payments whose addresses were stored since an earlier load, where addresses rest.
	fresh map[payment.ID]bool
	all   bool // also those of payments that ended long ago
}

func newWatchlist(n chain.Network) watchlist {
	others := func(o chain.Network) bool { return !n.SharesAddresses(o) }
	l := watchlist{networks: slices.DeleteFunc(chain.Networks(), others), floods: make(map[chain.Address]chain.Flood)}
	l.clear()
	return l
}

func (l *watchlist) clear() {
	l.set, l.owners, l.mark = l.subset(0), make(map[chain.Address]payment.ID), Mark{}
	l.fresh = make(map[payment.ID]bool)
}

// subset returns an empty set with room for n of the addresses.
func (l *watchlist) subset(n int) *chain.WatchSet {
	set := chain.NewWatchSet(n)
	set.Floods = l.floods
	return set
}

// flood has small transfers to the addresses of a payment that has got many shown without their places, in blocks after
// those that are final: they are only folded.
func (l *watchlist) flood(p payment.Payment, after uint64) {
	if !p.Flooded() {
		return
	}
	for _, route := range p.Routes {
		f, known := l.floods[route.Address.Address]
		if !known {
			f = chain.Flood{After: after, Below: payment.DustFloor, Placed: make(map[chain.TxHash]bool)}
			l.floods[route.Address.Address] = f
		}
		for _, d := range p.Deposits {
			f.Placed[d.Transfer.Tx] = f.Placed[d.Transfer.Tx] || !d.Folded()
		}
	}
}

// load adds the addresses stored since the last load; all also takes those of payments that ended long ago. It must be
// called after the heads are read.
func (l *watchlist) load(ctx context.Context, s Store, now time.Time, all bool) error {
	if now.Sub(l.built) > rebuildEvery || all != l.all {
		l.clear()
		l.built, l.all = now, all
	}
	endedAfter := now.Add(-payment.WatchAfterEnd)
	if all {
		endedAfter = time.Unix(0, 0)
	}
	added, mark, err := s.Watches(ctx, l.networks, l.mark, endedAfter)
	if err != nil {
		return fmt.Errorf("load watched addresses: %w", err)
	}
	first := l.mark == (Mark{})
	for _, a := range added {
		if _, known := l.owners[a.Address]; known {
			continue
		}
		l.set.Add(a.Watched)
		l.owners[a.Address] = a.PaymentID
		if rests(l.networks[0]) && !first {
			l.fresh[a.PaymentID] = true
		}
	}
	l.mark = mark
	return nil
}
