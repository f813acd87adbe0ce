package sender

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/money"
)

const (
	// sweepMargin is what is asked for beyond the estimate, in per cent:
	// settlement wallets and tokens may change until the block.
	sweepMargin = 10
	// tokenSpare is what the factory wants in hand before each token, so that
	// a token cannot be starved of gas and look like a bad one. A node that
	// estimates what is used, not what is needed, leaves it out. What is not
	// used is not paid.
	tokenSpare = 320_000
	// A replacement must pay more by a tenth to be taken by any node, by an
	// eighth by some.
	bumpNumerator, bumpDenominator = 9, 8
)

// Sign builds and signs the transaction that sweeps the items. It asks the
// network for the price of gas, the nonce and the gas it takes; it sends
// nothing.
func (s *Sweeps) Sign(ctx context.Context, items []chain.SweepItem, previous []chain.Attempt, now time.Time) (chain.Attempt, error) {
	data, err := s.calldata(items)
	if err != nil {
		return chain.Attempt{}, err
	}
	heads, err := s.reader.Heads(ctx)
	if err != nil {
		return chain.Attempt{}, err
	}
	factory := contracts.FactoryAddress()
	p := pricedTx{txRequest: txRequest{from: s.signer.Address(), to: &factory, data: data}}
	var acc rpc.Account
	var verdict error
	err = s.pool.Do(ctx, func(ctx context.Context, e *rpc.Endpoint) (err error) {
		if err = rpc.RequireBlock(ctx, e, s.final(heads).Number); err != nil {
			return err
		}
		if acc, err = rpc.ReadAccount(ctx, e, p.from); err != nil {
			return err
		}
		verdict, err = s.quote(ctx, e, &p, previous)
		return err
	})
	if err = errors.Join(err, verdict); err != nil {
		return chain.Attempt{}, fmt.Errorf("sweep on %s: %w", s.Network(), err)
	}
	nonce := acc.Nonce
	switch {
	case len(previous) > 0:
		nonce = previous[0].Nonce
	case acc.Pending > acc.Nonce:
		return chain.Attempt{}, s.errWaiting(acc)
	}
	if acc.Balance.Cmp(p.cost) < 0 {
		return chain.Attempt{}, fmt.Errorf("%w: %s holds %s on %s, and the sweep takes up to %s", chain.ErrNoGas,
			s.wallet(), s.wei(acc.Balance), s.Network(), s.wei(p.cost))
	}
	return s.signed(p, nonce, now)
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
		Tx: txHash(tx), Raw: raw, Nonce: nonce, MadeAt: now,
		Fee: chain.Fee{Gas: p.gas, Price: money.NewUnits(p.fees.Max), Tip: money.NewUnits(p.fees.Tip), Ceiling: money.NewUnits(p.cost)},
	}, nil
}

// calldata encodes the call of the factory, an item for each address with all
// its tokens. It refuses an item whose address is not the forwarder of the
// settlement: the call would flush another one.
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
	settlement, err := chain.ParseAddress(s.Network(), string(i.Settlement))
	if err != nil {
		return contracts.ForwarderFactoryItem{}, err
	}
	if i.Number < 1 {
		return contracts.ForwarderFactoryItem{}, fmt.Errorf("payment number %d", i.Number)
	}
	salt := contracts.Salt(uint64(i.Number), s.instance)
	forwarder := contracts.ForwarderAddress(contracts.FactoryAddress(), common.Address(settlement.Raw), salt)
	if s.text(rpc.Address(forwarder)) != i.Address.Address {
		return contracts.ForwarderFactoryItem{}, fmt.Errorf("%s is not the forwarder of payment %s to %s",
			i.Address.Address, i.PaymentID, i.Settlement)
	}
	return contracts.ForwarderFactoryItem{Settlement: common.Address(settlement.Raw), Salt: salt}, nil
}

// token returns what the factory knows the asset by.
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

// quote fills in gas, fees and cost. Its verdict is a reason not to sweep that
// another endpoint would give too.
func (s *Sweeps) quote(ctx context.Context, e *rpc.Endpoint, p *pricedTx, previous []chain.Attempt) (verdict, err error) {
	if p.fees, err = s.fees(ctx, e); err != nil {
		return nil, err
	}
	if err := s.bid(&p.fees, previous); err != nil {
		return err, nil
	}
	if verdict, err = p.estimate(ctx, e); verdict != nil || err != nil {
		return verdict, err
	}
	extra, err := s.extraFee(ctx, e, p.size(), p.gas)
	if err != nil {
		return nil, err
	}
	p.cost = new(big.Int).Mul(p.fees.Max, new(big.Int).SetUint64(p.gas))
	p.cost.Add(p.cost, extra)
	return nil, nil
}

// bid makes what is offered enough to replace the attempts before, and no more
// than the operator allows.
func (s *Sweeps) bid(f *Fees, previous []chain.Attempt) error {
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
			money.NewUnits(least).Format(gweiDecimals), s.Network(), money.NewUnits(s.maxPrice).Format(gweiDecimals))
	}
	f.Tip, f.Max = tip, larger(least, smaller(larger(most, least), s.maxPrice))
	return nil
}

// gweiDecimals is the scale of gwei in wei.
const gweiDecimals = 9

// bumped returns what replaces an offer: an eighth more, rounded up.
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

// estimate has the node try the call and sets the gas limit. A call that does
// not fit one transaction, or that fails as a whole, is too large: the sweeper
// halves it until what is to blame is alone.
func (p *pricedTx) estimate(ctx context.Context, e *rpc.Endpoint) (verdict, err error) {
	replies, err := e.Ask(ctx, rpc.NewCall("eth_estimateGas", p.object()))
	if err != nil {
		return nil, err
	}
	if failed := replies[0].Err; failed != nil {
		if reverts(failed) {
			return fmt.Errorf("%w: %s", chain.ErrTooLarge, failed.Message), nil
		}
		return nil, rpc.CallError(failed)
	}
	estimate, ok := rpc.ParseNumber(replies[0].Result)
	if !ok {
		return nil, rpc.Malformed("eth_estimateGas")
	}
	if estimate > maxTxGas-tokenSpare {
		return chain.ErrTooLarge, nil
	}
	p.gas = min(estimate+estimate*sweepMargin/100+tokenSpare, maxTxGas)
	return nil, nil
}

// codeReverted is the code of an execution that was reverted, in geth and its
// kin.
const codeReverted = 3

// reverts reports whether the node tried the call and it failed, rather than
// the node.
func reverts(e *rpc.Error) bool {
	text := strings.ToLower(e.Message)
	return e.Code == codeReverted || strings.Contains(text, "revert") || strings.Contains(text, "out of gas") ||
		strings.Contains(text, "gas required exceeds")
}
