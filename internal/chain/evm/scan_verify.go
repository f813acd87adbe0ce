package evm

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// verify fetches the receipts of the transactions found and the headers of
// their blocks, checks block `to` once more, and returns the transfers.
//
// A transfer's ordinal is the position of its log among all logs of its
// transaction, as the receipt lists them. It depends on the execution of the
// transaction alone. A log's index in the block depends on other transactions,
// and its index among the matches on the addresses asked for.
func (s *stretch) verify(ctx context.Context) ([]chain.Transfer, error) {
	if len(s.found) == 0 && len(s.odd) == 0 {
		return nil, nil // block `to` was read after the logs
	}
	slices.SortFunc(s.found, func(a, b rpc.TransferLog) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Index, b.Index))
	})
	headers := make(map[uint64]rpc.Header)
	byTx := make(map[rpc.Hash][]rpc.TransferLog, len(s.found))
	for _, e := range s.found {
		byTx[e.Tx] = append(byTx[e.Tx], e)
	}
	if err := s.verifyOdd(ctx); err != nil {
		return nil, err
	}
	var transfers []chain.Transfer
	for txs := range slices.Chunk(s.transactions(), receiptPage) {
		receipts, err := s.receipts(ctx, txs, s.blockOf, headers)
		if err != nil {
			return nil, err
		}
		for _, tx := range txs {
			moved, err := s.transfers(byTx[tx], receipts[tx], headers)
			if err != nil {
				return nil, err
			}
			transfers = append(transfers, moved...)
		}
	}
	return transfers, nil
}

// verifyOdd checks that the receipts do not know the odd logs as transfers.
func (s *stretch) verifyOdd(ctx context.Context) error {
	for page := range slices.Chunk(s.odd, receiptPage) {
		blocks := make(map[rpc.Hash]rpc.Header, len(page))
		var txs []rpc.Hash
		for _, o := range page {
			if _, listed := blocks[o.Tx]; !listed {
				txs = append(txs, o.Tx)
			}
			blocks[o.Tx] = rpc.Header{Number: o.Block, Hash: o.BlockHash}
		}
		receipts, err := s.receipts(ctx, txs, func(tx rpc.Hash) rpc.Header { return blocks[tx] }, nil)
		if err != nil {
			return err
		}
		for _, o := range page {
			if receipts[o.Tx].HasAt(o.Index) {
				return rpc.Malformed("a transfer log that its receipt shows otherwise")
			}
		}
	}
	return nil
}

// receiptPage bounds how many receipts are held at once: a transaction can have
// thousands of logs.
const receiptPage = 64

// withHead makes the calls, has block `to` shown after them, and reads their results.
func (s *stretch) withHead(ctx context.Context, calls []rpc.Call, read func(results [][]byte) error) error {
	return s.e.Patiently(ctx, s.to.Number, func() error {
		results, err := s.e.Results(ctx, append(calls, rpc.BlockByNumber(s.to.Number))...)
		if err != nil {
			return err
		}
		if err := rpc.RequireHead(results[len(calls)], s.to); err != nil {
			return err
		}
		return read(results[:len(calls)])
	})
}

// transactions lists the transactions with matches, each once.
func (s *stretch) transactions() []rpc.Hash {
	var txs []rpc.Hash
	listed := make(map[rpc.Hash]bool, len(s.found))
	for _, e := range s.found {
		if !listed[e.Tx] {
			listed[e.Tx] = true
			txs = append(txs, e.Tx)
		}
	}
	return txs
}

