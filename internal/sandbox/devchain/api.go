package devchain

import (
	"encoding/json"
	"errors"
	"maps"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
)

// ethAPI has the JSON-RPC methods of the eth namespace: those that Florin, go-ethereum's client and browser wallets
// call. A method's name is that of the Go method, and what it refuses it refuses in geth's words.
type ethAPI struct{ chain *Chain }

// noBlock: the block that is asked for does not exist.
type noBlock string

func (e noBlock) Error() string { return string(e) }

// unlessMissing is nil for noBlock: a method that returns a block answers null instead.
func unlessMissing(err error) error {
	if _, missing := errors.AsType[noBlock](err); missing {
		return nil
	}
	return err
}

// block finds what a tag, number or hash names.
func (a *ethAPI) block(at rpc.BlockNumberOrHash) (*block, error) {
	if hash, ok := at.Hash(); ok {
		b, canonical := a.chain.byHash(hash)
		if b == nil {
			return nil, noBlock("header for hash not found")
		}
		if at.RequireCanonical && !canonical {
			return nil, errors.New("hash is not currently canonical")
		}
		return b, nil
	}
	number, ok := at.Number()
	if !ok {
		return nil, errors.New("invalid arguments; neither block nor hash specified")
	}
	blocks := a.chain.chain()
	safe, final := a.chain.labels()
	switch number {
	case rpc.PendingBlockNumber:
		return a.chain.buildNext(a.chain.nextTime(), 0)
	case rpc.LatestBlockNumber:
		return blocks[len(blocks)-1], nil
	case rpc.SafeBlockNumber:
		number = rpc.BlockNumber(safe)
	case rpc.FinalizedBlockNumber:
		number = rpc.BlockNumber(final)
	case rpc.EarliestBlockNumber:
		number = 0
	}
	if number < 0 || int(number) >= len(blocks) {
		return nil, noBlock("header not found")
	}
	return blocks[number], nil
}

// state returns a block with its state; where no block is named the head.
func (a *ethAPI) state(named *rpc.BlockNumberOrHash) (*block, *state.StateDB, error) {
	at := rpc.BlockNumberOrHashWithNumber(rpc.LatestBlockNumber)
	if named != nil {
		at = *named
	}
	b, err := a.block(at)
	if err != nil {
		return nil, nil, err
	}
	on, err := state.New(b.root, a.chain.states)
	return b, on, err
}

// ChainId is the EIP-155 chain id.
//
//nolint:revive,staticcheck // the method is eth_chainId
func (a *ethAPI) ChainId() *hexutil.Big { return (*hexutil.Big)(a.chain.rules.ChainID) }

// BlockNumber is the number of the head.
func (a *ethAPI) BlockNumber() hexutil.Uint64 { return hexutil.Uint64(a.chain.head().number) }

// Syncing is false: nobody has blocks that are missing here.
func (a *ethAPI) Syncing() bool { return false }

// Accounts are none: the chain keeps no keys.
func (a *ethAPI) Accounts() []common.Address { return []common.Address{} }

// GetBalance is an account's native coin, in wei.
func (a *ethAPI) GetBalance(of common.Address, at *rpc.BlockNumberOrHash) (*hexutil.Big, error) {
	_, on, err := a.state(at)
	if err != nil {
		return nil, err
	}
	return (*hexutil.Big)(on.GetBalance(of).ToBig()), on.Error()
}

// GetCode is a contract's code.
func (a *ethAPI) GetCode(of common.Address, at *rpc.BlockNumberOrHash) (hexutil.Bytes, error) {
	_, on, err := a.state(at)
	if err != nil {
		return nil, err
	}
	return on.GetCode(of), on.Error()
}

// GetTransactionCount is an account's next nonce, with what waits in the pool if the block is pending.
func (a *ethAPI) GetTransactionCount(of common.Address, at *rpc.BlockNumberOrHash) (hexutil.Uint64, error) {
	if at != nil && at.BlockNumber != nil && *at.BlockNumber == rpc.PendingBlockNumber {
		nonce, err := a.chain.nextNonce(of)
		return hexutil.Uint64(nonce), err
	}
	_, on, err := a.state(at)
	if err != nil {
		return 0, err
	}
	return hexutil.Uint64(on.GetNonce(of)), on.Error()
}

// SendRawTransaction takes a signed transaction into the pool.
func (a *ethAPI) SendRawTransaction(raw hexutil.Bytes) (common.Hash, error) {
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(raw); err != nil {
		return common.Hash{}, err
	}
	return tx.Hash(), a.chain.send(tx)
}

