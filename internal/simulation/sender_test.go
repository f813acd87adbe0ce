package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// sender is a chain.SweepSender of the simulated chain. Its signed bytes are the transaction as JSON.
type sender struct {
	w     *world
	in    *instance
	chain *testChain
}

var _ chain.SweepSender = (*sender)(nil)

// sweepTx is the content of the signed bytes.
type sweepTx struct {
	Nonce, Price uint64
	Until        uint64 // where transactions expire
	Legs         []leg
	Made         int
}

func (s *sender) Network() chain.Network { return s.chain.profile.Network }

func (s *sender) height() int { return max(1, len(s.chain.blocks)-s.in.faults.lag) }

func (s *sender) Sign(
	_ context.Context, items []chain.SweepItem, previous []chain.Attempt, _ time.Time,
) (chain.Attempt, error) {
	if err := s.in.call(); err != nil {
		return chain.Attempt{}, err
	}
	switch {
	case s.w.gasEmpty:
		return chain.Attempt{}, fmt.Errorf("%w: the gas wallet is empty", chain.ErrNoGas)
	case s.w.gasExpensive:
		return chain.Attempt{}, fmt.Errorf("%w: a hundred times the price", chain.ErrTooExpensive)
	}
	at := sweepTx{Nonce: s.chain.blocks[s.height()-1].nonces[gasWallet], Price: 1000}
	for _, a := range previous {
		at.Nonce, at.Price = a.Nonce, max(at.Price, (a.Fee.Price.Big().Uint64()*9+7)/8)
	}
	s.limit(&at, previous)
	for _, i := range items {
		at.Legs = append(at.Legs, leg{i.Address.Address, i.Asset.Contract, i.Settlement})
	}
	s.w.signed++
	at.Made = s.w.signed
	raw, err := json.Marshal(at)
	if err != nil {
		return chain.Attempt{}, err
	}
	price := money.UnitsFromUint64(at.Price)
	return chain.Attempt{
		Tx: chain.TxHash(s.chain.hash("5")), Raw: raw, Nonce: at.Nonce,
		Until: at.Until, MadeAt: s.in.now(),
		Fee: chain.Fee{Gas: 1, Price: price, Tip: price, Ceiling: price},
	}, nil
}

func (s *sender) Broadcast(ctx context.Context, a chain.Attempt) error {
	if err := s.in.call(); err != nil {
		return err
	}
	s.w.checkBroadcast(ctx, s.chain, a)
	var at sweepTx
	if err := json.Unmarshal(a.Raw, &at); err != nil {
		return err
	}
	s.chain.send(&tx{hash: a.Tx, flush: at.Legs, from: gasWallet, nonce: at.Nonce, price: at.Price, until: at.Until})
	if s.w.answersLost { // it was accepted, and the answer is lost
		return chain.ErrNoEndpoint
	}
	return nil
}

func (s *sender) Track(
	_ context.Context, items []chain.SweepItem, attempts []chain.Attempt,
) (chain.SweepOutcome, error) {
	if err := s.in.call(); err != nil {
		return chain.SweepOutcome{}, err
	}
	l, n := s.chain, s.height()
	final := l.finalized(n)
	for _, a := range attempts {
		b, _ := l.find(a.Tx, n)
		if b == nil {
			continue
		}
		seen := chain.SweepOutcome{Status: chain.TxIncluded, Tx: a.Tx, Block: b.Head, Paid: a.Fee.Price}
		if b.Number > uint64(final) {
			return seen, nil
		}
		seen.Status = chain.TxFinal
		for _, i := range items {
			for _, m := range b.moved[a.Tx] {
				if m.from == i.Address.Address && m.contract == i.Asset.Contract {
					seen.Moved = append(
						seen.Moved,
						chain.Moved{Address: m.from, Contract: m.contract, Units: money.UnitsFromUint64(m.units)},
					)
				}
			}
		}
		return seen, nil
	}
	if s.expired(attempts, uint64(final)) {
		return chain.SweepOutcome{Status: chain.TxDropped, Note: "its time is over"}, nil
	}
	if attempts[0].Until == 0 && l.blocks[final].nonces[gasWallet] > attempts[0].Nonce {
		return chain.SweepOutcome{Status: chain.TxDropped, Note: "another transaction used its nonce"}, nil
	}
	for _, a := range attempts {
		if l.known(a.Tx) {
			return chain.SweepOutcome{Status: chain.TxPending}, nil
		}
	}
	return chain.SweepOutcome{Status: chain.TxUnknown}, nil
}

func (s *sender) GasWallet(context.Context) (chain.GasWallet, error) {
	return chain.GasWallet{Address: gasWallet, Balance: money.UnitsFromUint64(1)}, nil
}
