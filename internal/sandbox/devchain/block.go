package devchain

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/consensus/beacon"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/consensus/misc/eip1559"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/trie"
)

// block is a block with its state. It does not change. An empty one is kept as what its header is made of, a tenth
// of the size: a sandbox that runs for a week makes a million.
type block struct {
	parent       *block // nil is the first block
	number, time uint64
	salt         uint64 // makes an empty block of a fork another one than the block it replaces
	baseFee      uint64 // wei per gas
	hash, root   common.Hash
	content      *content // nil: no transactions
}

// content is what a block with transactions has besides.
type content struct {
	block    *types.Block
	receipts types.Receipts
}

// newBlock is an empty block on the parent, without its hash.
func newBlock(parent *block, rules *params.ChainConfig, time, salt uint64) *block {
	return &block{
		parent: parent, number: parent.number + 1, time: time, salt: salt, root: parent.root,
		baseFee: eip1559.CalcBaseFee(rules, parent.header()).Uint64(),
	}
}

func (b *block) header() *types.Header {
	if b.content != nil {
		return b.content.block.Header()
	}
	h := &types.Header{
		ParentHash: b.parent.hash, UncleHash: types.EmptyUncleHash, Root: b.root, TxHash: types.EmptyTxsHash,
		ReceiptHash: types.EmptyReceiptsHash, Difficulty: new(big.Int), Number: new(big.Int).SetUint64(b.number),
		GasLimit: blockGasLimit, Time: b.time, BaseFee: new(big.Int).SetUint64(b.baseFee),
		WithdrawalsHash: &types.EmptyWithdrawalsHash, RequestsHash: &types.EmptyRequestsHash,
		BlobGasUsed: new(uint64), ExcessBlobGas: new(uint64), ParentBeaconRoot: new(common.Hash),
	}
	binary.BigEndian.PutUint64(h.MixDigest[:], b.salt)
	return h
}

func (b *block) transactions() types.Transactions {
	if b.content == nil {
		return nil
	}
	return b.content.block.Transactions()
}

func (b *block) receipts() types.Receipts {
	if b.content == nil {
		return nil
	}
	return b.content.receipts
}

// build makes a block of those transactions that can be executed one after the other on the parent.
func (c *Chain) build(parent *block, time, salt uint64, txs []*types.Transaction) (*block, error) {
	b := newBlock(parent, c.rules, time, salt)
	header := b.header()
	on, err := state.New(parent.root, c.states)
	if err != nil {
		return nil, fmt.Errorf("devchain: state of block %d: %w", parent.number, err)
	}
	body, receipts := c.execute(parent, header, on, txs)
	if len(receipts) == 0 {
		b.hash = header.Hash()
		return b, nil
	}
	if header.Root, err = on.Commit(c.rules.Rules(header.Number, true, time), b.number); err != nil {
		return nil, fmt.Errorf("devchain: state of block %d: %w", b.number, err)
	}
	made := types.NewBlock(header, body, receipts, trie.NewStackTrie(nil))
	err = receipts.DeriveFields(c.rules, made.Hash(), b.number, time, header.BaseFee, nil, body.Transactions)
	b.hash, b.root, b.content = made.Hash(), header.Root, &content{made, receipts}
	return b, err
}

// execute runs transactions in the block that the header begins. After one that cannot be run, such as one with a
// nonce too high, its sender's others have to wait, too.
func (c *Chain) execute(parent *block, header *types.Header, on *state.StateDB, txs []*types.Transaction) (
	*types.Body, types.Receipts,
) {
	body := &types.Body{Withdrawals: types.Withdrawals{}}
	var receipts types.Receipts
	gas := core.NewGasPool(header.GasLimit)
	evm := vm.NewEVM(core.NewEVMBlockContext(header, ancestry{c.rules, parent}, nil), on, c.rules, vm.Config{})
	defer evm.Release()
	waits := make(map[common.Address]bool)
	for _, tx := range txs {
		message, err := core.TransactionToMessage(tx, c.signer, header.BaseFee)
		if err != nil || waits[message.From] {
			continue
		}
		on.SetTxContext(tx.Hash(), len(receipts), uint32(len(receipts)+1))
		before, left := on.Snapshot(), gas.Snapshot()
		receipt, _, err := core.ApplyTransactionWithEVM(
			context.Background(), message, gas, on, header.Number, common.Hash{}, header.Time, tx, evm,
		)
		if err != nil {
			on.RevertToSnapshot(before)
			gas.Set(left)
			waits[message.From] = true
			continue
		}
		body.Transactions = append(body.Transactions, tx)
		receipts = append(receipts, receipt)
	}
	header.GasUsed = gas.Used()
	return body, receipts
}

// ancestry is a block and those before it, as the EVM looks them up.
type ancestry struct {
	rules *params.ChainConfig
	tip   *block
}

var _ core.ChainContext = ancestry{}

var engine = beacon.New(ethash.NewFaker())

func (a ancestry) Engine() consensus.Engine     { return engine }
func (a ancestry) Config() *params.ChainConfig  { return a.rules }
func (a ancestry) CurrentHeader() *types.Header { return a.tip.header() }
func (a ancestry) find(is func(*block) bool) *types.Header {
	for b := a.tip; b != nil; b = b.parent {
		if is(b) {
			return b.header()
		}
	}
	return nil
}

func (a ancestry) GetHeader(hash common.Hash, _ uint64) *types.Header { return a.GetHeaderByHash(hash) }

func (a ancestry) GetHeaderByHash(hash common.Hash) *types.Header {
	return a.find(func(b *block) bool { return b.hash == hash })
}

func (a ancestry) GetHeaderByNumber(number uint64) *types.Header {
	return a.find(func(b *block) bool { return b.number == number })
}
