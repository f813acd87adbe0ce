package sender

import (
	"context"
	"errors"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/money"
)

// Track returns what became of the attempts. Those of one gas wallet share one nonce: at most one of them is included.
// Whether an attempt can still be included is decided by the nonce of the wallet that signed it.
func (s *Sweeps) Track(
	ctx context.Context, items []chain.SweepItem, attempts []chain.Attempt,
) (chain.SweepOutcome, error) {
	if len(attempts) == 0 {
		return chain.SweepOutcome{}, errors.New("track: a sweep without attempts")
	}
	groups, err := s.groups(attempts)
	if err != nil {
		return chain.SweepOutcome{}, fmt.Errorf("track: %w", err)
	}
	heads, err := s.reader.Heads(ctx)
	if err != nil {
		return chain.SweepOutcome{}, err
	}
	reports := make([]groupReport, len(groups))
	for i, g := range groups {
		r, err := s.track(ctx, g.tracked, s.final(heads), sweepEffect)
		if err != nil {
			return chain.SweepOutcome{}, err
		}
		reports[i] = groupReport{r, s.signedNow(g)}
	}
	return s.outcome(ctx, prevails(reports), items)
}

// sweepEffect is what a receipt says that was moved. Nodes may differ in the fees
// that they report, and in how they number logs.
func sweepEffect(r txReport) (any, error) {
	if r.receipt == nil {
		return nil, nil //nolint:nilnil // no receipt has no effect
	}
	receipt, _, err := parseSweepReceipt(r.receipt, r.tx)
	receipt.Receipt, receipt.paid = receipt.Unnumbered(), nil
	return receipt, err
}

// outcome reads from the receipt what the sweep cost and moved.
func (s *Sweeps) outcome(ctx context.Context, r txReport, items []chain.SweepItem) (chain.SweepOutcome, error) {
	outcome := chain.SweepOutcome{Status: r.status, Displaced: r.displaced}
	if r.status == chain.TxDropped {
		outcome.Note = "another transaction of the gas wallet took its place"
	}
	if r.receipt == nil {
		return outcome, nil
	}
	receipt, _, err := parseSweepReceipt(r.receipt, r.tx)
	if err != nil {
		return chain.SweepOutcome{}, err
	}
	outcome.Tx, outcome.Block, outcome.Paid = chain.TxHash(r.tx.String()), r.block, money.NewUnits(receipt.paid)
	if r.status == chain.TxReverted {
		outcome.Note = "the transaction failed as a whole"
	}
	if r.status != chain.TxFinal {
		return outcome, nil
	}
	result := sweepResult{sender: s, receipt: receipt, at: r.block}
	for _, i := range items {
		if err := result.add(ctx, i); err != nil {
			return chain.SweepOutcome{}, err
		}
	}
	outcome.Moved, outcome.Unmoved, outcome.Left = result.moved, result.unmoved, result.left
	return outcome, nil
}

// sweepResult collects what a sweep did with each item.
type sweepResult struct {
	sender  *Sweeps
	receipt sweepReceipt
	at      chain.Head
	moved   []chain.Moved
	unmoved []chain.Unmoved
	left    []chain.Moved
}

// add reads what became of one item.
func (o *sweepResult) add(ctx context.Context, i chain.SweepItem) error {
	moved, reason, err := o.flushed(ctx, i)
	if err != nil {
		return err
	}
	if reason != "" {
		o.unmoved = append(o.unmoved, chain.Unmoved{
			Address: i.Address.Address, Contract: i.Asset.Contract, Reason: reason,
		})
		return nil
	}
	if moved.Cmp(i.Expected) < 0 && !i.Rescue {
		holds, err := o.sender.reader.MostOf(ctx, i.Address.Address, i.Asset.Contract, o.at)
		if err != nil {
			return err
		}
		o.left = append(o.left, chain.Moved{Address: i.Address.Address, Contract: i.Asset.Contract, Units: holds})
	}
	if !moved.IsZero() {
		o.moved = append(o.moved, chain.Moved{Address: i.Address.Address, Contract: i.Asset.Contract, Units: moved})
	}
	return nil
}

// flushed sums the units that the logs of factory and token show as moved for
// the item; reason says why the item was not moved.
func (o *sweepResult) flushed(ctx context.Context, i chain.SweepItem) (moved money.Units, reason string, err error) {
	token, err := o.sender.token(i.Asset.Contract)
	if err != nil {
		return moved, "", err
	}
	settlement, err := chain.ParseAddress(o.sender.Network(), string(i.Settlement))
	if err != nil {
		return moved, "", err
	}
	holder, err := chain.ParseAddress(o.sender.Network(), string(i.Address.Address))
	if err != nil {
		return moved, "", err
	}
	forwarder := rpc.Address(holder.Raw)
	for _, f := range o.receipt.flushes {
		if f.forwarder != forwarder || f.token != rpc.Address(token) {
			continue
		}
		if f.failed {
			return money.Units{}, o.sender.refusal(ctx, f, rpc.Address(settlement.Raw)), nil
		}
		moved = moved.Add(money.NewUnits(f.units))
	}
	if i.Asset.Contract == "" || moved.IsZero() {
		return moved, "", nil
	}
	left, arrived := o.receipt.left(rpc.Address(token), forwarder, rpc.Address(settlement.Raw))
	if arrived.IsZero() {
		return money.Units{}, "the token reported a transfer that its log does not show", nil
	}
	if left.Cmp(moved) < 0 {
		moved = left
	}
	return moved, "", nil
}
