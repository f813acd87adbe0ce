package simulation

import (
	"slices"

	"github.com/florinpay/florin/internal/payment"
)

// some reports whether a payment was last seen so.
func (w *world) some(is func(payment.Payment) bool) bool {
	for _, p := range w.last {
		if is(p) {
			return true
		}
	}
	return false
}

// started: a payment has an address.
func (w *world) started() bool {
	return w.some(func(p payment.Payment) bool { return len(p.Routes) > 0 })
}

// due: a payment's time is over.
func (w *world) due() bool {
	return w.some(func(p payment.Payment) bool { return !p.Status.Final() && !w.clock.Before(p.ExpiresAt) })
}

// sweepable: money waits to be swept, or is being swept.
func (w *world) sweepable() bool {
	return len(w.sweeping) > 0 || w.some(func(p payment.Payment) bool {
		return slices.ContainsFunc(p.Deposits, func(d payment.Deposit) bool {
			return d.State == payment.DepositFinal && !d.Swept
		})
	})
}

// ending: an event was not accepted yet.
func (w *world) ending() bool {
	return w.some(func(p payment.Payment) bool {
		return p.Kind == payment.KindMerchant && p.Status.Final() && w.inbox.newest[p.ID] == 0 ||
			w.inbox.refused[p.ID]
	})
}

// unsent: a payment ended unpaid, and nothing was sent about it.
func (w *world) unsent() bool {
	return w.some(func(p payment.Payment) bool {
		return p.Kind == payment.KindMerchant && w.inbox.newest[p.ID] == 0 &&
			(p.Status == payment.Expired || p.Status == payment.Cancelled)
	})
}

// recharging: a recharge was signed.
func (w *world) recharging() bool { return len(w.transfers) > 0 }
