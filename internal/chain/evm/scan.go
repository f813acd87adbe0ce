package evm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/chain"
)

// Bounds of a scan.
const (
	// maxTopicQueries is up to how many such queries asking the node to filter
	// pays; beyond it every transfer is fetched and matched here.
	maxTopicQueries = 2
	// maxChunks is how many ranges are read before the end of the scan is
	// checked again, which bounds the work a failure can undo.
	maxChunks = 16
	// maxAttempts bounds how often one range is asked for in smaller pieces.
	maxAttempts = 32
)

// Scan returns every transfer of the network's assets to a watched address in
// blocks from..to.
//
// Each stretch of blocks is read from one endpoint, which must show block `to`
// under its hash before, with and after its logs: then the logs are those of
// to's own ancestors, whatever forks the node has seen. What matches is proved
// by the receipt of its transaction, which also gives its ordinal.
//
// An address may hide several nodes. One that lags is found out by the block
// asked for together with the logs, or by its refusal of a range it does not
// know the end of. Only nodes of former years, which end such a range silently,
// behind an address that answers the calls of one request from several of them,
// can leave money out; reading final blocks again a little later finds it.
func (a *Adapter) Scan(ctx context.Context, from uint64, to chain.Head, watch *chain.WatchSet) ([]chain.Transfer, error) {
	if from > to.Number {
		return nil, fmt.Errorf("scan from block %d to %d", from, to.Number)
	}
	var transfers []chain.Transfer
	var buffer bytes.Buffer
	for next := from; next <= to.Number; {
		var found []chain.Transfer
		var after uint64
		err := a.pool.do(ctx, func(ctx context.Context, e *endpoint) (err error) {
			s := &search{adapter: a, e: e, to: to, watch: watch, buffer: &buffer}
			found, after, err = s.stretch(ctx, next)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("scan %s from block %d: %w", a.profile.Network, next, err)
		}
		transfers = append(transfers, found...)
		next = after
	}
	return transfers, nil
}

// stretch reads blocks from first on, as far as maxChunks ranges reach, and
// returns their transfers and the number of the block after them.
func (s *search) stretch(ctx context.Context, first uint64) ([]chain.Transfer, uint64, error) {
	next := first
	for i := 0; i < maxChunks && next <= s.to.Number; i++ {
		last, err := s.read(ctx, next)
		if err != nil {
			return nil, 0, err
		}
		next = last + 1
	}
	transfers, err := s.prove(ctx)
	return transfers, next, err
}

// search is the reading of one stretch of blocks from one endpoint.
type search struct {
	adapter *Adapter
	e       *endpoint
	to      chain.Head
	watch   *chain.WatchSet
	buffer  *bytes.Buffer // for the answers with logs, one after the other
	waiting []candidate
	found   []entry
}

// read fetches and matches the logs from block first on and returns the last
// block it covered, as many as the endpoint takes at once.
func (s *search) read(ctx context.Context, first uint64) (last uint64, err error) {
	for range maxAttempts {
		blocks, perQuery := s.e.sizes()
		last = min(s.to.Number, first+blocks-1)
		var size int
		size, err = s.fetch(ctx, first, last, perQuery)
		count := last - first + 1
		switch {
		case err == nil:
			s.e.accepted(count, size)
			return last, nil
		case errors.Is(err, errTooManyTopics) && s.e.fewerTopics(perQuery):
		case errors.Is(err, errTooMuch) && s.e.fewerBlocks(count):
		case errors.Is(err, context.DeadlineExceeded):
			s.e.fewerBlocks(count) // the next attempt, here or elsewhere, asks for less
			return 0, err
		default:
			return 0, err
		}
	}
	return 0, err
}

// fetch asks for the logs of blocks first to last, together with block `to`.
func (s *search) fetch(ctx context.Context, first, last uint64, perQuery int) (size int, err error) {
	calls := append([]call{numberCall(s.to.Number)}, s.adapter.logCalls(first, last, s.watch, perQuery)...)
	replies, err := s.e.askInto(ctx, s.buffer, calls...)
	if err != nil {
		return 0, err
	}
	if r := replies[0]; r.err != nil {
		return 0, callFailure(r.err)
	}
	if err := standing(replies[0].result, s.to); err != nil {
		return 0, err
	}
	for _, r := range replies[1:] {
		if r.err != nil {
			return 0, logsFailure(r.err)
		}
	}
	s.waiting = s.waiting[:0]
	for _, r := range replies[1:] {
		size += len(r.result)
		if err := readLogs(r.result, func(l *logText) error { return s.take(l, first, last) }); err != nil {
			return 0, err
		}
		if err := s.match(); err != nil {
			return 0, err
		}
	}
	return size, nil
}

// logCalls asks for the transfers of all assets in a range: to the watched
// addresses where those are few, to anybody where they are many.
func (a *Adapter) logCalls(first, last uint64, watch *chain.WatchSet, perQuery int) []call {
	query := func(topics ...any) call {
		return call{"eth_getLogs", []any{map[string]any{
			"fromBlock": quantity(first), "toBlock": quantity(last), "address": a.contracts(), "topics": topics,
		}}}
	}
	if watch.Len() == 0 {
		return nil
	}
	if watch.Len() > perQuery*maxTopicQueries {
		return []call{query(transferTopic)}
	}
	topics := make([]string, 0, watch.Len())
	for raw := range watch.All {
		topics = append(topics, addressPadding+hexText(raw)[2:])
	}
	slices.Sort(topics) // the same question looks the same to caches on the way
	var calls []call
	for part := range slices.Chunk(topics, perQuery) {
		calls = append(calls, query(transferTopic, nil, part))
	}
	return calls
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
