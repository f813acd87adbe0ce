package evm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/chain"
)

// Confirm asks an endpoint other than their source whether the transfers of one
// transaction stand in a block at or below `at`. Only where a single endpoint is
// configured is the source itself asked.
func (a *Adapter) Confirm(ctx context.Context, transfers []chain.Transfer, at chain.Head) (chain.Verdict, error) {
	if !chain.OneTransaction(transfers) {
		return chain.Unsettled, errors.New("confirm: not the transfers of one transaction")
	}
	t := transfers[0]
	tx, ok := parseHash(string(t.Tx))
	if !ok {
		return chain.Unsettled, fmt.Errorf("confirm: %q is no transaction hash", t.Tx)
	}
	endpoints := a.pool.ready()
	if !a.pool.single() {
		endpoints = a.pool.without(t.Source)
	}
	verdict, lagging := chain.Unsettled, false
	err := a.pool.among(ctx, endpoints, func(ctx context.Context, e *endpoint) (err error) {
		verdict, err = a.judge(ctx, e, transfers, tx, at)
		lagging = lagging || errors.Is(err, errLagging)
		return err
	})
	if err != nil && lagging && ctx.Err() == nil {
		return chain.Unsettled, nil
	}
	return verdict, err
}

// judge looks for the transfers through one endpoint, which must know `at`.
func (a *Adapter) judge(ctx context.Context, e *endpoint, transfers []chain.Transfer, tx hash, at chain.Head) (chain.Verdict, error) {
	results, err := e.results(ctx, numberCall(at.Number), receiptCall(tx))
	if err != nil {
		return chain.Unsettled, err
	}
	if err := standing(results[0], at); err != nil {
		return chain.Unsettled, err
	}
	r, ok, err := parseReceipt(results[1], tx)
	if err != nil {
		return chain.Unsettled, err
	}
	if !ok {
		return a.judgeBlock(ctx, e, transfers, tx, at)
	}
	if r.block > at.Number || r.failed || !a.tells(r, transfers) {
		return chain.Missing, nil
	}
	return included(ctx, e, r.block, r.blockHash)
}

// judgeBlock looks for transfers whose transaction the node cannot find: it
// may have dropped old transactions from its index, while their blocks are
// still there.
func (a *Adapter) judgeBlock(ctx context.Context, e *endpoint, transfers []chain.Transfer, tx hash, at chain.Head) (chain.Verdict, error) {
	told := transfers[0].Block
	block, ok := parseHash(told.Hash)
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
	r, found, err := rebuildReceipt(ctx, e, tx, header{number: told.Number, hash: block})
	if err != nil {
		return chain.Unsettled, err
	}
	if !found || !a.tells(r, transfers) {
		return chain.Missing, nil
	}
	return chain.Stands, nil
}

// included tells whether the node's chain has the block: Stands or Missing.
func included(ctx context.Context, e *endpoint, number uint64, block hash) (chain.Verdict, error) {
	results, err := e.results(ctx, numberCall(number))
	if err != nil {
		return chain.Unsettled, err
	}
	h, ok, err := parseNumbered(results[0], number)
	switch {
	case err != nil:
		return chain.Unsettled, err
	case !ok:
		return chain.Unsettled, fmt.Errorf("%w: block %d is not there", errLagging, number)
	case h.hash != block:
		return chain.Missing, nil
	}
	return chain.Stands, nil
}

// tells reports whether the receipt holds every one of the transfers.
func (a *Adapter) tells(r receipt, transfers []chain.Transfer) bool {
	return !slices.ContainsFunc(transfers, func(t chain.Transfer) bool { return !a.holds(r, t) })
}

// holds reports whether the receipt holds the transfer: the same ordinal,
// contract, recipient and amount.
func (a *Adapter) holds(r receipt, t chain.Transfer) bool {
	if t.Ordinal < 0 || t.Ordinal >= len(r.logs) {
		return false
	}
	l := r.logs[t.Ordinal]
	asset, known := a.assets[l.entry.contract]
	return l.transfer && known && asset.Contract == t.Asset.Contract &&
		a.text(l.entry.to) == t.To && l.entry.units.Cmp(t.Units) == 0
}
