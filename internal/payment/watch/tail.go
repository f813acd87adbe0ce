package watch

import (
	"context"
	"errors"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// kept is what the tentative pass has read above the final head.
type kept struct {
	first     uint64     // the first block kept
	read      chain.Head // the newest block read; zero when there is none
	transfers []chain.Transfer
}

// tail is the tentative pass.
type tail struct {
	*reader

	unread string // why it cannot read; empty if it can
}

// tailLimit bounds the reading of the newest blocks in one round, so that the rest of the round has its time.
const tailLimit = roundLimit / 2

// take reads the blocks above the final head. Blocks read before are kept while the chain still holds them, so that a
// long way to finality is not read again every round. They need not be read again for an address added since: it could
// not be paid before it was shown. What fails for one payment is tried again in the next round; the authoritative pass
// sets it aside if it lasts.
func (t *tail) take(ctx context.Context) error {
	heads := t.heads
	if t.cursor.Scanned.Number < heads.Final.Number || heads.Latest.Number <= heads.Final.Number ||
		t.current.Len() == 0 {
		t.above, t.unread = kept{}, ""
		return nil
	}
	switch err := t.read(ctx); {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, chain.ErrReorged):
		return err
	case err != nil:
		// The newest block is one endpoint's word, and the others cannot show what it invents. Final blocks are read
		// without it; only what has just been paid is shown late.
		if t.unread == "" {
			t.log.Warn("the newest blocks cannot be read; money is shown when it is final", "error", err)
		}
		t.above, t.unread = kept{}, err.Error()
		return nil
	}
	v := t.view(heads.Final.Number+1, heads.Latest, t.above.transfers)
	skip := func(payment.ID, error, []chain.Transfer) error { return ctx.Err() }
	return t.observe(ctx, t.current, v, nil, skip)
}

// read drops blocks that are final by now or were replaced, and reads those above the final head that are not read yet.
// A tail that begins above the first of them is read again: the heads fell.
func (t *tail) read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tailLimit)
	defer cancel()
	first, latest, read := t.heads.Final.Number+1, t.heads.Latest, t.above.read
	stands := t.above.first <= first && first <= read.Number && read.Number <= latest.Number
	if stands {
		now, ok, err := t.endpoints.BlockAt(ctx, read.Number)
		if err != nil {
			return err
		}
		stands = ok && now.Hash == read.Hash
	}
	if !stands {
		t.above = kept{}
	}
	t.above.first = first
	t.above.transfers = slices.DeleteFunc(t.above.transfers, func(x chain.Transfer) bool {
		return x.Block.Number < first
	})
	if from := max(first, t.above.read.Number+1); from <= latest.Number {
		fresh, _, err := t.endpoints.Scan(ctx, from, latest, t.current)
		if _, some := errors.AsType[*chain.UnreadError](err); err != nil && !some {
			return err // addresses that cannot be read are set aside by the authoritative pass
		}
		t.above.transfers = append(t.above.transfers, fresh...)
		t.above.read = latest
	}
	t.unread = ""
	return nil
}
