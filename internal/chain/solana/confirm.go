package solana

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/effect"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// Confirm checks, through endpoints other than their source, whether the transfers of one transaction are in the slot
// that it names, at or before `at` (chain.Present). With a single endpoint configured, it queries the source itself.
func (a *Adapter) Confirm(ctx context.Context, transfers []chain.Transfer, at chain.Head) (chain.Verdict, error) {
	if !chain.SameInclusion(transfers) {
		return chain.Undecided, errors.New("confirm: not the transfers of one transaction")
	}
	t := transfers[0]
	signature, ok := rpc.ParseSignature(t.Tx)
	if !ok {
		return chain.Undecided, fmt.Errorf("confirm: %q is no signature", t.Tx)
	}
	if gaveUp(ctx) {
		return chain.Undecided, ctx.Err()
	}
	others := a.pool.voices()
	if a.pool.size() > 1 {
		others = a.pool.without(t.Source)
	}
	denied := false
	verdict, err := chain.Present(others, a.pool.size(), func(e *endpoint) (chain.Verdict, error) {
		v, err := a.verdict(ctx, e, func(ctx context.Context, e *endpoint) (chain.Verdict, error) {
			return a.judge(ctx, e, transfers, signature, at)
		})
		denied = denied || v == chain.Missing
		return v, err
	})
	if denied {
		a.refute(ctx, t.Source, signature)
	}
	if gaveUp(ctx) {
		return chain.Undecided, ctx.Err()
	}
	return verdict, err
}

// refute forgets what the source reported of the transaction.
func (a *Adapter) refute(ctx context.Context, source, signature string) {
	a.watched.refute(ctx, signature)
	for e, known := range a.searched {
		if e.Name == source {
			known.refute(ctx, signature)
		}
	}
}

// verdict asks one endpoint. One that does not have the block yet is undecided.
func (a *Adapter) verdict(
	ctx context.Context, e *endpoint, judge func(context.Context, *endpoint) (chain.Verdict, error),
) (verdict chain.Verdict, err error) {
	err = a.pool.try(ctx, e, func(ctx context.Context, e *endpoint) (err error) {
		verdict, err = judge(ctx, e)
		return err
	})
	if errors.Is(err, rpc.ErrLagging) {
		return chain.Undecided, nil
	}
	return verdict, e.named(err)
}

// judge looks for the transfers through one endpoint, which must know `at`.
func (a *Adapter) judge(
	ctx context.Context, e *endpoint, transfers []chain.Transfer, signature string, at chain.Head,
) (chain.Verdict, error) {
	if err := e.hasBlock(ctx, at); err != nil {
		return chain.Undecided, err
	}
	statuses, err := e.Statuses(ctx, []string{signature})
	if err != nil {
		return chain.Undecided, err
	}
	st := statuses[signature]
	switch {
	case st == nil:
		return e.judgeBlock(ctx, signature, transfers[0].Block, at)
	case st.Failed(), st.Slot > at.Number, st.Slot != transfers[0].Block.Number:
		return chain.Missing, nil
	case at.Number <= a.heads.finalNumber() && !st.Final():
		return chain.Undecided, nil
	}
	tx, err := e.Transaction(ctx, signature)
	if err != nil {
		return chain.Undecided, err
	}
	if tx == nil {
		return chain.Undecided, rpc.Lagging("transaction %s is not there", signature)
	}
	if tx.Slot != st.Slot || slices.ContainsFunc(transfers, func(t chain.Transfer) bool { return !a.includes(tx, t) }) {
		return chain.Missing, nil
	}
	return chain.Stands, nil
}

// judgeBlock looks for a transaction that the node does not know in the block that should contain it: it is
// missing only if the node has that block and the block does not list it.
func (e *endpoint) judgeBlock(ctx context.Context, signature string, claimed, at chain.Head) (chain.Verdict, error) {
	if claimed.Number > at.Number {
		return chain.Missing, nil
	}
	b, ok, err := e.Block(ctx, claimed.Number, "signatures")
	if err != nil {
		return chain.Undecided, err
	}
	if !ok {
		h, kept, err := e.Head(ctx, claimed.Number)
		if err == nil && kept && h.Hash != claimed.Hash {
			kept, err = e.Skipped(ctx, claimed.Number, at.Number)
		}
		if err == nil && (!kept || h.Hash == claimed.Hash) {
			err = rpc.Lagging("block of slot %d is not there", claimed.Number)
		}
		return chain.Missing, err // the slot was skipped
	}
	if slices.Contains(b.Signatures, signature) {
		return chain.Undecided, rpc.Lagging("transaction %s is not there", signature)
	}
	return chain.Missing, nil
}

// includes reports whether the transaction made the transfer: same account index, mint, recipient and amount.
func (a *Adapter) includes(tx *effect.Transaction, t chain.Transfer) bool {
	m, known := a.mint(t.Asset.Contract)
	owner, err := parseKey(string(t.To))
	if !known || err != nil {
		return false
	}
	c, credited := tx.Credit(a.watched.addresses.Of(owner, m.key), owner, m.key)
	return credited && c.Index == t.Ordinal && c.Units().Cmp(t.Units) == 0
}
