package sender

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/money"
)

const (
	// sweepMargin is added to the estimate, in per cent: settlement wallets
	// and tokens may change until the transaction is included.
	sweepMargin = 10
	// tokenSpare is the gas the factory requires to be left before each token,
	// so that a transfer cannot fail for lack of gas and look refused. Nodes
	// that estimate the gas used, not the gas needed, leave it out. Gas that
	// is not used is not paid for.
	tokenSpare = 320_000
	// A replacement must pay a tenth more for most nodes, an eighth more for
	// some.
	bumpNumerator, bumpDenominator = 9, 8
)

// Sign builds and signs the transaction that sweeps the items. It reads fees,
// nonce and gas estimate from the network and sends nothing.
//
// The nonce is that of the gas wallet's previous attempts, or else the lowest from
// its count of transactions in blocks on that no other sweep in flight has, so that
// there is no gap. Attempts of another wallet have nonces of their own. Where the
// chain has dropped a transaction below the previous attempts, they take its nonce
// instead: without one that has it, none of them is ever included.
// What else may be pending is of another program, or of an installation that was
// restored. It is not waited for, since it may never be included. Whichever of
// the two is included, the other never is; if the sweep is not, it is planned
// again.
func (s *Sweeps) Sign(
	ctx context.Context, items []chain.SweepItem, previous []chain.Attempt, now time.Time, others ...chain.Attempt,
) (chain.Attempt, error) {
	data, err := s.calldata(items)
	if err != nil {
		return chain.Attempt{}, err
	}
	previous, err = s.replaceable(ctx, previous)
	if err != nil {
		return chain.Attempt{}, err
	}
	taken, err := s.takenBy(others)
	if err != nil {
		return chain.Attempt{}, err
	}
	heads, err := s.reader.Heads(ctx)
	if err != nil {
		return chain.Attempt{}, err
	}
	factory := contracts.FactoryAddress()
	p := pricedTx{txRequest: txRequest{from: s.signer.Address(), to: &factory, data: data}}
	var nonce uint64
	var verdict error
	err = s.pool.Do(ctx, func(ctx context.Context, e *rpc.Endpoint) error {
		if err := rpc.RequireBlock(ctx, e, s.final(heads).Number); err != nil {
			return err
		}
		acc, err := s.account(ctx, e)
		if err != nil {
			return err
		}
		var replaced []chain.Attempt
		nonce, replaced = taken.next(acc, previous)
		why, err := s.quote(ctx, e, &p, replaced, acc.Pending > nonce)
		if err == nil && why == nil {
			why = s.afford(acc, p.cost, taken)
		}
		if verdict = cmp.Or(verdict, why); err == nil && why != nil {
			return rpc.ErrNotFound // another one may see it otherwise
		}
		return err
	})
	if err != nil && verdict != nil && ctx.Err() == nil {
		err = verdict
	}
	if err != nil {
		return chain.Attempt{}, fmt.Errorf("sweep on %s: %w", s.Network(), err)
	}
	return s.signed(p, nonce, now)
}

// afford checks that the gas wallet can pay for the transaction beside the other sweeps in flight.
func (s *Sweeps) afford(acc rpc.Account, cost *big.Int, taken takenNonces) error {
	if acc.Balance.Cmp(cost) < 0 {
		return fmt.Errorf("%w: %s holds %s on %s, and the sweep takes up to %s", chain.ErrNoGas,
			s.wallet(), s.coins(acc.Balance), s.Network(), s.coins(cost))
	}
	promised := taken.cost(acc.Nonce)
	if acc.Balance.Cmp(new(big.Int).Add(cost, promised)) < 0 {
		return fmt.Errorf("%w: %s holds %s on %s, of which they may take %s", chain.ErrGasPromised,
			s.wallet(), s.coins(acc.Balance), s.Network(), s.coins(promised))
	}
	return nil
}

// account reads the gas wallet. Of three voices the one in the middle says how many transactions it has made: with
// another's nonce a sweep is never included.
func (s *Sweeps) account(ctx context.Context, e *rpc.Endpoint) (acc rpc.Account, err error) {
	if acc, err = rpc.ReadAccount(ctx, e, s.signer.Address()); err != nil || s.pool.Size() < 3 {
		return acc, err
	}
	counts, pending := []uint64{acc.Nonce}, []uint64{acc.Pending}
	for _, o := range s.pool.Without(e.Name()) {
		err := s.pool.Try(ctx, o, func(ctx context.Context, o *rpc.Endpoint) error {
			other, err := rpc.ReadAccount(ctx, o, s.signer.Address())
			if err == nil {
				counts, pending = append(counts, other.Nonce), append(pending, other.Pending)
			}
			return err
		})
		if ctx.Err() != nil {
			return acc, err
		}
	}
	if len(counts) > 2 {
		slices.Sort(counts)
		slices.Sort(pending)
		acc.Nonce, acc.Pending = counts[len(counts)/2], pending[len(pending)/2]
	}
	return acc, nil
}

func (s *Sweeps) signed(p pricedTx, nonce uint64, now time.Time) (chain.Attempt, error) {
	id := s.chainID()
	tx, err := s.signer.SignTx(p.unsigned(id, nonce), id)
	if err != nil {
		return chain.Attempt{}, err
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		return chain.Attempt{}, fmt.Errorf("encode a transaction: %w", err)
	}
	return chain.Attempt{
		Tx: txHash(tx), Raw: raw, Nonce: nonce, From: s.wallet(), MadeAt: now,
		Fee: chain.Fee{
			Gas: p.gas, Price: money.NewUnits(p.fees.Max), Tip: money.NewUnits(p.fees.Tip),
			Ceiling: money.NewUnits(p.cost),
		},
	}, nil
}

