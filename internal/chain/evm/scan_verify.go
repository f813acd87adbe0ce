package evm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
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
		return s.unplaced(), nil // block `to` was read after the logs
	}
	slices.SortFunc(s.found, func(a, b rpc.TransferLog) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Index, b.Index))
	})
	headers := make(map[uint64]rpc.Header)
	byTx := make(map[rpc.Hash][]rpc.TransferLog, len(s.found))
	for _, e := range s.found {
		byTx[e.Tx] = append(byTx[e.Tx], e)
	}
	transfers, err := s.verifyOdd(ctx, headers, byTx)
	if err != nil {
		return nil, err
	}
	transfers = append(transfers, s.unplaced()...)
	for txs := range slices.Chunk(s.transactions(), receiptPage) {
		receipts, err := s.receipts(ctx, txs, s.blockOf, headers)
		if err != nil {
			return nil, err
		}
		for _, tx := range txs {
			moved, err := s.moved(ctx, receipts[tx], byTx[tx], headers)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err != nil {
				s.leave(byTx[tx], err)
			}
			transfers = append(transfers, moved...)
		}
	}
	return transfers, nil
}

// leave leaves the watched recipients of a transaction unread.
func (s *stretch) leave(found []rpc.TransferLog, why error) {
	unread := &chain.UnreadError{Reason: fmt.Sprintf("%s cannot read transaction %s: %s", s.e.Name(), found[0].Tx, why)}
	for _, l := range found {
		if to, watched := s.watch.Lookup(l.To[:]); watched && !slices.Contains(unread.Addresses, to) {
			unread.Addresses = append(unread.Addresses, to)
		}
	}
	s.unread = s.unread.With(unread)
}

// verifyOdd checks that the receipts do not know the odd logs as transfers. Those whose recipient is known concern only
// that one; of others, the receipt decides what moved, where its transaction is not among those of byTx.
func (s *stretch) verifyOdd(
	ctx context.Context, headers map[uint64]rpc.Header, byTx map[rpc.Hash][]rpc.TransferLog,
) (moved []chain.Transfer, err error) {
	for page := range slices.Chunk(s.odd, receiptPage) {
		blocks := make(map[rpc.Hash]rpc.Header, len(page))
		var txs []rpc.Hash
		for _, o := range page {
			if _, listed := blocks[o.Tx]; !listed {
				txs = append(txs, o.Tx)
			}
			blocks[o.Tx] = rpc.Header{Number: o.Block, Hash: o.BlockHash}
		}
		receipts, err := s.receipts(ctx, txs, func(tx rpc.Hash) rpc.Header { return blocks[tx] }, headers)
		if err != nil {
			return nil, err
		}
		for _, o := range page {
			r := receipts[o.Tx]
			switch {
			case r.err == nil && !r.HasAt(o.Index):
				continue
			case r.err == nil && o.to == "" && byTx[o.Tx] == nil:
				var more []chain.Transfer
				more, err = s.transfers(r, nil, headers)
				moved, byTx[o.Tx] = append(moved, more...), []rpc.TransferLog{}
			case r.err == nil:
				err = s.spoilt(o.to, rpc.Malformed("a transfer log that its receipt shows otherwise"))
			default:
				err = s.spoilt(o.to, r.err)
			}
			if err != nil {
				return nil, err // whom it concerns is not known
			}
		}
	}
	return moved, nil
}

// receiptPage bounds how many receipts are held at once: a transaction can have
// thousands of logs.
const receiptPage = 64

