package watch

import (
	"context"
	"errors"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// tail is what the tentative pass has read above the final head.
type tail struct {
	first     uint64     // the first block kept
	read      chain.Head // the newest block read; zero when there is none
	transfers []chain.Transfer
}

// tailLimit bounds the reading of the newest blocks in one round, so that the rest of the round has its time.
const tailLimit = roundLimit / 2

// tentative reads the blocks above the final head. Blocks read before are kept
// while the chain still holds them, so that a long way to finality is not read
// again every round. They need not be read again for an address added since: it
// could not be paid before it was shown. What fails for one payment is tried again
// in the next round; the authoritative pass sets it aside if it lasts.
func (w *Watcher) tentative(ctx context.Context, heads chain.Heads, c Cursor) error {
	if c.Scanned.Number < heads.Final.Number || heads.Latest.Number <= heads.Final.Number ||
		w.reading().Len() == 0 {
		w.tail, w.tailUnread = tail{}, ""
		return nil
	}
	switch err := w.readTail(ctx, heads); {
	case ctx.Err() != nil:
		return ctx.Err()
	case passing(err):
		return err
	case err != nil:
		w.withoutTail(err)
		return nil
	}
	before := w.skipped
	w.skipped = make(map[payment.ID]error)
	_, err := w.observe(ctx, w.reading(), payment.View{
		Network: w.profile.Network, From: heads.Final.Number + 1, To: heads.Latest.Number, Latest: heads.Latest,
		Final: heads.Final, Finalized: heads.Finalized, Transfers: w.tail.transfers, End: heads.Latest,
	}, false, func(id payment.ID, _ uint64, cause error) error {
		w.skipped[id] = cause
		if _, known := before[id]; !known {
			w.log.Warn("a payment's incoming money is not shown yet", "txnid", id, "error", cause)
		}
		return ctx.Err()
	})
	return err
}

// readTail reads the blocks above the final head that are not read yet.
func (w *Watcher) readTail(ctx context.Context, heads chain.Heads) error {
	ctx, cancel := context.WithTimeout(ctx, tailLimit)
	defer cancel()
	from, err := w.tailFrom(ctx, heads)
	if err != nil {
		return err
	}
	if from <= heads.Latest.Number {
		fresh, _, err := w.reader.Scan(ctx, from, heads.Latest, w.reading())
		if _, some := errors.AsType[*chain.UnreadError](err); err != nil && !some {
			return err // addresses that cannot be read are set aside by the authoritative pass
		}
		w.tail.transfers = append(w.tail.transfers, fresh...)
		w.tail.read = heads.Latest
	}
	w.tailUnread = ""
	return nil
}

// withoutTail notes that the newest blocks cannot be read. The newest one is one endpoint's word, and the others cannot
// show what it invents. Final blocks are read without it, so the network goes on; only what has just been paid is
// shown late.
func (w *Watcher) withoutTail(err error) {
	if w.tailUnread == "" {
		w.log.Warn("the newest blocks cannot be read; money is shown when it is final", "error", err)
	}
	w.tail, w.tailUnread = tail{}, err.Error()
}

// tailFrom drops blocks that are final by now or were replaced, and returns the
// first block to read. A tail that begins above the first block is read again: the
// heads fell.
func (w *Watcher) tailFrom(ctx context.Context, heads chain.Heads) (uint64, error) {
	first := heads.Final.Number + 1
	read := w.tail.read
	if read.Number < first || read.Number > heads.Latest.Number || first < w.tail.first {
		w.tail = tail{first: first}
		return first, nil
	}
	now, ok, err := w.reader.BlockAt(ctx, read.Number)
	if err != nil {
		return 0, err
	}
	if !ok || now.Hash != read.Hash {
		w.tail = tail{first: first}
		return first, nil
	}
	w.tail.first = first
	w.tail.transfers = slices.DeleteFunc(w.tail.transfers, func(t chain.Transfer) bool {
		return t.Block.Number < first
	})
	return read.Number + 1, nil
}
