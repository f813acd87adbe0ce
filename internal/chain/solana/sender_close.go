package solana

import (
	"context"
	"fmt"
	"slices"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// closeUnits is the compute budget of closing one account, several times what the program uses.
const closeUnits = 15_000

// CloseEmptied closes deposit accounts that sweeps have emptied, at most SweepBatch of them, and sends their rent to
// the gas wallet. It returns the items whose accounts are not known to be closed yet; the next call tries them again.
// An account that was paid meanwhile stays.
//
// It is a transaction of its own: a token account with a balance cannot be closed, so a stranger's dust would fail
// the transfers beside it. It moves no money of a merchant, so nothing is stored: what is lost in a crash is rent.
func (s *Sender) CloseEmptied(ctx context.Context, items []chain.SweepItem) (left []chain.SweepItem, err error) {
	if err := s.check(items); err != nil {
		return nil, err
	}
	p, err := s.plan(items)
	if err != nil {
		return nil, err
	}
	err = s.adapter.pool.do(ctx, func(ctx context.Context, e *endpoint) error {
		if err := p.pickEmpty(ctx, e); err != nil || len(p.taken) == 0 {
			return err
		}
		recent, err := e.Price(ctx, p.writable(s.payer()))
		if err != nil {
			return err
		}
		p.price = bid(recent, 0, s.maxPrice)
		p.hash, p.until, err = e.Blockhash(ctx)
		return err
	})
	if err != nil || len(p.taken) == 0 {
		return nil, err
	}
	p.closing, p.units = true, closeUnits*uint64(len(p.closed))
	if err := s.compile(p); err != nil {
		return nil, fmt.Errorf("close accounts on %s: %w", s.Network(), err)
	}
	for _, l := range p.legs {
		if l.empty {
			left = append(left, l.SweepItem)
		}
	}
	return left, s.Broadcast(ctx, chain.Attempt{Tx: chain.TxHash(p.tx.Signatures[0].String()), Raw: p.raw})
}

// pickEmpty takes the first accounts that exist, belong to their owner and are empty: those of the legs, and the other
// ones that they were emptied of. Accounts of Token-2022 may hold withheld fees, which keep them open.
func (p *sweepPlan) pickEmpty(ctx context.Context, e *endpoint) error {
	if verdict, err := e.resolve(ctx, p); verdict != nil || err != nil {
		return err
	}
	final, err := e.Slot(ctx, rpc.Finalized)
	if err != nil {
		return err
	}
	var keys []solanago.PublicKey
	var legs []*leg
	for _, l := range p.legs {
		l.empty = false
		if l.native() {
			continue
		}
		list := l.keys()
		for _, x := range l.parents {
			list = append(list, x.Key)
		}
		keys, legs = append(keys, list...), append(legs, slices.Repeat([]*leg{l}, len(list))...)
	}
	held, _, err := e.Accounts(ctx, keys, final)
	if err != nil {
		return err
	}
	p.taken, p.closed = nil, nil
	for i, r := range held {
		l := legs[i]
		h, err := r.HoldingOf(solanago.TokenProgramID)
		if err != nil {
			return err
		}
		if !h.Valid || h.Owner != l.owner || h.Amount > 0 || h.Frozen || !h.Closable {
			continue
		}
		l.empty = true
		a := tokenAccount{Key: keys[i], Owner: l.owner, Mint: h.Mint, Program: solanago.TokenProgramID}
		if len(p.closed) == SweepBatch || slices.Contains(p.closed, a) {
			continue
		}
		if p.closed = append(p.closed, a); !slices.Contains(p.taken, l) {
			p.taken = append(p.taken, l)
		}
	}
	return nil
}