// unread lists the blocks of the transactions whose headers are not known. That of block `to` is.
func (s *stretch) unread(
	txs []rpc.Hash, blockOf func(rpc.Hash) rpc.Header, headers map[uint64]rpc.Header,
) []uint64 {
	if hash, ok := rpc.ParseHash(s.to.Hash); ok {
		headers[s.to.Number] = rpc.Header{Number: s.to.Number, Hash: hash, Time: uint64(s.to.Time.Unix())}
	}
	var numbers []uint64
	for _, tx := range txs {
		number := blockOf(tx).Number
		if _, known := headers[number]; !known {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// parseHeaders adds the headers of the blocks with these numbers.
func parseHeaders(headers map[uint64]rpc.Header, results [][]byte, numbers []uint64) error {
	for i, n := range numbers {
		h, ok, err := rpc.ParseNumberedHeader(results[i], n)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%w: block %d is not there", rpc.ErrLagging, n)
		}
		headers[n] = h
	}
	return nil
}

// receipts reads the receipts of txs, which are in the blocks that blockOf returns,
// and block `to` once more after them, all in one request. headers receives those of the blocks that it does not have
// yet; nil: none are wanted.
// Nodes drop old transactions from their index before they drop the logs of a
// block; then the receipt is rebuilt from the logs of the whole block.
func (s *stretch) receipts(
	ctx context.Context, txs []rpc.Hash, blockOf func(rpc.Hash) rpc.Header, headers map[uint64]rpc.Header,
) (map[rpc.Hash]rpc.Receipt, error) {
	var numbers []uint64
	if headers != nil {
		numbers = s.unread(txs, blockOf, headers)
	}
	calls := make([]rpc.Call, 0, len(numbers)+len(txs)+1)
	for _, number := range numbers {
		calls = append(calls, rpc.BlockByNumber(number))
	}
	for _, tx := range txs {
		calls = append(calls, rpc.ReceiptCall(tx))
	}
	var results [][]byte
	if err := s.withHead(ctx, calls, func(got [][]byte) error {
		results = got[len(numbers):]
		return parseHeaders(headers, got, numbers)
	}); err != nil {
		return nil, err
	}
	receipts := make(map[rpc.Hash]rpc.Receipt, len(txs))
	for i, tx := range txs {
		r, ok, err := rpc.ParseReceipt(results[i], tx)
		if err == nil && !ok {
			r, ok, err = rpc.RebuildReceipt(ctx, s.e, tx, blockOf(tx))
			if err == nil && !ok {
				err = rpc.Malformed("a log that its block does not have")
			}
		}
		if err != nil {
			return nil, err
		}
		receipts[tx] = r
	}
	return receipts, nil
}

func (s *stretch) blockOf(tx rpc.Hash) rpc.Header {
	i := slices.IndexFunc(s.found, func(e rpc.TransferLog) bool { return e.Tx == tx })
	return rpc.Header{Number: s.found[i].Block, Hash: s.found[i].BlockHash}
}

// transfers combines the logs found of one transaction, its receipt and the
// headers, which must agree. The receipt decides, so a log that the node left
// out of its answer beside another one is found here.
func (s *stretch) transfers(
	found []rpc.TransferLog, r rpc.Receipt, headers map[uint64]rpc.Header,
) ([]chain.Transfer, error) {
	for _, e := range found {
		if headers[e.Block].Hash != e.BlockHash || r.BlockHash != e.BlockHash {
			return nil, chain.ErrReorged
		}
		if !r.Has(e) {
			return nil, rpc.Malformed("a log that its receipt does not have")
		}
	}
	var transfers []chain.Transfer
	for ordinal, l := range r.Logs {
		if t, ok := s.adapter.transfer(l, ordinal, s.watch); ok {
			t.Block, t.Source = headers[r.Block].Head(), s.e.Name()
			transfers = append(transfers, t)
		}
	}
	return transfers, nil
}

// transfer returns a log as a transfer of a known asset to a watched address;
// ok is false if it is not one or moves nothing.
func (a *Adapter) transfer(l rpc.ReceiptLog, ordinal int, watch *chain.WatchSet) (chain.Transfer, bool) {
	asset, known := a.assets[l.Transfer.Contract]
	to, watched := watch.Lookup(l.Transfer.To[:])
	if !l.IsTransfer || !known || !watched || l.Transfer.Units.IsZero() {
		return chain.Transfer{}, false
	}
	return chain.Transfer{
		Key:   a.key(l.Transfer.Tx, ordinal),
		Asset: asset, From: a.text(l.Transfer.From), To: to, Units: l.Transfer.Units,
	}, true
}

func (a *Adapter) key(tx rpc.Hash, ordinal int) chain.Key {
	return chain.Key{Network: a.profile.Network, Tx: chain.TxHash(tx.String()), Ordinal: ordinal}
}

func (a *Adapter) text(raw rpc.Address) chain.Address {
	return chain.AddressOf(a.profile.Network, raw[:]).Address
}
