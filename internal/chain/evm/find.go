package evm

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// NativeOrdinal is the ordinal of a transfer of the native coin, which is no
// log of its transaction. Its Asset has no contract.
const NativeOrdinal = -1

// Find looks a transaction up and tells everything it moved, whatever the
// recipient: transfers of any contract, those of nothing included, and of the
// native coin. A pending or failed transaction moved nothing. Contracts that
// are no asset of the network are told by address alone: what they call
// themselves means nothing.
func (a *Adapter) Find(ctx context.Context, tx chain.TxHash) (chain.Found, error) {
	id, ok := parseHash(string(tx))
	if !ok {
		return chain.Found{}, fault.New(fault.Invalid, "a transaction hash of %s is 0x followed by 64 hexadecimal digits", a.profile.Network)
	}
	heads, err := a.Heads(ctx)
	if err != nil {
		return chain.Found{}, err
	}
	var found chain.Found
	err = a.pool.do(ctx, func(ctx context.Context, e *endpoint) (err error) {
		found, err = a.find(ctx, e, id)
		if err == nil && !found.Exists {
			return errLacking
		}
		return err
	})
	if err != nil && !errors.Is(err, errLacking) {
		return chain.Found{}, err
	}
	found.Final = found.Block.Hash != "" && found.Block.Number <= heads.Final.Number
	return found, nil
}

// transaction is what Florin reads of a transaction itself.
type transaction struct {
	hash     hash
	from, to address
	value    *big.Int
}

func parseTransaction(raw []byte, tx hash) (t transaction, ok bool, err error) {
	if isNull(raw) {
		return transaction{}, false, nil
	}
	var text struct{ Hash, From, To, Value string }
	if json.Unmarshal(raw, &text) != nil {
		return transaction{}, false, malformed("transaction")
	}
	var okHash bool
	t.hash, okHash = parseHash(text.Hash)
	value, okValue := parseBig(text.Value)
	okTo := text.To == "" || parseBytes(t.to[:], []byte(text.To)) // none when it creates a contract
	if !okHash || t.hash != tx || !okValue || !okTo || !parseBytes(t.from[:], []byte(text.From)) {
		return transaction{}, false, malformed("transaction")
	}
	t.value = value
	return t, true, nil
}

// parseBig reads a quantity of up to 256 bits.
func parseBig(text string) (*big.Int, bool) {
	if len(text) < 3 || len(text) > 66 || text[:2] != "0x" {
		return nil, false
	}
	for _, c := range []byte(text[2:]) {
		if nibbles[c] > 0xf {
			return nil, false
		}
	}
	return new(big.Int).SetString(text[2:], 16)
}

// find is Find through one endpoint.
func (a *Adapter) find(ctx context.Context, e *endpoint, id hash) (chain.Found, error) {
	results, err := e.results(ctx, call{"eth_getTransactionByHash", []any{id.String()}}, receiptCall(id))
	if err != nil {
		return chain.Found{}, err
	}
	tx, exists, err := parseTransaction(results[0], id)
	if err != nil {
		return chain.Found{}, err
	}
	r, included, err := parseReceipt(results[1], id)
	if err != nil {
		return chain.Found{}, err
	}
	if !included {
		return chain.Found{Exists: exists}, nil
	}
	found := chain.Found{Exists: true, Failed: r.failed}
	if found.Block, err = readBlockOf(ctx, e, r); err != nil {
		return chain.Found{}, err
	}
	found.Transfers = a.moved(tx, r)
	for i := range found.Transfers {
		found.Transfers[i].Block, found.Transfers[i].Source = found.Block, e.Name()
	}
	return found, nil
}

// blockOf returns the head of the block a receipt names, which must be in the
// node's chain.
func readBlockOf(ctx context.Context, e *endpoint, r receipt) (chain.Head, error) {
	results, err := e.results(ctx, numberCall(r.block))
	if err != nil {
		return chain.Head{}, err
	}
	h, ok, err := parseNumbered(results[0], r.block)
	if err != nil {
		return chain.Head{}, err
	}
	if !ok || h.hash != r.blockHash {
		return chain.Head{}, chain.ErrReorged
	}
	return h.head(), nil
}

// moved lists what a transaction moved: the native coin, then its logs.
func (a *Adapter) moved(tx transaction, r receipt) []chain.Transfer {
	if r.failed {
		return nil
	}
	var transfers []chain.Transfer
	if tx.value != nil && tx.value.Sign() > 0 && tx.to != (address{}) {
		transfers = append(transfers, chain.Transfer{
			Key:   a.key(r.tx, NativeOrdinal),
			Asset: chain.Asset{Network: a.profile.Network, Symbol: a.profile.Coin, Decimals: a.profile.Network.CoinDecimals()},
			From:  a.text(tx.from), To: a.text(tx.to), Units: money.NewUnits(tx.value),
		})
	}
	for ordinal, l := range r.logs {
		if !l.transfer {
			continue
		}
		transfers = append(transfers, chain.Transfer{
			Key:   a.key(r.tx, ordinal),
			Asset: a.assetAt(l.entry.contract),
			From:  a.text(l.entry.from), To: a.text(l.entry.to), Units: l.entry.units,
		})
	}
	return transfers
}

// assetAt returns the asset of the contract, or one of which nothing but the
// address is known.
func (a *Adapter) assetAt(contract address) chain.Asset {
	if asset, ok := a.assets[contract]; ok {
		return asset
	}
	return chain.Asset{Network: a.profile.Network, Contract: a.text(contract)}
}
