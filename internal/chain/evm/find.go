package evm

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// NativeOrdinal is the ordinal of a transfer of the native coin, which is not a
// log of its transaction. Its Asset has no contract.
const NativeOrdinal = -1

// Find looks up a transaction and returns everything it moved to any recipient:
// the native coin and tokens of any contract, zero transfers included. A pending
// or failed transaction moved nothing. Contracts that are not assets of the
// network are named by their address alone, because the name a contract gives
// itself proves nothing. A quorum of endpoints must agree.
func (a *Adapter) Find(ctx context.Context, tx chain.TxHash) (chain.Found, error) {
	id, ok := rpc.ParseHash(string(tx))
	if !ok {
		return chain.Found{}, fault.New(fault.Invalid, "a transaction hash of %s is 0x followed by 64 hexadecimal digits",
			a.profile.Network)
	}
	found, err := chain.Agree(a.pool.Voices(), a.pool.Size(), chain.Found.Same,
		func(e *rpc.Endpoint) (found chain.Found, err error) {
			err = a.pool.Try(ctx, e, func(ctx context.Context, e *rpc.Endpoint) (err error) {
				found, err = a.find(ctx, e, id)
				return err
			})
			return found, fromEndpoint(e, err)
		})
	if ctx.Err() != nil {
		return chain.Found{}, ctx.Err()
	}
	if err != nil {
		return chain.Found{}, fmt.Errorf("transaction %s on %s: %w", id, a.profile.Network, err)
	}
	if found.Block.Hash == "" {
		return found, nil
	}
	heads, err := a.Heads(ctx)
	found.Final = err == nil && found.Block.Number <= heads.Final.Number
	return found, err
}

// find is Find through one endpoint. One that fails for the transaction alone, or for its receipt alone, says what the
// other one shows, and its block: what is missing then is a transfer of the native coin, which another endpoint shows.
func (a *Adapter) find(ctx context.Context, e *rpc.Endpoint, id rpc.Hash) (chain.Found, error) {
	results, errs := e.EachResult(ctx, rpc.TransactionCall(id), rpc.ReceiptCall(id))
	var tx rpc.Transaction
	var r rpc.Receipt
	var exists, included bool
	if errs[0] == nil {
		tx, exists, errs[0] = rpc.ParseTransaction(results[0], id)
	}
	err := errs[1]
	if err == nil {
		r, included, err = rpc.ParseReceipt(results[1], id)
	}
	if err != nil && errs[0] == nil && tx.Block.Hash != (rpc.Hash{}) && !rpc.Limited(err) {
		var failed error
		if r, included, failed = rpc.RebuildReceipt(ctx, e, id, tx.Block); included && failed == nil {
			err = nil
		}
	}
	if err == nil && !included {
		err = errs[0]
	}
	if err != nil {
		return chain.Found{}, err
	}
	if !included {
		return chain.Found{Exists: exists}, nil
	}
	found := chain.Found{Exists: true, Failed: r.Failed}
	if found.Block, err = rpc.BlockOf(ctx, e, r); err != nil {
		return chain.Found{}, err
	}
	found.Transfers = a.Moved(tx, r)
	for i := range found.Transfers {
		found.Transfers[i].Block, found.Transfers[i].Source = found.Block, e.Name()
	}
	return found, nil
}

// Moved lists what a transaction moved: the native coin, then the transfers in
// its logs.
func (a *Adapter) Moved(tx rpc.Transaction, r rpc.Receipt) []chain.Transfer {
	if r.Failed {
		return nil
	}
	var transfers []chain.Transfer
	if tx.Value != nil && tx.Value.Sign() > 0 && tx.To != (rpc.Address{}) {
		transfers = append(transfers, chain.Transfer{
			Key: a.key(r.Tx, NativeOrdinal), Asset: a.profile.CoinAsset(),
			From: a.text(tx.From), To: a.text(tx.To), Units: money.NewUnits(tx.Value),
		})
	}
	for ordinal, l := range r.Logs {
		if !l.IsTransfer {
			continue
		}
		transfers = append(transfers, chain.Transfer{
			Key:   a.key(r.Tx, ordinal),
			Asset: a.assetAt(l.Transfer.Contract),
			From:  a.text(l.Transfer.From), To: a.text(l.Transfer.To), Units: l.Transfer.Units,
		})
	}
	return transfers
}

// assetAt returns the asset of the contract, or one with nothing but the
// address.
func (a *Adapter) assetAt(contract rpc.Address) chain.Asset {
	if asset, ok := a.assets[contract]; ok {
		return asset
	}
	return chain.Asset{Network: a.profile.Network, Contract: a.text(contract)}
}
