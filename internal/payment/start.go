package payment

import (
	"slices"
	"time"

	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
)

// Request is the input of a new payment. The caller checks amounts and texts
// (Service.Create).
type Request struct {
	ID         ID
	KeyID      int64
	Kind       Kind
	Amount     money.Micros
	Price      exchange.Price
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
		ID: r.ID, KeyID: r.KeyID, Kind: r.Kind, Amount: r.Amount, Price: r.Price, Status: Pending,
		CreatedAt: now, ExpiresAt: now.Add(r.ValidFor), Terms: r.Terms,
		Credits: r.Credits, CampaignID: r.CampaignID, LinkID: r.LinkID, Details: r.Details,
	}}
	c.emit(EventCreated, now, note{})
	return c
}

// Show records that the payer opened the payment, once, and in which language of the pages. After any other event that
// it was opened is not recorded: it follows from the event. A language that the payer chose later replaces the first
// one where the payer gets mails.
func (p Payment) Show(lang string, chosen bool, now time.Time) (Change, error) {
	c := Change{Payment: p}
	first := p.Status == Pending && p.Seq == 1 && now.Before(p.ExpiresAt)
	c.Spoken = p.CustomerEmail != "" && !p.Status.Final() && lang != p.Lang && (chosen || p.Lang == "")
	if first || c.Spoken {
		c.Payment.Lang = lang
	}
	if first {
		c.emit(EventShown, now, note{})
	}
	return c, nil
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
	before, first := p, p.Status == Pending
	p = p.withRoute(choice, route, now)
	c := Change{Payment: p}
	n := note{Network: choice.Network, Token: choice.Token, Address: mustRoute(p).Address.Address}
	if !first {
		c.emit(EventSwitched, now, n)
		return c.settle(now).alert(before, now), nil
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
		p.Held, p.AttendedAt = true, now
		c.Entries = append(c.Entries, ledger.Hold(p.KeyID, ref, now))
	default:
		c.Entries = append(c.Entries, ledger.Spend(p.KeyID, ledger.Credit, ledger.ReasonStart, ref, now))
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
