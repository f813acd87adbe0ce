package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store"
)

// past is a store with addresses of payments that ended on earlier days, on every network. Nobody pays them any more.
type past struct {
	*store.Store
	ended int
}

// Watches returns the addresses of the day and those of earlier days.
func (p past) Watches(
	ctx context.Context, networks []chain.Network, since watch.Mark, endedAfter time.Time,
) ([]watch.Address, watch.Mark, error) {
	list, mark, err := p.Store.Watches(ctx, networks, since, endedAfter)
	if err != nil || since != (watch.Mark{}) {
		return list, mark, err
	}
	for i := range p.ended {
		raw := make([]byte, rawSize(networks[0]))
		raw[0] = 0xee
		binary.BigEndian.PutUint64(raw[1:], uint64(i)) //nolint:gosec // not negative
		list = append(list, watch.Address{
			Watched: chain.AddressOf(networks[0], raw), PaymentID: payment.ID(fmt.Sprintf("ended %d", i)),
			Network: networks[0],
		})
	}
	return list, mark, nil
}

// rawSize is the size of an address.
func rawSize(n chain.Network) int {
	const evm, solana = 20, 32
	if n.EVM() {
		return evm
	}
	return solana
}

// AtRisk says that ended payments are watched.
func (p past) AtRisk(ctx context.Context, n chain.Network, justEnded, watchedAfter time.Time) (watch.AtRisk, error) {
	s, err := p.Store.AtRisk(ctx, n, justEnded, watchedAfter)
	s.Ended = s.Ended || p.ended > 0
	return s, err
}
