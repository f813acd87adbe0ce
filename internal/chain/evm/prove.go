package evm

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/chain"
)

// receipt is what Florin reads of a transaction's receipt.
type receipt struct {
	tx        hash
	block     uint64
	blockHash hash
	failed    bool
	logs      []receiptLog
}

// receiptLog is a log in the order of its transaction. entry is set for
// ERC-20 transfers only. A failed transaction has none.
type receiptLog struct {
	transfer bool
	entry    entry
}

func receiptCall(tx hash) call { return call{"eth_getTransactionReceipt", []any{tx.String()}} }

// parseReceipt reads the receipt of tx; ok is false for null, a transaction
// that is in no block the node knows.
func parseReceipt(raw []byte, tx hash) (r receipt, ok bool, err error) {
	if isNull(raw) {
		return receipt{}, false, nil
	}
	var text struct {
		TransactionHash, BlockNumber, BlockHash, Status string
		Logs                                            json.RawMessage
	}
	if json.Unmarshal(raw, &text) != nil {
		return receipt{}, false, malformed("receipt")
	}
	var okTx, okNumber, okHash bool
	r.tx, okTx = parseHash(text.TransactionHash)
	r.block, okNumber = parseQuantity([]byte(text.BlockNumber))
	r.blockHash, okHash = parseHash(text.BlockHash)
	if !okTx || !okNumber || !okHash || r.tx != tx || text.Status != "0x1" && text.Status != "0x0" {
		return receipt{}, false, malformed("receipt")
	}
	r.failed = text.Status == "0x0"
	err = readLogs(text.Logs, r.add)
	return r, err == nil, err
}

// add takes the next log of the receipt.
func (r *receipt) add(l *logText) error {
	if !l.isTransfer() {
		r.logs = append(r.logs, receiptLog{})
		return nil
	}
	e, ok := l.decode()
	if !ok {
		// Any contract may log this topic over data of its own.
		r.logs = append(r.logs, receiptLog{})
		return nil
	}
	if e.tx != r.tx || e.blockHash != r.blockHash || r.failed {
		return malformed("receipt with logs of another transaction")
	}
	r.logs = append(r.logs, receiptLog{transfer: true, entry: e})
	return nil
}

// prove fetches the receipts of the transactions found and the times of their
// blocks, has block `to` shown once more, and returns the transfers.
//
// A transfer's ordinal is the position of its log among all logs of its
// transaction, as the receipt lists them. It follows from the execution of the
// transaction alone: which other transactions a block holds moves a log's
// index in the block, and which addresses were asked about moves its index
// among the matches, but neither moves this.
func (s *search) prove(ctx context.Context) ([]chain.Transfer, error) {
	slices.SortFunc(s.found, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.index, b.index))
	})
	headers, err := s.headers(ctx)
	if err != nil {
		return nil, err
	}
	byTx := make(map[hash][]entry, len(s.found))
	for _, e := range s.found {
		byTx[e.tx] = append(byTx[e.tx], e)
	}
	var transfers []chain.Transfer
	for txs := range slices.Chunk(s.transactions(), provePage) {
		receipts, err := s.receipts(ctx, txs)
		if err != nil {
			return nil, err
		}
		for _, tx := range txs {
			told, err := s.transfers(byTx[tx], receipts[tx], headers)
			if err != nil {
				return nil, err
			}
			transfers = append(transfers, told...)
		}
	}
	return transfers, nil
}

// provePage bounds how many receipts are held at once: anybody can fill a
// transaction with thousands of logs.
const provePage = 64

// headers asks for the blocks of what was found.
func (s *search) headers(ctx context.Context) (map[uint64]header, error) {
	blocks := s.blocks()
	calls := make([]call, 0, len(blocks)+1)
	for _, number := range blocks {
		calls = append(calls, numberCall(number))
	}
	results, err := s.e.results(ctx, append(calls, numberCall(s.to.Number))...)
	if err != nil {
		return nil, err
	}
	if err := standing(results[len(blocks)], s.to); err != nil {
		return nil, err
	}
	return parseHeaders(results[:len(blocks)], blocks)
}

// transactions lists the transactions of what was found, each once.
func (s *search) transactions() []hash {
	var txs []hash
	listed := make(map[hash]bool, len(s.found))
	for _, e := range s.found {
		if !listed[e.tx] {
			listed[e.tx] = true
			txs = append(txs, e.tx)
		}
	}
	return txs
}

