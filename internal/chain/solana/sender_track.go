package solana

import (
	"context"
	"errors"
	"fmt"
	"slices"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
	"github.com/florinpay/florin/internal/money"
)

// Track reports what became of the attempts. They are dropped when endpoints know none of them and the finalized block
// is past the last height at which they could be included. What is reported is what a quorum of endpoints say
// (chain.Tracking).
func (s *Sender) Track(
	ctx context.Context, items []chain.SweepItem, attempts []chain.Attempt,
) (chain.SweepOutcome, error) {
	if len(attempts) == 0 {
		return chain.SweepOutcome{}, errors.New("track: a sweep without attempts")
	}
	plan, err := s.plan(items)
	if err != nil {
		return chain.SweepOutcome{}, err
	}
	seen, ended, err := chain.Tracking[*endpoint, sweepReport]{
		Read: func(e *endpoint) (r sweepReport, err error) {
			r.by = e
			err = s.adapter.pool.try(ctx, e, func(ctx context.Context, e *endpoint) (err error) {
				r.SweepOutcome, err = s.trackThrough(ctx, e, plan, attempts)
				return err
			})
			return r, e.named(err)
		},
		Status: func(r sweepReport) chain.TxStatus { return r.Status },
		Same:   func(a, b sweepReport) bool { return a.same(b.SweepOutcome) },
		Support: func(dropped, included sweepReport) chain.Support {
			return s.support(ctx, dropped.by, included.SweepOutcome, plan)
		},
	}.Track(s.adapter.pool.voices(), s.adapter.pool.size())
	switch {
	case gaveUp(ctx):
		return chain.SweepOutcome{}, ctx.Err()
	case err != nil:
		return chain.SweepOutcome{}, fmt.Errorf("track %s on %s: %w", attempts[len(attempts)-1].Tx, s.Network(), err)
	case !ended:
		return chain.SweepOutcome{
			Status: chain.Downgraded(seen.Status), Tx: seen.Tx, Block: seen.Block, Paid: seen.Paid,
		}, nil
	}
	return seen.SweepOutcome, nil
}

// sweepReport is what one endpoint reports of a sweep.
type sweepReport struct {
	chain.SweepOutcome
	by *endpoint
}

// same reports whether two endpoints saw the same block and the same effect. The reasons why an account was left out
// are read from its present state, so they may differ.
func (r sweepReport) same(o chain.SweepOutcome) bool {
	return r.Tx == o.Tx && r.Block.Hash == o.Block.Hash && slices.EqualFunc(r.Moved, o.Moved,
		func(a, b chain.Moved) bool {
			return a.Address == b.Address && a.Contract == b.Contract && a.Units.Cmp(b.Units) == 0
		})
}

// support asks an endpoint that does not know the status of an attempt for the transaction itself.
func (s *Sender) support(ctx context.Context, e *endpoint, included chain.SweepOutcome, p *sweepPlan) chain.Support {
	final := &rpc.TxStatus{Slot: included.Block.Number, Confirmation: rpc.Finalized}
	var again chain.SweepOutcome
	var missing bool
	err := s.adapter.pool.try(ctx, e, func(ctx context.Context, e *endpoint) error {
		tx, err := e.Transaction(ctx, string(included.Tx))
		if missing = err == nil && tx == nil; missing || err != nil {
			return err
		}
		again, err = s.included(ctx, e, p, string(included.Tx), final)
		return err
	})
	switch {
	case err != nil:
		return chain.Unsure
	case missing:
		return chain.Refutes
	case again.Status == included.Status && (sweepReport{SweepOutcome: again}).same(included):
		return chain.Backs
	}
	return chain.Unsure // it has the transaction, in another block or with another effect
}

