package payment

import (
	"cmp"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
)

// Reasons why a decision is refused.
var (
	ErrUnknown          = fault.New(fault.NotFound, "no payment has this txnid")
	ErrEnded            = fault.New(fault.Conflict, "the payment has already ended")
	ErrPastExpiry       = fault.New(fault.Conflict, "the payment's time has run out; create a new one")
	ErrMoneyReceived    = fault.New(fault.Conflict, "money for this payment is received or on its way; it can no longer be changed or cancelled")
	ErrCompleted        = fault.New(fault.Conflict, "the payment is already completed")
	ErrNotByHand        = fault.New(fault.Conflict, "a credit top-up completes by its payment alone")
	ErrNothingToResolve = fault.New(fault.Conflict, "nothing about this payment needs attention")
	ErrNoMoney          = fault.New(fault.Conflict, "no final money was received for this payment, so there is none to accept")
)

// Request is the input of a new payment. The caller checks amounts and texts
// (Service.Create).
type Request struct {
	ID         ID
	KeyID      int64
	Kind       Kind
	Amount     money.Micros
	ValidFor   time.Duration
	Terms      Terms
	Credits    int64
	CampaignID int64
	LinkID     int64
	Details    Details
}

// New makes a pending payment. It takes no credit.
func New(r Request, now time.Time) Change {
	c := Change{Payment: Payment{
		ID: r.ID, KeyID: r.KeyID, Kind: r.Kind, Amount: r.Amount, Status: Pending,
		CreatedAt: now, ExpiresAt: now.Add(r.ValidFor), Terms: r.Terms,
		Credits: r.Credits, CampaignID: r.CampaignID, LinkID: r.LinkID, Details: r.Details,
	}}
	c.emit(EventCreated, now, note{})
	return c
}

// Start lets the payer pay in the choice's network and token. route is the
// address derived for that network; a route the payment already has is kept
// with its settlement wallet. ttl is the least time the payer then has.
//
// A first start takes one credit from the owner's key (top-ups take none, or
// an empty key could never be filled). Another choice is allowed while
// nothing was received, and takes no second credit.
func (p Payment) Start(choice Choice, route Route, ttl time.Duration, now time.Time) (Change, error) {
	switch p.Status {
	case Pending:
		if !now.Before(p.ExpiresAt) {
			return Change{}, ErrPastExpiry
		}
	case Started:
		if choice == p.Choice {
			return Change{Payment: p}, nil
		}
		if !p.Received().IsZero() || p.hasIncoming() {
			return Change{}, ErrMoneyReceived
		}
		if !now.Before(p.ExpiresAt) {
			// It is about to expire, so a new address could not be paid in time.
			return Change{}, ErrPastExpiry
		}
	case Completed, Expired, Cancelled:
		return Change{}, ErrEnded
	}
	first := p.Status == Pending
	p = p.withRoute(choice, route, now)
	c := Change{Payment: p}
	n := note{Network: choice.Network, Token: choice.Token, Address: mustRoute(p).Address.Address}
	if !first {
		c.emit(EventSwitched, now, n)
		return c.settle(now), nil
	}
	c.Payment.Status, c.Payment.StartedAt = Started, now
	c.Payment.ExpiresAt = later(p.ExpiresAt, now.Add(ttl))
	c = c.charge(now)
	c.emit(EventStarted, now, n)
	return c, nil
}

// charge takes the credit of a first start. One that a stranger's payment takes is
// held until the payment ends.
func (c Change) charge(now time.Time) Change {
	p := &c.Payment
	ref := "start:" + string(p.ID)
	switch {
	case p.Kind == KindTopUp:
	case p.ByStranger():
		p.Held = true
		c.Entries = append(c.Entries, ledger.Hold(p.KeyID, ref, now))
	default:
		c.Entries = append(c.Entries, ledger.Spend(p.KeyID, ledger.Credit, ledger.ReasonStart, ref, now))
	}
	return c
}

