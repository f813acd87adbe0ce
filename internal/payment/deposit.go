package payment

import (
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// DepositState says whether the chain still can take a deposit back.
type DepositState string

// The states of a deposit.
const (
	DepositSeen     DepositState = "SEEN"     // on the chain, may still vanish
	DepositFinal    DepositState = "FINAL"    // final by the network's rule: it is credited
	DepositVanished DepositState = "VANISHED" // was seen, and the chain took it back
)

// Deposit is a transfer to one of a payment's addresses. Its identity is
// Transfer.ID; amount, sender and block are attributes, which a reorg may change.
type Deposit struct {
	Transfer chain.Transfer
	State    DepositState
	// Rechecked: found again after the chain finalized its block, so it can
	// never vanish. Where the network credits earlier, a deposit is FINAL first.
	Rechecked bool
	// Late: first seen, or back in a block, after the payment had ended without it.
	Late    bool
	SeenAt  time.Time
	FinalAt time.Time // zero until final
	// Swept: its money has arrived at the settlement wallet. Settlement sets it.
	Swept bool
	// Count and Through are of a deposit that stands for many small transfers: how
	// many, and the last block whose transfers it holds. 0 for a single transfer.
	Count   int
	Through uint64
}

// View is everything a range of one network's blocks holds for one payment, not
// what is new in it. Applying the same view twice changes nothing. A recorded
// deposit in the range that is missing from the view has vanished.
type View struct {
	Network   chain.Network
	From, To  uint64     // the blocks it covers, both included
	Latest    chain.Head // the newest block, whose time is the chain's present
	Final     chain.Head // money up to here is credited, unless the merchant chose otherwise
	Finalized chain.Head // money up to here can never vanish
	Transfers []chain.Transfer
	End       chain.Head // block To
	// Doubted reports whether a recorded deposit that is missing from the view
	// must not be taken for vanished; nil: never.
	Doubted func(recorded chain.Transfer) bool
	// Unread: blocks before From are not yet read as finalized, so nothing is
	// folded of these.
	Unread bool
}

func (v View) doubts(t chain.Transfer) bool { return v.Doubted != nil && v.Doubted(t) }

func (v View) covers(t chain.Transfer) bool {
	return t.Network == v.Network && t.Block.Number >= v.From && t.Block.Number <= v.To
}

// state returns DepositFinal if the rule makes the transfer final. An empty rule
// is that of the network.
func (v View) state(t chain.Transfer, rule chain.Finality) DepositState {
	final := t.Block.Number <= v.Final.Number
	switch {
	case rule.Tag == chain.TagFinalized:
		final = t.Block.Number <= v.Finalized.Number
	case rule.Depth > 0:
		final = final || v.Latest.Time.Sub(t.Block.Time) >= rule.Depth
	}
	if final {
		return DepositFinal
	}
	return DepositSeen
}

// rule returns when money on the network counts for this payment.
func (p Payment) rule(n chain.Network) chain.Finality {
	if i := p.route(n); i >= 0 {
		return p.Routes[i].Finality
	}
	return chain.Finality{}
}

// merge brings the deposits up to what the view shows and returns those that
// are new or have changed.
func (p *Payment) merge(v View, now time.Time) []Deposit {
	present := make(map[chain.TransferID]chain.Transfer, len(v.Transfers))
	for _, t := range v.Transfers {
		if v.covers(t) && !t.Units.IsZero() {
			present[t.ID()] = t
		}
	}
	var changed []Deposit
	rule, small := p.rule(v.Network), newFolding(p, v)
	for i := range p.Deposits {
		d := &p.Deposits[i]
		if d.Folded() {
			continue
		}
		t, ok := present[d.Transfer.ID()]
		if ok = ok && (d.Rechecked || !small.holds(t, *d)); ok {
			delete(present, t.ID())
		}
		before := *d
		switch {
		case d.Rechecked:
			// A finalized block is not taken back, whatever a node reports.
		case ok:
			// What vanished before the payment ended without it, and is back, comes late.
			d.Late = d.Late || d.State == DepositVanished && (p.Status == Cancelled || p.Status == Expired)
			d.appear(t, v, rule, now)
		case v.covers(d.Transfer) && d.State != DepositVanished && !v.doubts(d.Transfer):
			d.State, d.FinalAt = DepositVanished, time.Time{}
		}
		d.Swept = d.Swept && !d.Replaces(before)
		if d.differs(before) {
			changed = append(changed, *d)
		}
	}
	for _, t := range v.Transfers {
		if _, isNew := present[t.ID()]; !isNew {
			continue
		}
		delete(present, t.ID())
		if small.take(t) {
			continue
		}
		d := Deposit{SeenAt: now, Late: p.Status.Final()}
		d.appear(t, v, rule, now)
		p.Deposits = append(p.Deposits, d)
		changed = append(changed, d)
	}
	return append(changed, small.apply(now)...)
}

// appear records that block t.Block holds the transfer.
func (d *Deposit) appear(t chain.Transfer, v View, rule chain.Finality, now time.Time) {
	if d.State != DepositFinal || d.Transfer.Units.Cmp(t.Units) != 0 {
		// A final deposit stays final while any block holds it, but another amount
		// has to become final itself.
		d.State, d.FinalAt = v.state(t, rule), time.Time{}
	}
	d.Transfer = t
	if d.State == DepositFinal {
		if d.FinalAt.IsZero() {
			d.FinalAt = now
		}
		d.Rechecked = t.Block.Number <= v.Finalized.Number
	}
}

// differs compares what is stored, apart from the endpoint that reported it.
func (d Deposit) differs(o Deposit) bool {
	return d.State != o.State || d.Rechecked != o.Rechecked || !d.sameOnChain(o)
}

// Replaces reports whether the chain took back what was final before, or pays another amount in its place. If that was
// swept, it was other money.
func (d Deposit) Replaces(before Deposit) bool {
	return d.Transfer.ID() == before.Transfer.ID() && before.State == DepositFinal &&
		(d.State != DepositFinal || d.Transfer.Units.Cmp(before.Transfer.Units) != 0)
}

// sameOnChain compares what the chain says of the deposit.
func (d Deposit) sameOnChain(o Deposit) bool {
	a, b := d.Transfer, o.Transfer
	return a.ID() == b.ID() && a.Asset == b.Asset && a.From == b.From && a.Units.Cmp(b.Units) == 0 &&
		a.Block.Number == b.Block.Number && a.Block.Hash == b.Block.Hash && a.Block.Time.Equal(b.Block.Time)
}

// recordedIn reports whether the history has an event of the deposit in this
// state, block and amount. Rechecked alone is no event, nor is the growth of a
// folded deposit.
func (d Deposit) recordedIn(known []Deposit) bool {
	return slices.ContainsFunc(known, func(k Deposit) bool {
		if d.Folded() {
			return k.Folded() && k.Transfer.ID() == d.Transfer.ID()
		}
		return k.Transfer.ID() == d.Transfer.ID() && k.State == d.State &&
			k.Transfer.Units.Cmp(d.Transfer.Units) == 0 &&
			k.Transfer.Block.Number == d.Transfer.Block.Number && k.Transfer.Block.Hash == d.Transfer.Block.Hash
	})
}

// tolerated is how much more than is recorded may lie on an address that strangers
// send dust to: what has come and is not folded yet. It holds back an expiry only of
// those who give away more than this, again and again.
const tolerated = 100 * DustFloor

// Unexplained reports whether an address holds more than is recorded. On one that
// dust of the same asset was folded on, there always is some that is not folded yet:
// a little, which would not pay for the payment, does not hold back its end.
func (p Payment) Unexplained(asset chain.Asset, a chain.Address, more money.Units) bool {
	if more.Cmp(money.Units{}) <= 0 {
		return false
	}
	dusted := slices.ContainsFunc(p.Deposits, func(d Deposit) bool {
		t := d.Transfer
		return d.Folded() && t.To == a && t.Network == asset.Network && t.Asset.Contract == asset.Contract
	})
	return !dusted || more.Atto(asset.Decimals).Cmp(min(p.Missing(), tolerated).Atto()) >= 0
}

// AccountsOn lists token accounts under the key of the route's address: those given, and those that deposits came to.
func (p Payment) AccountsOn(r Route, given []chain.Address) []chain.Address {
	list := slices.Clone(given)
	for _, d := range p.Deposits {
		t := d.Transfer
		if t.Account != "" && t.Network == r.Network && t.To == r.Address.Address && !slices.Contains(list, t.Account) {
			list = append(list, t.Account)
		}
	}
	return list
}

// Recorded returns the sum of the deposits recorded for the address in the asset,
// swept or not.
func (p Payment) Recorded(asset chain.Asset, a chain.Address) money.Units {
	var sum money.Units
	for _, d := range p.Deposits {
		t := d.Transfer
		if t.Asset.Contract == asset.Contract && t.Network == asset.Network && t.To == a && d.State != DepositVanished {
			sum = sum.Add(t.Units)
		}
	}
	return sum
}
