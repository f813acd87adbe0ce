package solana

import (
	"context"
	"slices"

	"github.com/florinpay/florin/internal/chain/solana/effect"
	solanago "github.com/gagliardetto/solana-go"
)

// sweepLog is which watched accounts the sweeps have named: an account that a sweep emptied and that was paid the
// same amount again looks unchanged. Each transaction is read once, however often scans fail.
type sweepLog struct {
	since  uint64 // the slot from which the log is complete
	newest signatureInfo
	count  uint64 // of the sweeps that name a watched account
	named  map[solanago.PublicKey]naming
	read   map[string]uint64 // signatures in slots that a fork could still change, and later ones, with their slot
}

// naming is the newest sweep that named an account.
type naming struct{ number, slot uint64 }

// readSweeps brings the log up to date and returns whether a sweep named an account since it was last read. It comes
// after the accounts were read, so that a sweep before that reading is not missed. Where more transactions name the
// address of the sweeps than there are accounts, every account counts as named: reading their histories costs less.
func (s *search) readSweeps(ctx context.Context, snapshots []snapshot) (named func(snapshot) bool, err error) {
	none := func(snapshot) bool { return false }
	log := &s.adapter.watched.sweeps
	s.swept = log.count
	if s.adapter.sweeps.IsZero() || len(snapshots) == 0 {
		return none, nil
	}
	newest, err := s.e.newestSigned(ctx, s.adapter.sweeps.String())
	if err != nil || newest.Signature == "" {
		return none, err
	}
	since := log.start(s, snapshots)
	if log.named == nil || since < log.since {
		*log = sweepLog{
			since: since, named: make(map[solanago.PublicKey]naming), read: make(map[string]uint64), count: log.count,
		}
	}
	if newest.Signature != log.newest.Signature && newest.Slot >= log.since {
		unread, err := log.list(ctx, s.e, s.adapter.sweeps.String())
		if err != nil {
			return none, err
		}
		if len(unread) > max(len(snapshots), shortWalk) {
			return func(snapshot) bool { return true }, nil
		}
		for part := range slices.Chunk(unread, parallelCalls) {
			if err := s.readPart(ctx, log, part); err != nil {
				return none, err
			}
		}
		log.newest = newest
		log.prune()
	}
	s.swept = log.count
	return func(x snapshot) bool {
		n, ok := log.named[x.key]
		return ok && n.number > x.swept && (!x.isNew() || n.slot >= s.historyStart(x))
	}, nil
}

// start is the slot from which the log must be complete for the accounts.
func (g *sweepLog) start(s *search, snapshots []snapshot) uint64 {
	since := s.historyStart(snapshots[0])
	for _, x := range snapshots {
		if x.isNew() || x.known && x.covered && x.since <= s.from {
			since = min(since, s.historyStart(x))
		}
	}
	return since
}

// list returns the sweeps that the log lacks, oldest first. A fork may have put others
// before those that are known.
func (g *sweepLog) list(ctx context.Context, e *endpoint, address string) ([]signatureInfo, error) {
	list, err := e.signatures(ctx, address, max(g.since, g.newest.Slot-min(g.newest.Slot, forkMargin)))
	if err != nil {
		return nil, err
	}
	slices.Reverse(list)
	return slices.DeleteFunc(list, func(l signatureInfo) bool {
		_, known := g.read[l.Signature]
		return known || l.failed() || l.Slot < g.since
	}), nil
}

// readPart reads some transactions and keeps which watched accounts they name.
func (s *search) readPart(ctx context.Context, log *sweepLog, part []signatureInfo) error {
	read := make([]*effect.Transaction, len(part))
	err := each(ctx, part, 1, func(ctx context.Context, one []signatureInfo, at int) (err error) {
		read[at], err = s.cache.transaction(ctx, one[0].Signature)
		return err
	})
	if err != nil {
		return err
	}
	for i, t := range read {
		log.read[part[i].Signature] = part[i].Slot
		log.count++
		for _, text := range t.Keys {
			key, err := solanago.PublicKeyFromBase58(text)
			if _, watched := s.adapter.watched.accounts[key]; err == nil && watched {
				log.named[key] = naming{log.count, part[i].Slot}
			}
		}
	}
	return nil
}

// prune forgets signatures that no fork can move any more.
func (g *sweepLog) prune() {
	for signature, slot := range g.read {
		if slot+2*forkMargin < g.newest.Slot {
			delete(g.read, signature)
		}
	}
}