// unhold spends the held credit of a payment that completes, and gives it back if
// the payment ends otherwise: whatever a stranger sends short of the amount, it
// costs the merchant nothing.
func (c Change) unhold(now time.Time) Change {
	p := &c.Payment
	if !p.Held {
		return c
	}
	p.Held = false
	ref := "end:" + string(p.ID)
	if p.Status == Completed {
		c.Entries = append(c.Entries, ledger.Settle(p.KeyID, ref, now))
	} else {
		c.Entries = append(c.Entries, ledger.Release(p.KeyID, ref, now))
	}
	return c
}

// withRoute returns the payment with the choice and a route for it.
func (p Payment) withRoute(choice Choice, route Route, now time.Time) Payment {
	p.Choice = choice
	p.Routes = slices.Clone(p.Routes)
	i := p.route(choice.Network)
	if i < 0 {
		route = route.taking(choice.Token)
		route.Network, route.Since = choice.Network, now
		p.Routes = append(p.Routes, route)
		return p
	}
	if !slices.Contains(p.Routes[i].Tokens, choice.Token) {
		p.Routes[i].Tokens = append(slices.Clone(p.Routes[i].Tokens), choice.Token)
	}
	return p
}

func mustRoute(p Payment) Route {
	r, ok := p.Route()
	if !ok {
		panic("payment: a started payment has no route on its network")
	}
	return r
}

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
	if before.Status == Completed && !before.Reorged && c.Payment.Received().Cmp(before.Received()) < 0 && !c.Payment.covered() {
		c.Payment.Reorged = true
		c.emit(EventReorged, now, nil)
	}
	return c.settle(now).alert(before, now), nil
}

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

// covered reports whether the final money still bears what was given for it.
func (p Payment) covered() bool {
	return p.enough() && (p.Kind != KindTopUp || p.buys() >= p.Credited)
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

// settle completes the payment if its final money suffices, and otherwise
// extends the time of a payer whose money fell short, once.
func (c Change) settle(now time.Time) Change {
	p := &c.Payment
	if p.enough() && (p.Status == Started || p.Status == Expired && p.inTime()) || p.lateTopUp() {
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

// ShortExtension is the least time a payer has after a first deposit that was
// too small: enough for one more withdrawal from an exchange.
const ShortExtension = 30 * time.Minute

// inTime reports whether enough final money came within the time that the terms
// allow after expiry, by the chain's clock.
func (p Payment) inTime() bool {
	if p.Terms.LateFor <= 0 {
		return false
	}
	limit := p.ExpiresAt.Add(p.Terms.LateFor)
	onTime := p
	onTime.Deposits = slices.DeleteFunc(slices.Clone(p.Deposits), func(d Deposit) bool {
		return d.Transfer.Block.Time.After(limit) || d.Folded() && d.Late
	})
	return onTime.enough()
}

// Coverage is, for each network, the time of the chain's clock up to which every
// final block was scanned and the balances of the payment's addresses held
// nothing but recorded deposits.
type Coverage map[chain.Network]time.Time

// Expire ends a payment whose time has run out. A started payment expires only
// when every network of its routes is covered up to that time, so that a network
// that cannot be read delays expiry instead of losing a deposit; incoming money
// delays it too. A payment that must not expire yet is returned unchanged.
func (p Payment) Expire(covered Coverage, now time.Time) (Change, error) {
	c := Change{Payment: p}
	if p.Status.Final() || now.Before(p.ExpiresAt) || p.hasIncoming() {
		return c, nil
	}
	for _, r := range p.Routes {
		if covered[r.Network].Before(p.ExpiresAt) {
			return c, nil
		}
	}
	if p.Kind == KindTopUp && p.buys() > 0 {
		return c.complete(now), nil // short, but worth some credits
	}
	c.Payment.Status, c.Payment.EndedAt = Expired, now
	c = c.unhold(now)
	c.emit(EventExpired, now, nil)
	return c.alert(p, now), nil
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

// Show records that the payer opened the payment, once. After any other event
// nothing is recorded: that the payer opened it follows from the event.
func (p Payment) Show(now time.Time) (Change, error) {
	c := Change{Payment: p}
	if p.Status == Pending && p.Seq == 1 && now.Before(p.ExpiresAt) {
		c.emit(EventShown, now, note{})
	}
	return c, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
