package payment

import (
	"cmp"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// Observe applies what a range of blocks holds for the payment. Replay, restart
// and reorg take this one path.
func (p Payment) Observe(v View, now time.Time) (Change, error) {
	before := p
	p.Deposits = slices.Clone(p.Deposits) // merge changes them in place
	c := Change{}
	changed := p.merge(v, now)
	if len(changed) > 0 {
		p.adoptRoutes()
	}
	c.Payment, c.Deposits = p, changed
	if len(changed) == 0 {
		return c, nil
	}
	c.Payment.Hash = c.Payment.newestHash()
	for _, d := range changed {
		if !d.recordedIn(before.Deposits) {
			c.emitDeposit(d, now)
		}
	}
	if before.Status == Completed && !before.Reorged && c.Payment.Received().Cmp(before.Received()) < 0 &&
		!c.Payment.covered() {
		c.Payment.Reorged = true
		c.emit(EventReorged, now, nil)
	}
	c = c.settle(now).alert(before, now)
	if c.Payment.Received().Cmp(before.Received()) > 0 {
		c.Mails = append(c.Mails, c.Payment.askForRest(now)...)
	}
	return c, nil
}

// Reversed reports whether a reorg took back the money of a completed payment, and what is there now does not cover
// it.
func (p Payment) Reversed() bool { return p.Reorged && !p.covered() }

// alert adds an event for each new reason why the payment needs its merchant.
func (c Change) alert(before Payment, now time.Time) Change {
	had := before.Attention()
	for _, r := range c.Payment.Attention() {
		if event, ok := reasonEvents[r]; ok && !slices.Contains(had, r) {
			c.emit(event, now, nil)
		}
	}
	return c
}

// reasonEvents are the events that alert of each reason. A reorg has its own.
var reasonEvents = map[Reason]EventType{
	ReasonLate: EventLate, ReasonShort: EventShort, ReasonOtherAsset: EventOtherAsset, ReasonOver: EventOver,
}

// covered reports whether the final money still bears what was given for it. What the merchant paid back since has not
// vanished.
func (p Payment) covered() bool {
	return p.enough(p.Received()) && (p.Kind != KindTopUp || p.buys() >= p.Credited)
}

func (c *Change) emitDeposit(d Deposit, now time.Time) {
	t := d.Transfer
	n := note{
		Network: t.Network, Token: t.Asset.Token, Address: t.To, Tx: t.Tx, Units: t.Units.Format(t.Asset.Decimals),
		Asset: t.Asset.Symbol, Block: t.Block.Number, Source: t.Source, Counted: c.Payment.Counts(d), Late: d.Late,
	}
	switch d.State {
	case DepositSeen:
		c.emit(EventSeen, now, n)
	case DepositFinal:
		c.emit(EventFinal, now, n)
	case DepositVanished:
		c.emit(EventVanished, now, n)
	}
}

// newestHash returns the transaction of the newest deposit that counts. A
// completed payment keeps the transaction that completed it.
func (p Payment) newestHash() chain.TxHash {
	if p.Status == Completed {
		return p.Hash
	}
	hash, folded := chain.TxHash(""), chain.TxHash("")
	for _, d := range p.Deposits {
		switch {
		case !p.Counts(d):
		case d.Folded():
			folded = d.Transfer.Tx
		default:
			hash = d.Transfer.Tx
		}
	}
	return cmp.Or(hash, folded)
}

// settle completes the payment if its final money suffices, without what is or will be paid back, and otherwise
// extends the time of a payer whose money fell short, once.
func (c Change) settle(now time.Time) Change {
	p := &c.Payment
	if p.enough(p.free()) && (p.Status == Started || p.Status == Expired && p.inTime()) || p.lateTopUp() {
		return c.complete(now)
	}
	if p.Kind == KindTopUp && p.Status == Completed {
		return c.creditTopUp(now) // more money, after the top-up was completed
	}
	if p.Status == Started && !p.Extended && !p.Received().IsZero() {
		p.Extended = true
		p.ExpiresAt = later(p.ExpiresAt, now.Add(ShortExtension))
		c.emit(EventExtended, now, note{Until: p.ExpiresAt.UTC().Format(TimeFormat)})
	}
	return c
}

// ShortExtension is the least time a payer has after a first deposit that was
// too small: enough for one more withdrawal from an exchange.
const ShortExtension = 30 * time.Minute

// inTime reports whether enough final money came within the time that the terms
// allow after expiry, by the chain's clock.
func (p Payment) inTime() bool {
	if p.Terms.LateFor <= 0 && !p.EndedAt.Before(p.ExpiresAt) { // see GiveWay
		return false
	}
	limit := p.ExpiresAt.Add(p.Terms.LateFor)
	onTime := p
	onTime.Deposits = slices.DeleteFunc(slices.Clone(p.Deposits), func(d Deposit) bool {
		return d.Transfer.Block.Time.After(limit) || d.Folded() && d.Late
	})
	return onTime.enough(onTime.free())
}
