package evm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// Confirm asks an endpoint other than their source whether the transfers of one
// transaction stand in a block at or below `at`. Only where a single endpoint is
// configured is the source itself asked.
func (a *Adapter) Confirm(ctx context.Context, transfers []chain.Transfer, at chain.Head) (chain.Verdict, error) {
	if !chain.OneTransaction(transfers) {
		return chain.Unsettled, errors.New("confirm: not the transfers of one transaction")
	}
	t := transfers[0]
	tx, ok := rpc.ParseHash(string(t.Tx))
	if !ok {
		return chain.Unsettled, fmt.Errorf("confirm: %q is no transaction hash", t.Tx)
	}
	endpoints := a.pool.Ready()
	if !a.pool.Single() {
		endpoints = a.pool.Without(t.Source)
	}
	verdict, lagging := chain.Unsettled, false
	err := a.pool.Among(ctx, endpoints, func(ctx context.Context, e *rpc.Endpoint) (err error) {
		verdict, err = a.confirmVia(ctx, e, transfers, tx, at)
		lagging = lagging || errors.Is(err, rpc.ErrLagging)
		return err
	})
	if err != nil && lagging && ctx.Err() == nil {
		return chain.Unsettled, nil
	}
	return verdict, err
}

// judge looks for the transfers through one endpoint, which must know `at`.
func (a *Adapter) confirmVia(ctx context.Context, e *rpc.Endpoint, transfers []chain.Transfer, tx rpc.Hash, at chain.Head) (chain.Verdict, error) {
	results, err := e.Results(ctx, rpc.BlockByNumber(at.Number), rpc.ReceiptCall(tx))
	if err != nil {
		return chain.Unsettled, err
	}
	if err := rpc.RequireHead(results[0], at); err != nil {
		return chain.Unsettled, err
	}
	r, ok, err := rpc.ParseReceipt(results[1], tx)
	if err != nil {
		return chain.Unsettled, err
	}
	if !ok {
		return a.confirmInBlock(ctx, e, transfers, tx, at)
	}
	if r.Block > at.Number || r.Failed || !a.hasAll(r, transfers) {
		return chain.Missing, nil
	}
	return included(ctx, e, r.Block, r.BlockHash)
}

// judgeBlock looks for transfers whose transaction the node cannot find: it
// may have dropped old transactions from its index, while their blocks are
// still there.
func (a *Adapter) confirmInBlock(ctx context.Context, e *rpc.Endpoint, transfers []chain.Transfer, tx rpc.Hash, at chain.Head) (chain.Verdict, error) {
	told := transfers[0].Block
	block, ok := rpc.ParseHash(told.Hash)
	if !ok {
		return chain.Unsettled, fmt.Errorf("confirm: %q is no block hash", told.Hash)
	}
	if told.Number > at.Number {
		return chain.Missing, nil
	}
	verdict, err := included(ctx, e, told.Number, block)
	if err != nil || verdict != chain.Stands {
		return verdict, err
	}
	r, found, err := rpc.RebuildReceipt(ctx, e, tx, rpc.Header{Number: told.Number, Hash: block})
	if err != nil {
		return chain.Unsettled, err
	}
	if !found || !a.hasAll(r, transfers) {
		return chain.Missing, nil
	}
	return chain.Stands, nil
}

// included tells whether the node's chain has the block: Stands or Missing.
func included(ctx context.Context, e *rpc.Endpoint, number uint64, block rpc.Hash) (chain.Verdict, error) {
	results, err := e.Results(ctx, rpc.BlockByNumber(number))
	if err != nil {
		return chain.Unsettled, err
	}
	h, ok, err := rpc.ParseNumberedHeader(results[0], number)
	switch {
	case err != nil:
		return chain.Unsettled, err
	case !ok:
		return chain.Unsettled, fmt.Errorf("%w: block %d is not there", rpc.ErrLagging, number)
	case h.Hash != block:
		return chain.Missing, nil
	}
	return chain.Stands, nil
}

// tells reports whether the receipt holds every one of the transfers.
func (a *Adapter) hasAll(r rpc.Receipt, transfers []chain.Transfer) bool {
	return !slices.ContainsFunc(transfers, func(t chain.Transfer) bool { return !a.has(r, t) })
}

// holds reports whether the receipt holds the transfer: the same ordinal,
// contract, recipient and amount.
func (a *Adapter) has(r rpc.Receipt, t chain.Transfer) bool {
	if t.Ordinal < 0 || t.Ordinal >= len(r.Logs) {
		return false
	}
	l := r.Logs[t.Ordinal]
	asset, known := a.assets[l.Transfer.Contract]
	return l.IsTransfer && known && asset.Contract == t.Asset.Contract &&
		a.text(l.Transfer.To) == t.To && l.Transfer.Units.Cmp(t.Units) == 0
}
