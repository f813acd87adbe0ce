package evm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// Bounds of a scan.
const (
	// maxTopicQueries is the most queries that name recipients; for more
	// recipients every transfer is fetched and matched here.
	maxTopicQueries = 2
	// maxChunks is how many ranges are read before the end of the scan is
	// checked again, which bounds the work that a failure undoes.
	maxChunks = 16
	// maxBatched is how many ranges are asked for in one request where the endpoint takes few blocks at once: block `to`
	// is asked for once with all of them.
	maxBatched = 8
	// maxPieces bounds how often one range is asked for in smaller pieces.
	maxPieces = 32
)

// Scan returns every transfer of the network's assets to a watched address in
// blocks from..to.
//
// The blocks are read from one endpoint, which must show block `to`
// under its hash before, with and after the logs: then the logs are of to's
// ancestors, whatever forks the node has seen. Matches are verified by the
// receipt of their transaction, which also gives their ordinal. A receipt that cannot be read leaves the recipients
// of its transaction unread, and nothing else.
//
// An address may hide several nodes. One that lags is noticed by the block
// asked for together with the logs, or because it refuses a range whose end it
// does not have. Only old node versions, which cut such a range silently,
// behind an address that spreads the calls of one request over several nodes,
// can leave money out; the scan through a second voice finds it.
func (a *Adapter) Scan(
	ctx context.Context, from uint64, to chain.Head, watch *chain.WatchSet, not ...string,
) (transfers []chain.Transfer, by string, err error) {
	if from > to.Number {
		return nil, "", fmt.Errorf("scan from block %d to %d", from, to.Number)
	}
	var unread *chain.UnreadError
	err = a.pool.Among(ctx, a.pool.Others(not...), func(ctx context.Context, e *rpc.Endpoint) error {
		found, some, err := a.scanThrough(ctx, e, from, to, watch)
		if err == nil && (unread == nil || some == nil) {
			transfers, unread, by = found, some, e.Voice()
		}
		if err == nil && some != nil {
			return rpc.ErrNotFound // perhaps another one can read them
		}
		return err
	})
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case unread != nil:
		return transfers, by, unread
	case err != nil:
		return nil, "", fmt.Errorf("scan %s from block %d: %w", a.profile.Network, from, err)
	}
	return transfers, by, nil
}

// scanThrough scans the blocks through one endpoint.
func (a *Adapter) scanThrough(
	ctx context.Context, e *rpc.Endpoint, from uint64, to chain.Head, watch *chain.WatchSet,
) (transfers []chain.Transfer, unread *chain.UnreadError, err error) {
	if err := a.slowLogs.refusal(e); err != nil {
		return nil, nil, err
	}
	var buffer bytes.Buffer
	for next := from; next <= to.Number; {
		s := &stretch{adapter: a, e: e, to: to, watch: watch, buffer: &buffer}
		var found []chain.Transfer
		if found, next, err = s.run(ctx, next); err != nil {
			return nil, nil, err
		}
		transfers, unread = append(transfers, found...), unread.With(s.unread)
	}
	return transfers, unread, nil
}

// run reads blocks from first on, at most maxChunks ranges, and returns their
// transfers and the number of the block after them.
func (s *stretch) run(ctx context.Context, first uint64) ([]chain.Transfer, uint64, error) {
	next := first
	for i := 0; i < maxChunks && next <= s.to.Number; i++ {
		last, err := s.read(ctx, next)
		if err != nil {
			return nil, 0, err
		}
		next = last + 1
	}
	transfers, err := s.verify(ctx)
	return transfers, next, err
}

// stretch reads one stretch of blocks from one endpoint.
type stretch struct {
	adapter *Adapter
	e       *rpc.Endpoint
	to      chain.Head
	watch   *chain.WatchSet
	buffer  *bytes.Buffer // for the answers with logs, one after the other
	// narrow names the recipients however many they are: one block has more logs
	// than the endpoint returns at once.
	narrow  bool
	waiting []candidate
	found   []rpc.TransferLog
	small   []rpc.TransferLog // that are shown as they are
	odd     []oddLog
	// unread are the recipients of transactions whose receipts, or of logs that, cannot be read.
	unread *chain.UnreadError
	// most is how many blocks are read at once after a failure of which one of them may be the reason; 0: none.
	most     uint64
	answered bool // the endpoint has shown logs in this stretch
}

