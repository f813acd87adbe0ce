package payment

import (
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
)

// creditTopUp posts the credits that the final money of a top-up is worth and
// that were not posted yet. It is the only place where credits are sold, so
// money buys the same whether it comes at once or in parts, in time or late.
func (c Change) creditTopUp(now time.Time) Change {
	p := &c.Payment
	entry, ok := ledger.TopUp(p.KeyID, string(p.ID), p.Received().Micros(), p.Credited, now)
	if ok {
		p.Credited += entry.Count
		c.Entries = append(c.Entries, entry)
	}
	return c
}

// buys returns how many whole credits the final money is worth.
func (p Payment) buys() int64 { return ledger.Bought(p.Received().Micros()) }

// lateTopUp reports whether a top-up that ended unpaid has received money since.
// The operator has the money, so it buys the credits it is worth.
func (p Payment) lateTopUp() bool {
	return p.Kind == KindTopUp && (p.Status == Expired || p.Status == Cancelled) && p.buys() > 0
}

// topUpHolds reports whether the transfer came to an address of the top-up. An
// EVM address is the same on every EVM network, and so is the forwarder at it.
func (p Payment) topUpHolds(t chain.Transfer) bool {
	return slices.ContainsFunc(p.Routes, func(r Route) bool {
		return r.Address.Address == t.To && r.Network.SharesAddresses(t.Network)
	})
}
