package payment

import (
	"time"

	"github.com/florinpay/florin/internal/ledger"
)

// Actor is the user or key that completes a payment by hand, and the reason.
type Actor struct {
	Name   string // for the timeline: "API key", or a user's e-mail
	Reason string
}

// MarkCompleted completes a payment by hand, whatever was received, and costs one
// query. A top-up is refused: it would mint credits.
func (p Payment) MarkCompleted(by Actor, now time.Time) (Change, error) {
	if p.Status == Completed {
		return Change{}, ErrCompleted
	}
	if p.Kind == KindTopUp {
		return Change{}, ErrNotByHand
	}
	c := Change{Payment: p}
	c.Entries = append(
		c.Entries, ledger.Spend(p.KeyID, ledger.Query, ledger.ReasonOperation, "complete:"+string(p.ID), now),
	)
	c.Payment.ByHand = true
	c.emit(EventMarked, now, note{By: by.Name, Reason: by.Reason})
	return c.complete(now).resolved(), nil
}

// Acceptable reports whether the owner may accept what was received as the whole:
// final money came, but it was short or late.
func (p Payment) Acceptable() bool {
	return p.Status != Completed && p.Kind != KindTopUp && !p.Received().IsZero()
}

// Accept completes a payment whose owner accepts short or late money. It costs
// nothing, since the credit was spent at the start, except where a stranger's
// payment gave its credit back.
func (p Payment) Accept(by Actor, now time.Time) (Change, error) {
	switch {
	case p.Status == Completed:
		return Change{}, ErrCompleted
	case p.Kind == KindTopUp:
		return Change{}, ErrNotByHand
	case p.Received().IsZero():
		return Change{}, ErrNoMoney
	}
	c := Change{Payment: p}
	if p.ByStranger() && !p.Held {
		c.Entries = append(
			c.Entries, ledger.Spend(p.KeyID, ledger.Credit, ledger.ReasonStart, "accept:"+string(p.ID), now),
		)
	}
	c.Payment.ByHand = true
	c.emit(EventAccepted, now, note{By: by.Name, Reason: by.Reason})
	return c.complete(now).resolved(), nil
}

// Resolve records that the owner has settled what needed attention in another way,
// such as by sending money back. It fails with ErrNothingToResolve otherwise.
func (p Payment) Resolve(by Actor, now time.Time) (Change, error) {
	if len(p.Attention()) == 0 {
		return Change{}, ErrNothingToResolve
	}
	c := Change{Payment: p}
	c.emit(EventResolved, now, note{By: by.Name, Reason: by.Reason})
	return c.resolved(), nil
}

// resolved marks everything that has happened so far as settled by the owner.
func (c Change) resolved() Change {
	c.Payment.Resolved = c.Payment.Seq
	return c
}