// withHead makes the calls, has block `to` shown after them, and reads their replies.
func (s *stretch) withHead(ctx context.Context, calls []rpc.Call, read func([]rpc.Reply) error) error {
	return s.e.Patiently(ctx, s.to.Number, func() error {
		replies, err := s.e.Ask(ctx, append(slices.Clone(calls), rpc.BlockByNumber(s.to.Number))...)
		if err != nil {
			return err
		}
		head := replies[len(calls)]
		if head.Err != nil {
			return rpc.CallError(head.Err)
		}
		if err := rpc.RequireHead(head.Result, s.to); err != nil {
			return err
		}
		return read(replies[:len(calls)])
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

// receipt is what the endpoint shows of a transaction, or why it cannot.
type receipt struct {
	rpc.Receipt
	err error
}

// receipts reads the receipts of txs, which are in the blocks that blockOf returns,
// and block `to` once more after them, all in one request. headers receives those of the blocks that it does not have
// yet; nil: none are wanted.
func (s *stretch) receipts(
	ctx context.Context, txs []rpc.Hash, blockOf func(rpc.Hash) rpc.Header, headers map[uint64]rpc.Header,
) (map[rpc.Hash]receipt, error) {
	var numbers []uint64
	if headers != nil {
		numbers = s.unreadBlocks(txs, blockOf, headers)
	}
	batched := slices.DeleteFunc(slices.Clone(txs), func(tx rpc.Hash) bool { return s.adapter.slow.known(s.e, tx) })
	calls := make([]rpc.Call, 0, len(numbers)+len(batched)+1)
	for _, number := range numbers {
		calls = append(calls, rpc.BlockByNumber(number))
	}
	asked := len(calls)
	for _, tx := range batched {
		calls = append(calls, rpc.ReceiptCall(tx))
	}
	receipts := make(map[rpc.Hash]receipt, len(txs))
	var replies []rpc.Reply
	read := func(got []rpc.Reply) error {
		replies = got[asked:]
		return parseHeaders(headers, got, numbers)
	}
	err := s.withHead(ctx, calls, read)
	if endpoint.IsItem(err) && ctx.Err() == nil {
		// One receipt or header that is slow, or breaks the request, must not cost the others: each has its own time.
		batched, err = nil, s.singleHeaders(ctx, numbers, headers)
	}
	if err != nil {
		return nil, err
	}
	for i, tx := range batched {
		var r receipt
		r.Receipt, r.err = parseReceipt(replies[i], tx)
		receipts[tx] = r
	}
	singles := slices.DeleteFunc(slices.Clone(txs), func(tx rpc.Hash) bool { _, read := receipts[tx]; return read })
	for i, r := range s.singleReceipts(ctx, singles) {
		receipts[singles[i]] = r
	}
	for _, r := range receipts {
		if rpc.Limited(r.err) || ctx.Err() != nil {
			return nil, cmp.Or(ctx.Err(), r.err)
		}
	}
	return receipts, nil
}

const (
	// receiptLimit is how long one receipt may take that an endpoint is slow with, and receiptsLimit all of those, of
	// which singlesAtOnce are asked for at the same time.
	receiptLimit  = 4 * time.Second
	receiptsLimit = 12 * time.Second
	singlesAtOnce = 4
)

// singleReceipts reads receipts each in a request of its own.
func (s *stretch) singleReceipts(ctx context.Context, txs []rpc.Hash) []receipt {
	list := make([]receipt, len(txs))
	began := s.adapter.pool.Now()
	var g errgroup.Group
	g.SetLimit(singlesAtOnce)
	for i, tx := range txs {
		g.Go(func() error {
			if s.adapter.slow.lately(s.e, tx) || s.adapter.pool.Now().Sub(began) >= receiptsLimit {
				list[i].err = errSlow
				return nil
			}
			list[i].Receipt, list[i].err = s.oneReceipt(ctx, tx)
			if ctx.Err() == nil {
				s.adapter.slow.record(s.e, tx, errors.Is(list[i].err, errSlow))
			}
			return nil
		})
	}
	_ = g.Wait() // it returns no error
	return list
}

var (
	errSlow      = errors.New("the receipt takes too long")
	errNoReceipt = errors.New("there is no receipt")
	errNoHeader  = errors.New("the header of its block cannot be read")
)

// oneReceipt reads a receipt in a request of its own.
func (s *stretch) oneReceipt(ctx context.Context, tx rpc.Hash) (rpc.Receipt, error) {
	short, cancel := context.WithTimeout(ctx, receiptLimit)
	defer cancel()
	replies, err := s.e.Ask(short, rpc.ReceiptCall(tx))
	if err != nil {
		if (rpc.TimedOut(err) || short.Err() != nil) && !errors.Is(err, endpoint.ErrBusy) {
			err = errSlow
		}
		return rpc.Receipt{}, err
	}
	return parseReceipt(replies[0], tx)
}

func parseReceipt(reply rpc.Reply, tx rpc.Hash) (rpc.Receipt, error) {
	if reply.Err != nil {
		return rpc.Receipt{}, rpc.CallError(reply.Err)
	}
	r, ok, err := rpc.ParseReceipt(reply.Result, tx)
	if err == nil && !ok {
		err = errNoReceipt
	}
	return r, err
}

func (s *stretch) blockOf(tx rpc.Hash) rpc.Header {
	i := slices.IndexFunc(s.found, func(e rpc.TransferLog) bool { return e.Tx == tx })
	return rpc.Header{Number: s.found[i].Block, Hash: s.found[i].BlockHash}
}

// moved returns what a transaction moved to watched addresses. Where the endpoint does not have the receipt, or fails
// to show it, it is rebuilt from the logs of the whole block; where that fails too, or the receipt contradicts the
// logs, it is the transaction's fault and not the endpoint's.
func (s *stretch) moved(
	ctx context.Context, r receipt, found []rpc.TransferLog, headers map[uint64]rpc.Header,
) ([]chain.Transfer, error) {
	if _, known := headers[found[0].Block]; !known {
		return nil, errNoHeader
	}
	if r.err != nil {
		again, ok, err := s.rebuild(ctx, found[0].Tx, headers[found[0].Block], errors.Is(r.err, errSlow))
		switch {
		case err != nil:
			r.err = fmt.Errorf("%w; by the logs of its block: %w", r.err, err)
		case ok:
			r = receipt{Receipt: again}
		}
	}
	return s.transfers(r, found, headers)
}

// rebuild rebuilds a receipt. For one that is slow, a block whose logs take long, too, is not waited for again at once.
func (s *stretch) rebuild(
	ctx context.Context, tx rpc.Hash, block rpc.Header, slow bool,
) (r rpc.Receipt, ok bool, err error) {
	if !slow {
		return rpc.RebuildReceipt(ctx, s.e, tx, block)
	}
	if s.adapter.slow.lately(s.e, block.Hash) {
		return r, false, errSlow
	}
	short, cancel := context.WithTimeout(ctx, receiptLimit)
	defer cancel()
	r, ok, err = rpc.RebuildReceipt(short, s.e, tx, block)
	s.adapter.slow.record(s.e, block.Hash, rpc.TimedOut(err) && !errors.Is(err, endpoint.ErrBusy) && ctx.Err() == nil)
	return r, ok, err
}

// transfers combines the logs found of one transaction, its receipt and the
// headers. The receipt decides, so a log that the node left
// out of its answer beside another one is found here, and one that it shows in a wrong block does not matter.
func (s *stretch) transfers(
	r receipt, found []rpc.TransferLog, headers map[uint64]rpc.Header,
) ([]chain.Transfer, error) {
	if r.err != nil {
		return nil, r.err
	}
	if block, known := headers[r.Block]; !known || block.Hash != r.BlockHash {
		return nil, errors.New("its receipt is of another block")
	}
	if !r.HasAll(found) {
		return nil, errors.New("its receipt does not have a log that the endpoint shows")
	}
	var transfers []chain.Transfer
	for ordinal, l := range r.Logs {
		t, ok := s.adapter.transfer(l, ordinal, s.watch)
		if ok && !s.watch.Floods[t.To].Has(r.Block, t.Tx, t.Asset.Worth(t.Units)) { // else it is shown by its log
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
