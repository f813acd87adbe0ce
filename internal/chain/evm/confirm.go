package evm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// Confirm checks, through endpoints other than their source, whether the
// transfers of one transaction are in the block that it names, at or below `at` (chain.Present).
// The source itself is queried only if it is the only endpoint.
func (a *Adapter) Confirm(ctx context.Context, transfers []chain.Transfer, at chain.Head) (chain.Verdict, error) {
	if !chain.SameInclusion(transfers) {
		return chain.Undecided, errors.New("confirm: not the transfers of one transaction")
	}
	t := transfers[0]
	tx, ok := rpc.ParseHash(string(t.Tx))
	if !ok {
		return chain.Undecided, fmt.Errorf("confirm: %q is no transaction hash", t.Tx)
	}
	others := a.pool.Voices()
	if !a.pool.Single() {
		others = a.pool.Without(t.Source)
	}
	verdict, err := chain.Present(others, a.pool.Size(), func(e *rpc.Endpoint) (chain.Verdict, error) {
		return a.verdict(ctx, e, func(ctx context.Context, e *rpc.Endpoint) (chain.Verdict, error) {
			return a.confirmVia(ctx, e, transfers, tx, at)
		})
	})
	if ctx.Err() != nil {
		return chain.Undecided, ctx.Err()
	}
	return verdict, err
}

// verdict asks one endpoint. One that does not have the block yet is undecided.
func (a *Adapter) verdict(
	ctx context.Context, e *rpc.Endpoint, judge func(context.Context, *rpc.Endpoint) (chain.Verdict, error),
) (verdict chain.Verdict, err error) {
	err = a.pool.Try(ctx, e, func(ctx context.Context, e *rpc.Endpoint) (err error) {
		verdict, err = judge(ctx, e)
		return err
	})
	switch {
	case errors.Is(err, rpc.ErrLagging):
		return chain.Undecided, nil
	case err != nil:
		return chain.Undecided, fromEndpoint(e, err)
	}
	return verdict, nil
}

// confirmVia looks for the transfers through one endpoint, which must have
// `at`.
func (a *Adapter) confirmVia(
	ctx context.Context, e *rpc.Endpoint, transfers []chain.Transfer, tx rpc.Hash, at chain.Head,
) (chain.Verdict, error) {
	var results [][]byte
	err := e.Patiently(ctx, at.Number, func() (err error) {
		if results, err = e.Results(ctx, rpc.BlockByNumber(at.Number), rpc.ReceiptCall(tx)); err != nil {
			return err
		}
		return rpc.RequireHead(results[0], at)
	})
	if err != nil {
		return chain.Undecided, err
	}
	r, ok, err := rpc.ParseReceipt(results[1], tx)
	if err != nil {
		return chain.Undecided, err
	}
	if !ok {
		return a.confirmInBlock(ctx, e, transfers, tx, at)
	}
	if r.Block > at.Number || r.Failed || !a.hasAll(r, transfers) || !sameBlock(r, transfers[0].Block) {
		return chain.Missing, nil
	}
	if r.Block == at.Number { // whose header was asked for beside the receipt
		if r.BlockHash.String() != at.Hash {
			return chain.Missing, nil
		}
		return chain.Stands, nil
	}
	return included(ctx, e, r.Block, r.BlockHash)
}

// sameBlock reports whether the receipt is of the block that the source named: when a transfer came must not be one
// endpoint's word either.
func sameBlock(r rpc.Receipt, source chain.Head) bool {
	return r.Block == source.Number && r.BlockHash.String() == source.Hash
}

// confirmInBlock looks for transfers whose transaction the node does not find:
// it may have dropped old transactions from its index and still have their
// blocks.
func (a *Adapter) confirmInBlock(
	ctx context.Context, e *rpc.Endpoint, transfers []chain.Transfer, tx rpc.Hash, at chain.Head,
) (chain.Verdict, error) {
	source := transfers[0].Block
	block, ok := rpc.ParseHash(source.Hash)
	if !ok {
		return chain.Undecided, fmt.Errorf("confirm: %q is no block hash", source.Hash)
	}
	if source.Number > at.Number {
		return chain.Missing, nil
	}
	verdict, err := included(ctx, e, source.Number, block)
	if err != nil || verdict != chain.Stands {
		return verdict, err
	}
	r, found, err := rpc.RebuildReceipt(ctx, e, tx, rpc.Header{Number: source.Number, Hash: block})
	if err != nil {
		return chain.Undecided, err
	}
	if !found || !a.hasAll(r, transfers) {
		return chain.Missing, nil
	}
	return chain.Stands, nil
}

// included reports whether the node's chain has the block: Stands or Missing.
func included(
	ctx context.Context, e *rpc.Endpoint, number uint64, block rpc.Hash,
) (verdict chain.Verdict, err error) {
	err = e.Patiently(ctx, number, func() error {
		results, err := e.Results(ctx, rpc.BlockByNumber(number))
		if err != nil {
			return err
		}
		h, ok, err := rpc.ParseNumberedHeader(results[0], number)
		switch {
		case err != nil:
			return err
		case !ok:
			return fmt.Errorf("%w: block %d is not there", rpc.ErrLagging, number)
		case h.Hash != block:
			verdict = chain.Missing
		default:
			verdict = chain.Stands
		}
		return nil
	})
	return verdict, err
}

// hasAll reports whether the receipt has every one of the transfers.
func (a *Adapter) hasAll(r rpc.Receipt, transfers []chain.Transfer) bool {
	return !slices.ContainsFunc(transfers, func(t chain.Transfer) bool { return !a.has(r, t) })
}

// has reports whether the receipt has the transfer: the same ordinal, contract,
// recipient and amount.
func (a *Adapter) has(r rpc.Receipt, t chain.Transfer) bool {
	if t.Ordinal < 0 || t.Ordinal >= len(r.Logs) {
		return false
	}
	l := r.Logs[t.Ordinal]
	asset, known := a.assets[l.Transfer.Contract]
	return l.IsTransfer && known && asset.Contract == t.Asset.Contract &&
		a.text(l.Transfer.To) == t.To && l.Transfer.Units.Cmp(t.Units) == 0
}