// read fetches and matches the logs from block first on, as many as the
// endpoint takes at once, and returns the last block it covered.
func (s *stretch) read(ctx context.Context, first uint64) (last uint64, err error) {
	if err := s.e.RequireHistory(first); err != nil {
		return 0, err
	}
	for range maxPieces {
		blocks, perQuery := s.e.LogLimits()
		last = min(s.to.Number, first+blocks-1)
		count := last - first + 1
		if s.e.SettledBlocks() {
			last = min(s.to.Number, first+maxBatched*blocks-1)
		}
		if s.most > 0 {
			last = min(last, first+s.most-1)
			count = min(count, last-first+1)
		}
		var rests bool
		if last, _, rests = s.adapter.slowLogs.piece(s.e, first, last); rests {
			return first, s.apart(ctx, first, errSlowLogs)
		}
		count = min(count, last-first+1)
		var size int
		before := *s
		err = s.e.Patiently(ctx, s.to.Number, func() (err error) {
			size, err = s.fetch(ctx, first, last, count, perQuery)
			return err
		})
		if err != nil { // what was read of the answer is read again
			s.found, s.small, s.odd, s.unread = before.found, before.small, before.odd, before.unread
		}
		switch {
		case err == nil:
			s.adapter.slowLogs.record(s.e, first, last, false)
			s.e.LogsAccepted(count, s.named(perQuery), size)
			s.answered, s.most = true, 2*s.most
			return last, nil
		case errors.Is(err, rpc.ErrTooManyTopics) && s.e.ReduceTopics(perQuery):
		case errors.Is(err, rpc.ErrTooLarge) &&
			(s.e.ReduceBlocks(count, endpoint.Hint(err.Error(), count)) || s.split(perQuery)):
		case errors.Is(err, rpc.ErrPruned):
			s.e.Forgot(first)
			return 0, err
		case rpc.TimedOut(err) && last-first < fewBlocks && s.ofLogs(first, err):
			if last == first {
				return first, s.apart(ctx, first, errSlowLogs)
			}
		case rpc.TimedOut(err):
			// The next attempt, here or elsewhere, asks for much less: each costs as long as it takes.
			s.e.ReduceBlocks(count, max(count/4, 1))
			return 0, err
		case !s.ofLogs(first, err):
			return 0, err
		case last > first:
			s.most = (last - first + 1) / 2
		default:
			return first, s.apart(ctx, first, err)
		}
	}
	return 0, err
}

// split makes the next query smaller where a single block has too many logs: it names the recipients, and then ever
// fewer of them. It reports false where that changes nothing.
func (s *stretch) split(perQuery int) bool {
	if s.watch.Len() > perQuery*maxTopicQueries && !s.narrow {
		s.narrow = true
		return true
	}
	return s.watch.Len() > 1 && s.e.ReduceTopics(min(perQuery, s.watch.Len()))
}

// named returns how many recipients the largest query names; 0: none.
func (s *stretch) named(perQuery int) int {
	if s.watch.Len() > perQuery*maxTopicQueries && !s.narrow {
		return 0
	}
	return min(perQuery, s.watch.Len())
}

// fetch asks for the logs of blocks first to last, so many blocks in each query, and then, in the same request, for
// block `to`. It returns the size of the largest answer.
func (s *stretch) fetch(ctx context.Context, first, last, blocks uint64, perQuery int) (size int, err error) {
	var calls []rpc.Call
	var begins []uint64 // of the range of each call
	for next := first; next <= last; next += blocks {
		end := min(next+blocks-1, last)
		part := s.adapter.logCalls(rpc.Quantity(next), rpc.Quantity(end), s.watch, perQuery, s.narrow)
		calls = append(calls, part...)
		begins = append(begins, slices.Repeat([]uint64{next}, len(part))...)
	}
	replies, err := s.ask(ctx, first, last, calls)
	if err != nil {
		return 0, err
	}
	head, logs := replies[len(calls)], replies[:len(calls)]
	if head.Err != nil {
		return 0, rpc.CallError(head.Err)
	}
	if err := rpc.RequireHead(head.Result, s.to); err != nil {
		return 0, err
	}
	for _, r := range logs {
		if r.Err != nil {
			return 0, logsError{rpc.LogsError(r.Err)}
		}
	}
	s.waiting = s.waiting[:0]
	for i, r := range logs {
		size = max(size, len(r.Result))
		from, end := begins[i], min(begins[i]+blocks-1, last)
		if err := rpc.ReadLogs(r.Result, func(l *rpc.RawLog) error { return s.collect(l, from, end) }); err != nil {
			return 0, logsError{err}
		}
		if err := s.matchRecipients(); err != nil {
			return 0, logsError{err}
		}
	}
	return size, nil
}

// logCalls asks for the transfers of all assets in a range: to the watched
// addresses where those are few, to any address where they are many.
func (a *Adapter) logCalls(first, last string, watch *chain.WatchSet, perQuery int, narrow bool) []rpc.Call {
	query := func(topics ...any) rpc.Call {
		return rpc.NewCall("eth_getLogs", map[string]any{
			"fromBlock": first, "toBlock": last, "address": a.contracts(), "topics": topics,
		})
	}
	if watch.Len() == 0 {
		return nil
	}
	if watch.Len() > perQuery*maxTopicQueries && !narrow {
		return []rpc.Call{query(rpc.TransferTopic)}
	}
	var calls []rpc.Call
	for _, part := range recipients(watch, perQuery) {
		calls = append(calls, query(rpc.TransferTopic, nil, part))
	}
	return calls
}

// recipients returns the watched addresses as topics, in groups of at most so many.
func recipients(watch *chain.WatchSet, most int) [][]string {
	topics := make([]string, 0, watch.Len())
	for raw := range watch.All {
		topics = append(topics, rpc.AddressPadding+rpc.Hex(raw)[2:])
	}
	slices.Sort(topics) // so that caches recognise the request
	return slices.Collect(slices.Chunk(topics, most))
}

// contracts lists the addresses of the network's assets.
func (a *Adapter) contracts() []string {
	list := make([]string, 0, len(a.assets))
	for contract := range a.assets {
		list = append(list, contract.String())
	}
	slices.Sort(list)
	return list
}
