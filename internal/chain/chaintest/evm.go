package chaintest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// transferSignature is the first topic of ERC-20's Transfer event.
const transferSignature = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

// EVM is a scripted EVM chain: blocks are made and taken back on command.
// Endpoints show it, each with faults of its own. It is safe for concurrent
// use.
type EVM struct {
	config EVMConfig

	mu      sync.Mutex
	blocks  []*block // the current chain; the position is the number
	pending []*Tx
	code    map[string]string // lower-case address → 0x-hex
	clock   time.Duration     // since genesis
	made    uint64            // blocks and transactions ever made, for unique hashes
	pinned  bool              // the finalized tag does not move
	final   int
}

// EVMConfig configures a scripted chain.
type EVMConfig struct {
	ChainID   uint64
	Assets    []chain.Asset // tokens with decimals(); other contracts have none
	BlockTime time.Duration // of the chain's clock; timestamps are whole seconds
	// SafeDepth and FinalDepth are how many blocks the tags trail the head.
	SafeDepth, FinalDepth int
}

// genesis is the time of the first block of scripted chains.
var genesis = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

type block struct {
	number uint64
	hash   string
	parent string
	time   time.Time
	txs    []*Tx
}

// Tx is a transaction of a scripted chain.
type Tx struct {
	Hash   string // set when it is sent, unless given
	From   string
	To     string
	Value  *big.Int // wei of the native coin; nil is none
	Failed bool     // included, but reverted: its logs do not count
	Logs   []Log
}

// Log is a log of a scripted transaction.
type Log struct {
	Address string
	Topics  []string
	Data    string
}

// TransferLog is an ERC-20 Transfer.
func TransferLog(contract, from, to string, units *big.Int) Log {
	return Log{
		Address: strings.ToLower(contract),
		Topics:  []string{transferSignature, padAddress(from), padAddress(to)},
		Data:    "0x" + hex.EncodeToString(units.FillBytes(make([]byte, 32))),
	}
}

func padAddress(a string) string {
	return "0x000000000000000000000000" + strings.TrimPrefix(strings.ToLower(a), "0x")
}

// NewEVM returns a chain of one block without transactions.
func NewEVM(c EVMConfig) *EVM {
	if c.BlockTime == 0 {
		c.BlockTime = time.Second
	}
	e := &EVM{config: c, code: make(map[string]string)}
	e.blocks = []*block{{hash: e.newHash("block"), parent: zeroHash, time: genesis}}
	return e
}

const zeroHash = "0x0000000000000000000000000000000000000000000000000000000000000000"

func (e *EVM) newHash(kind string) string {
	e.made++
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], e.made)
	sum := sha256.Sum256(append([]byte(kind), n[:]...))
	return "0x" + hex.EncodeToString(sum[:])
}

// SetCode puts code (0x-hex) at an address.
func (e *EVM) SetCode(address, code string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.code = maps.Clone(e.code) // views of the chain share the old one
	e.code[strings.ToLower(address)] = code
}

// Send adds a transaction to the end of the pool and returns its hash.
func (e *EVM) Send(tx Tx) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pending = append(e.pending, e.complete(&tx))
	return tx.Hash
}

// SendFirst adds a transaction to the beginning of the pool.
func (e *EVM) SendFirst(tx Tx) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pending = append([]*Tx{e.complete(&tx)}, e.pending...)
	return tx.Hash
}

func (e *EVM) complete(tx *Tx) *Tx {
	if tx.Hash == "" {
		tx.Hash = e.newHash("tx")
	}
	if tx.From == "" {
		tx.From = "0x00000000000000000000000000000000000000f0"
	}
	return tx
}

// Mine makes n blocks; the first takes all pending transactions.
func (e *EVM) Mine(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for range n {
		e.clock += e.config.BlockTime
		head := e.blocks[len(e.blocks)-1]
		e.blocks = append(e.blocks, &block{
			number: head.number + 1, hash: e.newHash("block"), parent: head.hash,
			time: genesis.Add(e.clock).Truncate(time.Second), txs: e.pending,
		})
		e.pending = nil
	}
}

// SetBlockTime changes how much time passes from block to block.
func (e *EVM) SetBlockTime(d time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.config.BlockTime = d
}

// Wait advances the chain's clock without a block.
func (e *EVM) Wait(d time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.clock += d
}

// Drop takes back the newest n blocks. Their transactions are forgotten, or
// return to the pool in reverse order, so that they are included at other
// positions.
func (e *EVM) Drop(n int, keep bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n = min(n, len(e.blocks)-1)
	gone := e.blocks[len(e.blocks)-n:]
	e.blocks = append([]*block{}, e.blocks[:len(e.blocks)-n]...)
	for i := len(gone) - 1; i >= 0 && keep; i-- {
		for _, v := range slices.Backward(gone[i].txs) {
			e.pending = append(e.pending, v)
		}
	}
}

// UnpinFinal lets the finalized tag follow the head again.
func (e *EVM) UnpinFinal() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pinned = false
}

// PinFinal keeps the finalized tag where it is, as when finality stalls.
func (e *EVM) PinFinal() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.final, e.pinned = e.label(len(e.blocks)-1, e.config.FinalDepth), true
}

// Head returns the newest block.
func (e *EVM) Head() chain.Head {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.blocks[len(e.blocks)-1].head()
}

// Mined is a block of a scripted chain.
type Mined struct {
	chain.Head
	Parent string
	Txs    []chain.TxHash
}

// Blocks returns the current chain; the position is the number.
func (e *EVM) Blocks() []Mined {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := make([]Mined, len(e.blocks))
	for i, b := range e.blocks {
		list[i] = Mined{Head: b.head(), Parent: b.parent}
		for _, tx := range b.txs {
			list[i].Txs = append(list[i].Txs, chain.TxHash(tx.Hash))
		}
	}
	return list
}

func (b *block) head() chain.Head { return chain.Head{Number: b.number, Hash: b.hash, Time: b.time} }

func (e *EVM) label(head, depth int) int { return max(0, head-depth) }

// shown is the chain as an endpoint shows it at one moment.
type shown struct {
	blocks      []*block
	pending     []*Tx
	code        map[string]string
	safe, final int
}

func (e *EVM) show(lag int) shown {
	e.mu.Lock()
	defer e.mu.Unlock()
	head := max(0, len(e.blocks)-1-lag)
	s := shown{blocks: e.blocks[:head+1], pending: e.pending, code: e.code}
	s.safe, s.final = e.label(head, e.config.SafeDepth), e.label(head, e.config.FinalDepth)
	if e.pinned {
		s.final = min(e.final, head)
	}
	return s
}
