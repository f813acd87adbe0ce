package solana

import (
	"context"
	"math"
	"slices"

	"github.com/florinpay/florin/internal/chain/solana/rpc"
	solanago "github.com/gagliardetto/solana-go"
)

// sweepLog is which watched accounts the sweeps have named: an account that a sweep emptied and that was paid the
// same amount again looks unchanged. Each transaction is read once, however often scans fail.
type sweepLog struct {
	since  uint64 // the slot from which the log is complete
	newest rpc.Signature
	count  uint64 // of the sweeps that name a watched account
	named  map[solanago.PublicKey]naming
	// strangers are the namings of accounts that are not watched, the oldest first: one may come to be watched, or is
	// read for the first time only now. forgot is the slot of the newest that was forgotten.
	strangers []stranger
	forgot    uint64
	read      map[string]uint64 // signatures in slots that a fork could still change, and later ones, with their slot
	// blind is the newest sweep that could not be read: it may have named any account.
	blind   naming
	problem problem
}

// naming is the newest sweep that named an account.
type naming struct{ number, slot uint64 }

type stranger struct {
	key    solanago.PublicKey
	number uint64
}

// mostStrangers bounds the memory for accounts that are not watched: anyone can name any account beside the address of
// the sweeps.
const mostStrangers = 50_000

// readSweeps brings the log up to date and returns whether a sweep named an account since it was last read. It comes
// after the accounts were read, so that a sweep before that reading is not missed. Anyone can name the address of the
// sweeps, so what cannot be read of it holds up no scan: every account counts as named then, and where more
// transactions name it than there are accounts, because reading their histories costs less.
func (s *search) readSweeps(ctx context.Context, snapshots []snapshot) (named func(snapshot) bool, err error) {
	log := s.sweeps
	s.swept = s.watched.sweeps.count
	if s.adapter.sweeps.IsZero() || len(snapshots) == 0 {
		return func(snapshot) bool { return false }, nil
	}
	err = s.listSweeps(ctx, log, snapshots)
	s.swept = s.watched.sweeps.count
	switch {
	case err == nil:
		log.problem = problem{}
		s.adapter.failures.forget(s.e, s.adapter.sweeps)
	case gaveUp(ctx), !ofOne(err):
		return nil, err
	case s.mayPass(s.adapter.sweeps, &log.problem, !tookTooLong(err)):
		return nil, rpc.NotTheNodes(err)
	default:
		return func(snapshot) bool { return true }, nil
	}
	return func(x snapshot) bool {
		n := log.named[x.key]
		if log.blind.number > n.number {
			n = log.blind
		}
		if x.isNew() || x.doubted {
			start := s.sweepsStart(x)
			return n.number > 0 && n.slot >= start || log.forgot >= start && log.forgot > 0
		}
		return n.number > x.swept
	}, nil
}

// listSweeps reads the sweeps that the log lacks.
func (s *search) listSweeps(ctx context.Context, log *sweepLog, snapshots []snapshot) error {
	newest, err := s.e.NewestSigned(ctx, s.adapter.sweeps.String())
	if err != nil {
		return err
	}
	since := log.start(s, snapshots)
	if newest.Signature == "" {
		if s.forgot(ctx, since) && s.first < math.MaxUint64 {
			log.hides(s.first)
		}
		return nil
	}
	if log.named == nil || since < log.since {
		*log = sweepLog{
			since: since, named: make(map[solanago.PublicKey]naming), read: make(map[string]uint64),
			count: log.count, problem: log.problem,
		}
	}
	if newest.Signature == log.newest.Signature || newest.Slot < log.since {
		return nil
	}
	most := max(len(snapshots), shortWalk)
	unread, all, err := s.unreadSweeps(ctx, log, most)
	if err != nil {
		return err
	}
	if all && len(unread) <= most {
		for part := range slices.Chunk(unread, rpc.ParallelCalls) {
			if err := s.readPart(ctx, log, part); err != nil {
				return err
			}
		}
	} else {
		for _, l := range unread {
			log.missed(l)
		}
	}
	log.newest = newest
	log.prune()
	return nil
}

