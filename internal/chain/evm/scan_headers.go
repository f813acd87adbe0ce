package evm

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// unreadBlocks lists the blocks of the transactions whose headers are not known. That of block `to` is.
func (s *stretch) unreadBlocks(
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

// parseHeaders adds the headers of the blocks with these numbers. It fails with an endpoint.Item for one that cannot be
// read.
func parseHeaders(headers map[uint64]rpc.Header, replies []rpc.Reply, numbers []uint64) error {
	for i, n := range numbers {
		h, err := parseHeader(replies[i], n)
		if err != nil {
			return err
		}
		headers[n] = h
	}
	return nil
}

func parseHeader(reply rpc.Reply, number uint64) (h rpc.Header, err error) {
	defer func() { err = endpoint.OfItem(err, !rpc.Limited(err)) }()
	if reply.Err != nil {
		return h, rpc.CallError(reply.Err)
	}
	h, ok, err := rpc.ParseNumberedHeader(reply.Result, number)
	if err == nil && !ok {
		err = fmt.Errorf("%w: block %d is not there", rpc.ErrLagging, number)
	}
	return h, err
}

// singleHeaders reads headers each in a request of its own, and then block `to`. One that cannot be read is left out: it
// concerns only those who were paid in its block.
func (s *stretch) singleHeaders(ctx context.Context, numbers []uint64, headers map[uint64]rpc.Header) error {
	began := s.adapter.pool.Now()
	list := make([]rpc.Header, len(numbers))
	var g errgroup.Group
	g.SetLimit(singlesAtOnce)
	for i, n := range numbers {
		g.Go(func() error {
			if s.adapter.pool.Now().Sub(began) >= receiptsLimit {
				return nil
			}
			replies, err := s.e.Ask(ctx, rpc.BlockByNumber(n))
			if err == nil {
				list[i], err = parseHeader(replies[0], n)
			}
			if endpoint.IsItem(err) {
				return nil
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i, n := range numbers {
		if list[i] != (rpc.Header{}) {
			headers[n] = list[i]
		}
	}
	return s.withHead(ctx, nil, func([]rpc.Reply) error { return nil })
}
