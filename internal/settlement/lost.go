package settlement

import (
	"context"
	"errors"
	"slices"

	"github.com/florinpay/florin/internal/chain"
)

// LostTime is what a restored database does not know of a network: sweeps in the blocks From to To.
type LostTime struct {
	From, To uint64
}

// FindFunc reads from the chain which final transactions, in blocks from the given one on, moved money of the items to
// their settlement wallets, the oldest first. It reads no history for an item whose address holds what is expected.
type FindFunc func(ctx context.Context, items []chain.SweepItem, from uint64) ([]chain.SweepOutcome, error)

// recordLost records the sweeps of the batch that a restored database lost, and reports whether there were any. Where
// they cannot be found, the batch is swept as if there were none: the addresses that are empty fail and are tried
// again.
func (s *Sweeper) recordLost(ctx context.Context, batch []DepositBalance) (bool, error) {
	if s.FindSweeps == nil {
		return false, nil
	}
	lost, restored, err := s.store.LostTime(ctx, s.Network())
	if err != nil || !restored {
		return false, err
	}
	list := items(slices.DeleteFunc(slices.Clone(batch), func(b DepositBalance) bool { return b.FirstBlock > lost.To }))
	if len(list) == 0 {
		return false, nil
	}
	found, err := s.FindSweeps(ctx, list, lost.From)
	if err != nil {
		s.log.Warn("sweeps of before the restore are not found yet", "balances", len(list), "error", err)
		return false, ctx.Err()
	}
	recorded := false
	for _, out := range found {
		w := Sweep{
			ID: s.newID(s.now()), Network: s.Network(), State: Confirmed, CreatedAt: s.now(), EndedAt: s.now(),
			Tx: out.Tx, Block: out.Block, Paid: out.Paid, Moved: out.Moved, Note: lostNote,
		}
		w.Items = slices.DeleteFunc(slices.Clone(list), func(i chain.SweepItem) bool {
			_, moved := w.moved(i)
			return !moved
		})
		switch err := s.store.RecordSweep(ctx, w, s.now()); {
		case errors.Is(err, ErrBusy), errors.Is(err, ErrRecorded):
		case err != nil:
			return recorded, err
		default:
			recorded = true
			s.log.Info("sweep found on the chain", "sweep", w.ID, "tx", w.Tx, "moved", len(w.Moved))
		}
	}
	return recorded, nil
}

// lostNote is the note of a sweep that was found on the chain.
const lostNote = "made in the time that a restore lost, and found on the chain"