func (s *search) blocks() []uint64 {
	numbers := make([]uint64, 0, len(s.found))
	for _, e := range s.found {
		numbers = append(numbers, e.block)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

func parseHeaders(results [][]byte, numbers []uint64) (map[uint64]header, error) {
	headers := make(map[uint64]header, len(numbers))
	for i, n := range numbers {
		h, ok, err := parseNumbered(results[i], n)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("%w: block %d is not there", errLagging, n)
		}
		headers[n] = h
	}
	return headers, nil
}

// receipts asks for the receipts of txs, and for block `to` once more after
// them. Nodes forget which block an old transaction is in before they forget
// the block's logs; then the logs of the whole block give the order inside the
// transaction.
func (s *search) receipts(ctx context.Context, txs []hash) (map[hash]receipt, error) {
	calls := make([]call, 0, len(txs)+1)
	for _, tx := range txs {
		calls = append(calls, receiptCall(tx))
	}
	results, err := s.e.results(ctx, append(calls, numberCall(s.to.Number))...)
	if err != nil {
		return nil, err
	}
	if err := standing(results[len(txs)], s.to); err != nil {
		return nil, err
	}
	receipts := make(map[hash]receipt, len(txs))
	for i, tx := range txs {
		r, ok, err := parseReceipt(results[i], tx)
		if err == nil && !ok {
			r, ok, err = rebuildReceipt(ctx, s.e, tx, s.blockOf(tx))
			if err == nil && !ok {
				err = malformed("a log that its block does not have")
			}
		}
		if err != nil {
			return nil, err
		}
		receipts[tx] = r
	}
	return receipts, nil
}

func (s *search) blockOf(tx hash) header {
	i := slices.IndexFunc(s.found, func(e entry) bool { return e.tx == tx })
	return header{number: s.found[i].block, hash: s.found[i].blockHash}
}

// rebuild makes what a receipt says of a successful transaction out of all
// logs of its block; ok is false when the block does not have the transaction
// or no log of it.
func rebuildReceipt(ctx context.Context, e *endpoint, tx hash, block header) (r receipt, ok bool, err error) {
	replies, err := e.ask(ctx, numberCall(block.number),
		call{"eth_getLogs", []any{map[string]any{"blockHash": block.hash.String()}}})
	if err != nil {
		return receipt{}, false, err
	}
	if replies[0].err != nil {
		return receipt{}, false, callFailure(replies[0].err)
	}
	if replies[1].err != nil {
		return receipt{}, false, logsFailure(replies[1].err)
	}
	if ok, err := blockHolds(replies[0].result, block, tx); !ok || err != nil {
		return receipt{}, false, err
	}
	g := gathering{receipt: receipt{tx: tx, block: block.number, blockHash: block.hash}}
	if err := readLogs(replies[1].result, g.add); err != nil {
		return receipt{}, false, err
	}
	slices.SortFunc(g.found, func(a, b indexed) int { return cmp.Compare(a.index, b.index) })
	for _, f := range g.found {
		g.logs = append(g.logs, f.receiptLog)
	}
	return g.receipt, len(g.logs) > 0, nil
}

// blockHolds judges the answer to numberCall(block.number): whether the chain
// has the block, and the block the transaction.
func blockHolds(raw []byte, block header, tx hash) (bool, error) {
	h, ok, err := parseNumbered(raw, block.number)
	if err != nil || !ok || h.hash != block.hash {
		return false, err
	}
	var text struct{ Transactions []string }
	if json.Unmarshal(raw, &text) != nil {
		return false, malformed("block")
	}
	return slices.ContainsFunc(text.Transactions, func(t string) bool { return sameHex([]byte(t), tx.String()) }), nil
}

// gathering picks the logs of one transaction from those of its block.
type gathering struct {
	receipt
	found []indexed
}

type indexed struct {
	receiptLog
	index uint64
}

func (g *gathering) add(l *logText) error {
	var owner, block hash
	index, okIndex := parseQuantity(l.index)
	if !parseBytes(owner[:], l.tx) || !parseBytes(block[:], l.hash) || !okIndex || block != g.blockHash {
		return malformed("logs of a block")
	}
	if owner == g.tx && !l.removed {
		entry, ok := l.decode()
		g.found = append(g.found, indexed{receiptLog{ok, entry}, index})
	}
	return nil
}

// transfers puts together what the logs found of one transaction, its receipt
// and headers say, which must be the same. The receipt decides: a log the node
// left out of its answer beside one it gave is found here.
func (s *search) transfers(found []entry, r receipt, headers map[uint64]header) ([]chain.Transfer, error) {
	for _, e := range found {
		if headers[e.block].hash != e.blockHash || r.blockHash != e.blockHash {
			return nil, chain.ErrReorged
		}
		if !r.holds(e) {
			return nil, malformed("a log that its receipt does not have")
		}
	}
	var transfers []chain.Transfer
	for ordinal, l := range r.logs {
		if t, ok := s.adapter.transfer(l, ordinal, s.watch); ok {
			t.Block, t.Source = headers[r.block].head(), s.e.Name()
			transfers = append(transfers, t)
		}
	}
	return transfers, nil
}

// holds reports whether the receipt has the log.
func (r receipt) holds(e entry) bool {
	return slices.ContainsFunc(r.logs, func(l receiptLog) bool {
		return l.transfer && l.entry.index == e.index && l.entry.same(e)
	})
}

// transfer turns a log into a transfer of a known asset to a watched address,
// if it is one and moves anything.
func (a *Adapter) transfer(l receiptLog, ordinal int, watch *chain.WatchSet) (chain.Transfer, bool) {
	asset, known := a.assets[l.entry.contract]
	to, watched := watch.Lookup(l.entry.to[:])
	if !l.transfer || !known || !watched || l.entry.units.IsZero() {
		return chain.Transfer{}, false
	}
	return chain.Transfer{
		Key:   a.key(l.entry.tx, ordinal),
		Asset: asset, From: a.text(l.entry.from), To: to, Units: l.entry.units,
	}, true
}

func (a *Adapter) key(tx hash, ordinal int) chain.Key {
	return chain.Key{Network: a.profile.Network, Tx: chain.TxHash(tx.String()), Ordinal: ordinal}
}

func (a *Adapter) text(raw address) chain.Address {
	return chain.AddressOf(a.profile.Network, raw[:]).Address
}
