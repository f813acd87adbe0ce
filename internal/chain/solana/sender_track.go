package solana

import (
	"context"
	"errors"
	"fmt"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/effect"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
	"github.com/florinpay/florin/internal/money"
)

// Track reports what became of the attempts. They are dropped when no endpoint knows any of them and the
// finalized block is past the last height at which they could be included.
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
	var seen chain.SweepOutcome
	var by *endpoint
	err = s.adapter.pool.do(ctx, func(ctx context.Context, e *endpoint) (err error) {
		by = e
		seen, err = s.trackThrough(ctx, e, plan, attempts)
		return err
	})
	if err != nil {
		return chain.SweepOutcome{}, fmt.Errorf("track %s on %s: %w", attempts[len(attempts)-1].Tx, s.Network(), err)
	}
	if seen.Status == chain.TxDropped {
		seen = s.confirmDropped(ctx, seen, by, plan, attempts)
	}
	return seen, nil
}

// trackThrough tracks through one endpoint. Several nodes may serve its address, so answers are only compared by
// the slots and heights within them: an attempt is dropped when the chain is past its last height, and a node that
// is past that point too does not know the signature, twice.
func (s *Sender) trackThrough(
	ctx context.Context, e *endpoint, p *sweepPlan, attempts []chain.Attempt,
) (chain.SweepOutcome, error) {
	end, err := e.Progress(ctx)
	if err != nil {
		return chain.SweepOutcome{}, err
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

// confirmDropped checks with the other endpoints attempts that one of them considers dropped. An endpoint that
// has lost its index must not decide alone: if there are others, at least one must agree and none may know
// the attempts.
func (s *Sender) confirmDropped(
	ctx context.Context, first chain.SweepOutcome, by *endpoint, p *sweepPlan, attempts []chain.Attempt,
) chain.SweepOutcome {
	agreed := len(s.adapter.pool.endpoints) == 1
	for _, e := range s.adapter.pool.without(by.Name) {
		var seen chain.SweepOutcome
		err := s.adapter.pool.try(ctx, e, func(ctx context.Context, e *endpoint) (err error) {
			seen, err = s.trackThrough(ctx, e, p, attempts)
			return err
		})
		if err == nil && seen.Status != chain.TxDropped {
			return seen
		}
		agreed = agreed || err == nil
	}
	if !agreed {
		return chain.SweepOutcome{Status: chain.TxUnknown}
	}
	return first
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
	changes := make(map[string]effect.Change)
	for _, c := range t.Changes() {
		changes[c.Account] = c
	}
	for _, l := range p.legs {
		c := changes[l.account.String()]
		if l.native() {
			c = t.CoinsOf(l.account)
		}
		if c.Before > c.After {
			seen.Moved = append(seen.Moved, chain.Moved{
				Address: l.Address.Address, Contract: l.Asset.Contract,
				Units: money.UnitsFromUint64(c.Before - c.After),
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