// calldata encodes the call of the factory: one item for each address, with all
// its tokens. It refuses an item whose address is not the forwarder of the
// settlement, because the call would flush a different forwarder.
func (s *Sweeps) calldata(items []chain.SweepItem) ([]byte, error) {
	if len(items) == 0 {
		return nil, errors.New("a sweep of nothing")
	}
	var list []contracts.ForwarderFactoryItem
	index := make(map[chain.Address]int)
	for _, i := range items {
		token, err := s.token(i.Asset.Contract)
		if err != nil {
			return nil, err
		}
		at, known := index[i.Address.Address]
		if !known {
			item, err := s.item(i)
			if err != nil {
				return nil, err
			}
			at = len(list)
			index[i.Address.Address] = at
			list = append(list, item)
		}
		list[at].Tokens = append(list[at].Tokens, token)
	}
	return contracts.NewForwarderFactory().TryPackSweep(list)
}

func (s *Sweeps) item(i chain.SweepItem) (contracts.ForwarderFactoryItem, error) {
	derived, err := evm.NewDepositor(s.Network()).DepositAddress(i.Source(s.Network()))
	if err != nil {
		return contracts.ForwarderFactoryItem{}, err
	}
	if derived.Address != i.Address.Address {
		return contracts.ForwarderFactoryItem{}, fmt.Errorf("%s is not the forwarder of payment %s to %s",
			i.Address.Address, i.PaymentID, i.Settlement)
	}
	id, err := chain.ParseTxnID(i.PaymentID)
	if err != nil {
		return contracts.ForwarderFactoryItem{}, err
	}
	return contracts.ForwarderFactoryItem{
		Settlement: common.HexToAddress(string(i.Settlement)), Salt: contracts.Salt(id),
	}, nil
}

// token returns the address that stands for the asset in calls of the factory.
func (s *Sweeps) token(contract chain.Address) (common.Address, error) {
	if contract == "" {
		return contracts.NativeCoin, nil
	}
	w, err := chain.ParseAddress(s.Network(), string(contract))
	if err != nil {
		return common.Address{}, err
	}
	return common.Address(w.Raw), nil
}

// quote fills in gas, fees and cost; others says that transactions of the gas
// wallet are pending, which the sweep has to replace. verdict is a reason not to
// sweep, if all endpoints repeat it.
func (s *Sweeps) quote(
	ctx context.Context, e *rpc.Endpoint, p *pricedTx, previous []chain.Attempt, others bool,
) (verdict, err error) {
	if p.fees, err = s.fees(ctx, e); err != nil {
		return nil, err
	}
	if others && len(previous) == 0 {
		// What it pays is not known. It was likely made at about today's price.
		p.fees.Tip, p.fees.Max = bumped(p.fees.Tip), bumped(p.fees.Max)
	}
	if err := s.bid(&p.fees, previous); err != nil {
		return err, nil
	}
	if verdict, err = p.estimate(ctx, e); verdict != nil || err != nil {
		return verdict, err
	}
	return nil, s.setCost(ctx, e, p)
}

// bid raises the fees so that the transaction replaces the previous attempts,
// and caps them at the operator's ceiling.
func (s *Sweeps) bid(f *gasFees, previous []chain.Attempt) error {
	tip, most := new(big.Int).Set(f.Tip), new(big.Int).Set(f.Max)
	for _, a := range previous {
		tip, most = larger(tip, bumped(a.Fee.Tip.Big())), larger(most, bumped(a.Fee.Price.Big()))
	}
	least := larger(new(big.Int).Add(f.Base, tip), tip)
	for _, a := range previous {
		least = larger(least, bumped(a.Fee.Price.Big()))
	}
	if least.Cmp(s.maxPrice) > 0 {
		return fmt.Errorf("%w: %s gwei a unit on %s, and at most %s are allowed", chain.ErrTooExpensive,
			gweiText(least), s.Network(), gweiText(s.maxPrice))
	}
	f.Tip, f.Max = tip, larger(least, smaller(larger(most, least), s.maxPrice))
	return nil
}

// bumped returns the least fee that replaces another: an eighth more, rounded up.
func bumped(v *big.Int) *big.Int {
	up := new(big.Int).Mul(v, big.NewInt(bumpNumerator))
	up.Add(up, big.NewInt(bumpDenominator-1))
	return up.Div(up, big.NewInt(bumpDenominator))
}

func larger(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

func smaller(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// estimate runs the call on the node and sets the gas limit. A call that does
// not fit one transaction, or that reverts, is too large: the sweeper halves
// the batch until the item at fault is single.
func (p *pricedTx) estimate(ctx context.Context, e *rpc.Endpoint) (verdict, err error) {
	estimate, failed, err := p.estimateGas(ctx, e)
	if err != nil {
		return nil, err
	}
	if failed != nil {
		if rpc.Reverted(failed) {
			return fmt.Errorf("%w: %s", chain.ErrTooLarge, failed.Message), nil
		}
		return nil, rpc.CallError(failed)
	}
	if estimate > maxTxGas-tokenSpare {
		return chain.ErrTooLarge, nil
	}
	p.gas = min(estimate+estimate*sweepMargin/100+tokenSpare, maxTxGas)
	return nil, nil
}
