package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
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
	_ context.Context, items []chain.SweepItem, previous []chain.Attempt, _ time.Time, others ...chain.Attempt,
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
	for slices.ContainsFunc(others, func(a chain.Attempt) bool { return a.Nonce == at.Nonce }) {
		at.Nonce++
	}
	for _, a := range s.replaced(at.Nonce, previous) {
		at.Nonce, at.Price = a.Nonce, max(at.Price, (a.Fee.Price.Big().Uint64()*9+7)/8)
	}
	s.limit(&at, previous)
	for _, i := range items {
		l := leg{i.Address.Address, i.Asset.Contract, i.Settlement, math.MaxUint64}
		if !s.Network().EVM() {
			l.Most = s.chain.blocks[s.height()-1].state[holding{l.Address, l.Contract}]
		}
		at.Legs = append(at.Legs, l)
	}
	s.w.signed++
	at.Made = s.w.signed
	raw, err := json.Marshal(at)
	if err != nil {
		return chain.Attempt{}, err
	}
	price := money.UnitsFromUint64(at.Price)
	return chain.Attempt{
		Tx: chain.TxHash(s.chain.hash("5")), Raw: raw, Nonce: at.Nonce, From: s.signer(),
		Until: at.Until, MadeAt: s.in.now(),
		Fee: chain.Fee{Gas: 1, Price: price, Tip: price, Ceiling: price},
	}, nil
}

// replaced returns the attempts whose nonce a new one takes: those with the newest nonce, unless a lower one is free
// and the pool has nothing with it, or another transaction used it.
func (s *sender) replaced(free uint64, previous []chain.Attempt) []chain.Attempt {
	if len(previous) == 0 || !s.Network().EVM() {
		return previous
	}
	newest := previous[len(previous)-1].Nonce
	pending := slices.ContainsFunc(s.chain.pool, func(t *tx) bool { return t.from == gasWallet && t.nonce == free })
	used := s.chain.blocks[s.chain.finalized(s.height())].nonces[gasWallet]
	if free < newest && !pending || newest < used {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(previous), func(a chain.Attempt) bool { return a.Nonce != newest })
}

// signer is the gas wallet where nonces order transactions.
func (s *sender) signer() chain.Address {
	if s.Network().EVM() {
		return gasWallet
	}
	return ""
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
		seen.Moved = s.moved(items, b, a.Tx)
		seen.Left = s.left(items, b, seen.Moved)
		return seen, nil
	}
	if s.expired(attempts, uint64(final)) {
		return chain.SweepOutcome{Status: chain.TxDropped, Note: "its time is over"}, nil
	}
	if attempts[0].Until == 0 && !slices.ContainsFunc(attempts, func(a chain.Attempt) bool {
		return a.Nonce >= l.blocks[final].nonces[gasWallet]
	}) {
		return chain.SweepOutcome{Status: chain.TxDropped, Note: "another transaction used its nonce"}, nil
	}
	for _, a := range attempts {
		if l.known(a.Tx) {
			return chain.SweepOutcome{Status: chain.TxPending}, nil
		}
	}
	return chain.SweepOutcome{Status: chain.TxUnknown}, nil
}

// moved returns what the transaction moved of the items.
func (s *sender) moved(items []chain.SweepItem, b *block, hash chain.TxHash) []chain.Moved {
	var all []chain.Moved
	for _, i := range items {
		var units money.Units
		for _, m := range b.moved[hash] {
			if m.from == i.Address.Address && m.contract == i.Asset.Contract {
				units = units.Add(money.UnitsFromUint64(m.units))
			}
		}
		if !units.IsZero() {
			all = append(all, chain.Moved{Address: i.Address.Address, Contract: i.Asset.Contract, Units: units})
		}
	}
	return all
}

// left returns what lies on addresses of EVM networks of which less than expected moved.
func (s *sender) left(items []chain.SweepItem, b *block, moved []chain.Moved) []chain.Moved {
	var all []chain.Moved
	for _, i := range items {
		enough := slices.ContainsFunc(moved, func(m chain.Moved) bool {
			return m.Address == i.Address.Address && m.Contract == i.Asset.Contract && m.Units.Cmp(i.Expected) >= 0
		})
		if enough || i.Rescue || !s.Network().EVM() {
			continue
		}
		lies := b.state[holding{i.Address.Address, i.Asset.Contract}]
		all = append(all, chain.Moved{
			Address: i.Address.Address, Contract: i.Asset.Contract, Units: money.UnitsFromUint64(lies),
		})
	}
	return all
}

// findSweeps is a settlement.FindFunc of a network where only its history says where money went.
func (s *sender) findSweeps(
	_ context.Context, items []chain.SweepItem, from uint64,
) (found []chain.SweepOutcome, err error) {
	if err := s.in.call(); err != nil {
		return nil, err
	}
	final := s.chain.finalized(s.height())
	items = slices.DeleteFunc(slices.Clone(items), func(i chain.SweepItem) bool {
		lies := s.chain.blocks[final].state[holding{i.Address.Address, i.Asset.Contract}]
		return money.UnitsFromUint64(lies).Cmp(i.Expected) >= 0
	})
	for _, b := range s.chain.blocks[min(int(from), final+1) : final+1] {
		for _, t := range b.txs {
			if moved := s.moved(items, b, t.hash); len(moved) > 0 {
				found = append(found, chain.SweepOutcome{
					Status: chain.TxFinal, Tx: t.hash, Block: b.Head, Paid: money.UnitsFromUint64(1), Moved: moved,
				})
			}
		}
	}
	return found, nil
}

func (s *sender) GasWallet(context.Context) (chain.GasWallet, error) {
	return chain.GasWallet{Address: gasWallet, Balance: money.UnitsFromUint64(1)}, nil
}
