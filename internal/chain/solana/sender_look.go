package solana

import (
	"context"
	"errors"
	"fmt"
	"slices"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
)

// Look tells what became of the attempts. They are dead when no endpoint knows
// any of them and the finalized block is past the last height at which they
// could land.
func (s *Sender) Look(ctx context.Context, items []settlement.Item, attempts []settlement.Attempt) (settlement.Sighting, error) {
	if len(attempts) == 0 {
		return settlement.Sighting{}, errors.New("look: a sweep without attempts")
	}
	plan, err := s.plan(items)
	if err != nil {
		return settlement.Sighting{}, err
	}
	var seen settlement.Sighting
	var by *endpoint
	err = s.adapter.pool.do(ctx, func(ctx context.Context, e *endpoint) (err error) {
		by = e
		seen, err = s.look(ctx, e, plan, attempts)
		return err
	})
	if err != nil {
		return settlement.Sighting{}, fmt.Errorf("look for %s on %s: %w", attempts[len(attempts)-1].Tx, s.Network(), err)
	}
	if seen.Seen == settlement.Dead {
		seen = s.seconded(ctx, seen, by, plan, attempts)
	}
	return seen, nil
}

// look asks one endpoint. The height is read before the signatures: what could
// land until then has landed, and is known to a node that is as far. Behind one
// address there are several, so each says how far it is.
func (s *Sender) look(ctx context.Context, e *endpoint, p *sweepPlan, attempts []settlement.Attempt) (settlement.Sighting, error) {
	var height uint64
	if err := e.ask(ctx, &height, "getBlockHeight", options{"commitment": finalized}); err != nil {
		return settlement.Sighting{}, err
	}
	final, err := e.slot(ctx, finalized)
	if err != nil {
		return settlement.Sighting{}, err
	}
	signatures, until := make([]string, len(attempts)), uint64(0)
	for i, a := range attempts {
		signatures[i], until = string(a.Tx), max(until, a.Until)
	}
	statuses, told, err := e.statusesAt(ctx, signatures)
	if err != nil {
		return settlement.Sighting{}, err
	}
	for _, signature := range signatures {
		switch st := statuses[signature]; {
		case st == nil:
		case st.included():
			return s.included(ctx, e, p, signature, st)
		default:
			return settlement.Sighting{Seen: settlement.Pooled}, nil
		}
	}
	if told < final {
		return settlement.Sighting{}, lagging("statuses are of slot %d, and %d is final", told, final)
	}
	if height > until {
		return settlement.Sighting{Seen: settlement.Dead, Note: "its blockhash expired before it was included"}, nil
	}
	return settlement.Sighting{Seen: settlement.Unknown}, nil
}

// seconded is what the other endpoints tell of attempts that one says can land
// no more: one that has lost its index must not decide alone while there are
// others, so one of them must say the same, and none may know better.
func (s *Sender) seconded(ctx context.Context, told settlement.Sighting, by *endpoint, p *sweepPlan, attempts []settlement.Attempt) settlement.Sighting {
	agreed := len(s.adapter.pool.endpoints) == 1
	for _, e := range s.adapter.pool.without(by.name) {
		var seen settlement.Sighting
		err := s.adapter.pool.try(ctx, e, func(ctx context.Context, e *endpoint) (err error) {
			seen, err = s.look(ctx, e, p, attempts)
			return err
		})
		if err == nil && seen.Seen != settlement.Dead {
			return seen
		}
		agreed = agreed || err == nil
	}
	if !agreed {
		return settlement.Sighting{Seen: settlement.Unknown}
	}
	return told
}

// included tells what a transaction that is in a block did.
func (s *Sender) included(ctx context.Context, e *endpoint, p *sweepPlan, signature string, st *status) (settlement.Sighting, error) {
	r := newReading(e)
	t, err := r.transaction(ctx, signature)
	if err != nil {
		return settlement.Sighting{}, err
	}
	seen := settlement.Sighting{Seen: settlement.Included, Tx: chain.TxHash(signature), Paid: t.paid()}
	if seen.Block, err = r.head(ctx, t.Slot); err != nil || !st.final() {
		return seen, err
	}
	if t.failed() {
		seen.Seen, seen.Note = settlement.Reverted, "the transaction failed as a whole: "+e.redact(string(t.Meta.Err))
		return seen, nil
	}
	if _, err := e.resolve(ctx, p); err != nil {
		return settlement.Sighting{}, err
	}
	seen.Seen = settlement.Landed
	changes := make(map[string]change)
	for _, c := range t.changes() {
		changes[c.account] = c
	}
	for _, l := range p.loads {
		c := changes[l.account.String()]
		if l.native() {
			c = t.coinsOf(l.account)
		}
		if c.before > c.after {
			seen.Moved = append(seen.Moved, settlement.Moved{
				Address: l.Address.Address, Contract: l.Asset.Contract, Units: money.UnitsFromUint64(c.before - c.after),
			})
			continue
		}
		reason, err := e.whyLeft(ctx, l)
		if err != nil {
			return settlement.Sighting{}, err
		}
		if reason != "" {
			seen.Unmoved = append(seen.Unmoved, settlement.Unmoved{Address: l.Address.Address, Contract: l.Asset.Contract, Reason: reason})
		}
	}
	return seen, nil
}

// paid returns what the transaction cost its payer: the fee, and what it put
// into accounts that it made. Rent that came back from accounts it closed is
// not taken off: others paid that, and sweeping cannot count on it.
func (t *transaction) paid() money.Units {
	cost := t.Meta.Fee
	for i := range min(len(t.Meta.PreBalances), len(t.Meta.PostBalances)) {
		if i > 0 && t.Meta.PreBalances[i] == 0 && t.Meta.PostBalances[i] > 0 && t.isToken(i) {
			cost += uint64(t.Meta.PostBalances[i])
		}
	}
	return money.UnitsFromUint64(cost)
}

// isToken reports whether the account is a token account after the transaction.
func (t *transaction) isToken(index int) bool {
	return slices.ContainsFunc(t.Meta.PostTokens, func(b tokenBalance) bool { return b.AccountIndex == index })
}

// coinsOf returns what the transaction did to the lamports of an account.
func (t *transaction) coinsOf(key solanago.PublicKey) change {
	for i, k := range t.keys {
		if k == key.String() && i < len(t.Meta.PreBalances) && i < len(t.Meta.PostBalances) {
			return change{index: i, account: k, before: uint64(t.Meta.PreBalances[i]), after: uint64(t.Meta.PostBalances[i])}
		}
	}
	return change{}
}

// whyLeft tells why an item was left out.
func (e *endpoint) whyLeft(ctx context.Context, l *load) (string, error) {
	held, err := e.holdings(ctx, []solanago.PublicKey{l.account}, 0)
	if err != nil {
		return "", err
	}
	if held[0].frozen {
		return frozenNote, nil
	}
	return "", nil
}
