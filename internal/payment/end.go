package payment

import (
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
)

// Coverage is, for each network, the time of the chain's clock up to which every
// final block was scanned and the balances of the payment's addresses held
// nothing but recorded deposits. A network that is not in it is not read at all.
type Coverage map[chain.Network]time.Time

// BlindWait is how long a payment whose time has run out waits for a network that cannot say whether it was paid. What
// the network shows later is late money.
const BlindWait = time.Hour

// WaitsFor reports whether the payment still waits for networks that cannot say whether it was paid. Time in which the
// program did not run, which began at the time given, does not count.
func (p Payment) WaitsFor(began, now time.Time) bool {
	return now.Before(later(p.ExpiresAt, began).Add(BlindWait))
}

// Expire ends a payment whose time has run out. A started payment expires only
// when every network of its routes is covered up to that time, and every other
// network that can be read and where its money counts. So a network that cannot be read
// delays the expiry of its own payments; incoming money delays it too. A payment
// that must not expire yet is returned unchanged.
func (p Payment) Expire(covered Coverage, now time.Time) (Change, error) {
	c := Change{Payment: p}
	if p.Status.Final() || now.Before(p.ExpiresAt) || p.hasIncoming() {
		return c, nil
	}
	for _, r := range p.Routes {
		if covered[r.Network].Before(p.ExpiresAt) {
			return c, nil
		}
		for _, also := range r.Also {
			if until, read := covered[also.Network]; read && until.Before(p.ExpiresAt) {
				return c, nil
			}
		}
	}
	if p.Kind == KindTopUp && p.buys() > 0 {
		return c.complete(now), nil // short, but worth some credits
	}
	c = c.expire(now)
	p.Asked = 0 // that it ended short is news, although the payer has asked
	return c.alert(p, now), nil
}

// expire ends the payment without enough money.
func (c Change) expire(now time.Time) Change {
	c.Payment.Status, c.Payment.EndedAt = Expired, now
	c = c.unhold(now)
	c.emit(EventExpired, now, nil)
	return c
}

// Resume extends the payer's time by an outage of the network, which lasted from
// from until to. The same outage extends it once.
func (p Payment) Resume(from, to, now time.Time) (Change, error) {
	c := Change{Payment: p}
	from = later(later(from, p.StartedAt), p.ResumedAt)
	if p.Status != Started || !from.Before(to) || !from.Before(p.ExpiresAt) {
		return c, nil
	}
	c.Payment.ExpiresAt = p.ExpiresAt.Add(to.Sub(from))
	c.Payment.ResumedAt = to
	c.emit(EventResumed, now, note{Until: c.Payment.ExpiresAt.UTC().Format(TimeFormat)})
	return c, nil
}

// Cancel ends a payment without received or incoming money.
func (p Payment) Cancel(now time.Time) (Change, error) {
	if p.Status.Final() {
		return Change{}, ErrEnded
	}
	if !p.Received().IsZero() || p.hasIncoming() {
		return Change{}, ErrMoneyReceived
	}
	c := Change{Payment: p}
	c.Payment.Status, c.Payment.EndedAt = Cancelled, now
	c = c.unhold(now)
	c.emit(EventCancelled, now, nil)
	return c, nil
}

// complete ends the payment as paid and credits a top-up.
func (c Change) complete(now time.Time) Change {
	p := &c.Payment
	p.Status, p.EndedAt, p.Choice = Completed, now, p.paidBy()
	c = c.unhold(now)
	p = &c.Payment
	if p.Kind == KindTopUp {
		c = c.creditTopUp(now)
	}
	c.emit(EventCompleted, now, nil)
	return c
}

// unhold spends the held credit of a payment that completes, and gives it back if
// the payment ends otherwise: whatever a stranger sends short of the amount, it
// costs the merchant nothing. One that gave its credit back before takes another if
// it completes, and if there is one: no money goes unseen for want of a credit.
func (c Change) unhold(now time.Time) Change {
	p := &c.Payment
	held, unheld := p.Held, p.Unheld
	p.Held, p.Unheld, p.Near = false, false, ""
	ref := "end:" + string(p.ID)
	switch {
	case held && p.Status == Completed:
		c.Entries = append(c.Entries, ledger.Settle(p.KeyID, ref, now))
	case held:
		p.Unheld = true // money that comes later may complete it
		c.Entries = append(c.Entries, ledger.Release(p.KeyID, ref, now))
	case unheld && p.Status != Completed:
		p.Unheld = true
	case unheld:
		spend := ledger.Spend(p.KeyID, ledger.Credit, ledger.ReasonStart, "paid:"+string(p.ID), now)
		spend.IfLeft = true
		c.Entries = append(c.Entries, spend)
	}
	return c
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
