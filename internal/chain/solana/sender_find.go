package solana

import (
	"context"
	"slices"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
	"github.com/florinpay/florin/internal/money"
)

// FindSweeps returns the final transactions in slots from the given one on that moved tokens of the items from their
// addresses to their settlement wallets, the oldest first: sweeps that a restored database does not know. Only the
// history of an account that holds less than expected is read. Where there are two endpoints, both must report them.
func (s *Sender) FindSweeps(ctx context.Context, items []chain.SweepItem, from uint64) ([]chain.SweepOutcome, error) {
	p, err := s.plan(items)
	if err != nil {
		return nil, err
	}
	var found []chain.SweepOutcome
	var source string
	read := func(ctx context.Context, e *endpoint) (err error) {
		source = e.Name
		found, err = e.findSweeps(ctx, p, from)
		return err
	}
	if err := s.adapter.pool.do(ctx, read); err != nil || len(found) == 0 || s.adapter.pool.size() == 1 {
		return found, err
	}
	first := found
	if err := s.adapter.pool.tryEach(ctx, s.adapter.pool.without(source), read); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(first, func(o chain.SweepOutcome) bool {
		return !slices.ContainsFunc(found, func(f chain.SweepOutcome) bool {
			return f.Tx == o.Tx && slices.EqualFunc(f.Moved, o.Moved, func(a, b chain.Moved) bool {
				return a.Address == b.Address && a.Contract == b.Contract && a.Units.Cmp(b.Units) == 0
			})
		})
	}), nil
}

// findSweeps is FindSweeps through one endpoint.
func (e *endpoint) findSweeps(ctx context.Context, p *sweepPlan, from uint64) (found []chain.SweepOutcome, err error) {
	final, err := e.Slot(ctx, rpc.Finalized)
	if err != nil {
		return nil, err
	}
	var legs []paymentLeg
	for _, l := range p.legs {
		held, err := e.Holdings(ctx, []solanago.PublicKey{l.account}, final)
		if err != nil {
			return nil, err
		}
		if l.known && money.UnitsFromUint64(held[0].Amount).Cmp(l.Expected) < 0 {
			for _, key := range l.keys() {
				legs = append(legs, paymentLeg{SweepItem: l.SweepItem, From: key, To: l.settlement})
			}
		}
	}
	paid, err := paymentsOf(ctx, e.Client, legs, from, final)
	for _, t := range paid {
		block, err := newCache(e).head(ctx, t.Slot)
		if err != nil {
			return nil, err
		}
		found = append(found, chain.SweepOutcome{
			Status: chain.TxFinal, Tx: t.Tx, Block: block, Paid: t.Paid, Moved: t.Moved,
		})
	}
	return found, err
}