// missed counts a sweep that is not read.
func (g *sweepLog) missed(l rpc.Signature) {
	g.read[l.Signature] = l.Slot
	g.hides(l.Slot)
}

// hides counts sweeps up to the slot that may have named any account.
func (g *sweepLog) hides(slot uint64) {
	g.count++
	g.blind = naming{g.count, max(slot, g.blind.slot)}
}

// start is the slot from which the log must be complete for the accounts.
func (g *sweepLog) start(s *search, snapshots []snapshot) uint64 {
	since := s.sweepsStart(snapshots[0])
	for _, x := range snapshots {
		if x.isNew() || x.doubted || x.known && x.covered && x.since <= s.from {
			since = min(since, s.sweepsStart(x))
		}
	}
	return since
}

// sweepsStart is the slot from which the sweeps of an account must be known.
func (s *search) sweepsStart(x snapshot) uint64 {
	if x.doubted {
		return s.from - min(s.from, forkMargin)
	}
	return s.historyStart(x)
}

// sweepPages bounds how much of the history of the sweeps' address one scan lists.
const sweepPages = 4

// unreadSweeps returns the sweeps that the log lacks, oldest first, and whether these are all: it stops once there are
// more than most. A fork may have put others before those that are known, and the node may have forgotten the oldest.
func (s *search) unreadSweeps(
	ctx context.Context, log *sweepLog, most int,
) (unread []rpc.Signature, all bool, err error) {
	from, oldest, before := max(log.since, log.newest.Slot-min(log.newest.Slot, forkMargin)), s.to.Number, ""
	for range sweepPages {
		page, end, err := s.e.Page(ctx, s.adapter.sweeps.String(), before, rpc.SignaturesPerPage)
		if err != nil {
			return nil, false, err
		}
		for _, l := range page {
			if _, known := log.read[l.Signature]; !known && !l.Failed() && l.Slot >= from {
				unread = append(unread, l)
			}
			oldest, before = l.Slot, l.Signature
		}
		if end && oldest >= from && !s.remembers(ctx, from) {
			log.hides(oldest)
		}
		if all = end || oldest < from; all || len(unread) > most {
			break
		}
	}
	slices.Reverse(unread)
	return unread, all || len(unread) == 0, nil
}

// readPart reads some transactions and keeps which watched accounts they name.
func (s *search) readPart(ctx context.Context, log *sweepLog, part []rpc.Signature) error {
	read := make([]*rpc.Transaction, len(part))
	failures := make([]error, len(part))
	err := rpc.Each(ctx, part, 1, func(ctx context.Context, one []rpc.Signature, at int) error {
		read[at], failures[at] = s.cache.transaction(ctx, one[0].Signature)
		if gaveUp(ctx) || failures[at] != nil && !ofOne(failures[at]) {
			return failures[at]
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, t := range read {
		if failures[i] != nil {
			if s.mayPass(s.adapter.sweeps, &log.problem, !tookTooLong(failures[i])) {
				return failures[i]
			}
			log.missed(part[i])
			continue
		}
		log.read[part[i].Signature] = part[i].Slot
		log.count++
		for _, text := range t.Keys {
			if key, err := solanago.PublicKeyFromBase58(text); err == nil {
				log.name(s.watched, key, part[i].Slot)
			}
		}
	}
	return nil
}

// name records that the sweep that was counted last named an account.
func (g *sweepLog) name(m *watchedAccounts, key solanago.PublicKey, slot uint64) {
	g.named[key] = naming{g.count, slot}
	if _, watched := m.accounts[key]; watched {
		return
	}
	if g.strangers = append(g.strangers, stranger{key, g.count}); len(g.strangers) <= mostStrangers {
		return
	}
	old := g.strangers[0]
	g.strangers = g.strangers[1:]
	if _, watched := m.accounts[old.key]; !watched && g.named[old.key].number == old.number {
		g.forgot = max(g.forgot, g.named[old.key].slot)
		delete(g.named, old.key)
	}
}

// prune forgets signatures that no fork can move any more.
func (g *sweepLog) prune() {
	for signature, slot := range g.read {
		if slot+2*forkMargin < g.newest.Slot {
			delete(g.read, signature)
		}
	}
}