// trackThrough tracks through one endpoint. Several nodes may serve its address, so answers are only compared by
// the slots and heights within them: an attempt is dropped when the chain is past its last height, and a node that
// is past that point too does not know the signature, twice.
func (s *Sender) trackThrough(
	ctx context.Context, e *endpoint, p *sweepPlan, attempts []chain.Attempt,
) (chain.SweepOutcome, error) {
	end, unknown := e.Progress(ctx) // it must be read first; what is in a block is so without it
	if gaveUp(ctx) {
		return chain.SweepOutcome{}, ctx.Err()
	}
	signatures, until := make([]string, len(attempts)), uint64(0)
	for i, a := range attempts {
		signatures[i], until = string(a.Tx), max(until, a.Until)
	}
	for range 2 {
		statuses, slot, err := e.StatusesAt(ctx, signatures)
		if err != nil {
			return chain.SweepOutcome{}, err
		}
		for _, signature := range signatures {
			switch st := statuses[signature]; {
			case st == nil:
			case st.Included():
				return s.included(ctx, e, p, signature, st)
			default:
				return chain.SweepOutcome{Status: chain.TxPending}, nil
			}
		}
		if unknown != nil {
			return chain.SweepOutcome{}, unknown
		}
		if slot < end.Slot {
			return chain.SweepOutcome{}, rpc.Lagging("statuses are of slot %d, and %d is final", slot, end.Slot)
		}
		if !past(end, until, slot) {
			return chain.SweepOutcome{Status: chain.TxUnknown}, nil
		}
	}
	return chain.SweepOutcome{Status: chain.TxDropped, Note: "its blockhash expired before it was included"}, nil
}

// deadMargin is how many slots a node must be past the last slot at which a transaction could be included before
// its not knowing the signature counts.
const deadMargin = 16

// past reports whether the chain is past the height, and a node at the slot is past it by deadMargin. The height
// is reached at least as many slots before p.Slot as p.Height is above it.
func past(p rpc.Progress, height, slot uint64) bool {
	if p.Height <= height {
		return false
	}
	last := p.Slot - (p.Height - height - 1)
	return slot >= last+deadMargin
}

// included reports the effects of a transaction that is in a block.
func (s *Sender) included(
	ctx context.Context, e *endpoint, p *sweepPlan, signature string, st *rpc.TxStatus,
) (chain.SweepOutcome, error) {
	r := newCache(e)
	t, err := r.transaction(ctx, signature)
	if err != nil {
		return chain.SweepOutcome{}, err
	}
	seen := chain.SweepOutcome{Status: chain.TxIncluded, Tx: chain.TxHash(signature), Paid: t.Paid()}
	if seen.Block, err = r.head(ctx, t.Slot); err != nil || !st.Final() {
		return seen, err
	}
	if t.Failed() {
		seen.Status, seen.Note = chain.TxReverted, "the transaction failed as a whole: "+e.Redact(string(t.Meta.Err))
		return seen, nil
	}
	if _, err := e.resolve(ctx, p); err != nil {
		return chain.SweepOutcome{}, err
	}
	seen.Status = chain.TxFinal
	changes := make(map[string]rpc.Change)
	for _, c := range t.Changes() {
		changes[c.Account] = c
	}
	for _, l := range p.legs {
		var before, after uint64
		for _, key := range l.keys() {
			c := changes[key.String()]
			if l.native() {
				c = t.CoinsOf(key)
			}
			before, after = before+c.Before, after+c.After
		}
		if before > after {
			seen.Moved = append(seen.Moved, chain.Moved{
				Address: l.Address.Address, Contract: l.Asset.Contract, Units: money.UnitsFromUint64(before - after),
			})
			continue
		}
		reason, err := e.whyUnmoved(ctx, l)
		if err != nil {
			return chain.SweepOutcome{}, err
		}
		if reason != "" {
			seen.Unmoved = append(
				seen.Unmoved, chain.Unmoved{Address: l.Address.Address, Contract: l.Asset.Contract, Reason: reason},
			)
		}
	}
	return seen, nil
}

// whyUnmoved returns the reason for which an item was left out.
func (e *endpoint) whyUnmoved(ctx context.Context, l *leg) (string, error) {
	got, _, err := e.Accounts(ctx, []solanago.PublicKey{l.account, l.wallet, l.settlement}, 0)
	if err != nil {
		return "", err
	}
	held, err := l.holds(got[0])
	if err != nil {
		return "", err
	}
	return l.refusal(held, got[1], got[2])
}