// GetBlockByNumber is a block with its transactions or their hashes; null if there is none.
func (a *ethAPI) GetBlockByNumber(number rpc.BlockNumber, full bool) (map[string]any, error) {
	b, err := a.block(rpc.BlockNumberOrHashWithNumber(number))
	if err != nil {
		return nil, unlessMissing(err)
	}
	fields := a.blockFields(b, full)
	if number == rpc.PendingBlockNumber {
		for _, field := range []string{"hash", "nonce", "miner"} {
			fields[field] = nil
		}
	}
	return fields, nil
}

// GetBlockByHash is a block with its transactions or their hashes, also one that was removed; null if there is none.
func (a *ethAPI) GetBlockByHash(hash common.Hash, full bool) map[string]any {
	b, _ := a.chain.byHash(hash)
	if b == nil {
		return nil
	}
	return a.blockFields(b, full)
}

func (a *ethAPI) blockFields(b *block, full bool) map[string]any {
	txs := make([]any, len(b.transactions()))
	for i, tx := range b.transactions() {
		if txs[i] = tx.Hash(); full {
			txs[i] = a.transactionFields(tx, &place{b, i})
		}
	}
	header, body := b.header(), types.Body{Transactions: b.transactions(), Withdrawals: types.Withdrawals{}}
	return with(header, map[string]any{
		"size":         hexutil.Uint64(types.NewBlockWithHeader(header).WithBody(body).Size()),
		"transactions": txs, "uncles": []common.Hash{}, "withdrawals": body.Withdrawals,
	})
}

// GetTransactionByHash is a transaction in the chain or the pool; null if there is none.
func (a *ethAPI) GetTransactionByHash(hash common.Hash) map[string]any {
	a.chain.mu.RLock()
	at, ok := a.chain.included[hash]
	waiting := a.chain.pool.known[hash]
	a.chain.mu.RUnlock()
	switch {
	case ok:
		return a.transactionFields(at.transactions()[at.index], &at)
	case waiting != nil:
		return a.transactionFields(waiting, nil)
	}
	return nil
}

// transactionFields describes a transaction in a block, or in none.
func (a *ethAPI) transactionFields(tx *types.Transaction, at *place) map[string]any {
	fields := map[string]any{
		"from": a.sender(tx), "to": tx.To(), "gasPrice": (*hexutil.Big)(tx.GasFeeCap()),
		"blockHash": nil, "blockNumber": nil, "blockTimestamp": nil, "transactionIndex": nil,
	}
	if at != nil {
		fields["gasPrice"] = (*hexutil.Big)(at.receipts()[at.index].EffectiveGasPrice)
		fields["blockHash"], fields["blockNumber"] = at.hash, hexutil.Uint64(at.number)
		fields["blockTimestamp"], fields["transactionIndex"] = hexutil.Uint64(at.time), hexutil.Uint64(at.index)
	}
	return with(tx, fields)
}

// GetTransactionReceipt is the receipt of a transaction in the chain; null if there is none.
func (a *ethAPI) GetTransactionReceipt(hash common.Hash) map[string]any {
	a.chain.mu.RLock()
	at, ok := a.chain.included[hash]
	a.chain.mu.RUnlock()
	if !ok {
		return nil
	}
	return a.receiptFields(at)
}

// GetBlockReceipts are the receipts of a block's transactions; null if there is no such block.
func (a *ethAPI) GetBlockReceipts(at rpc.BlockNumberOrHash) ([]map[string]any, error) {
	b, err := a.block(at)
	if err != nil {
		return nil, unlessMissing(err)
	}
	all := make([]map[string]any, len(b.receipts()))
	for i := range all {
		all[i] = a.receiptFields(place{b, i})
	}
	return all, nil
}

func (a *ethAPI) receiptFields(at place) map[string]any {
	tx, receipt := at.transactions()[at.index], at.receipts()[at.index]
	fields := with(receipt, map[string]any{
		"type": hexutil.Uint(tx.Type()), "from": a.sender(tx), "to": tx.To(),
		"logs": append([]*types.Log{}, receipt.Logs...),
	})
	if tx.To() != nil {
		fields["contractAddress"] = nil
	}
	delete(fields, "root") // of transactions before 2017
	return fields
}

// sender is who signed a transaction, which was checked when the pool took it.
func (a *ethAPI) sender(tx *types.Transaction) common.Address {
	from, _ := types.Sender(a.chain.signer, tx)
	return from
}

// with returns the fields of a value's JSON object that are not null, with more that it does not know.
func with(value json.Marshaler, more map[string]any) (fields map[string]any) {
	text, err := value.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	if err != nil {
		panic(err) // a header, transaction or receipt has a JSON form
	}
	maps.DeleteFunc(fields, func(_ string, field any) bool { return field == nil })
	maps.Copy(fields, more)
	return fields
}
