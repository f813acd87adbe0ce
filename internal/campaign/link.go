package campaign

import (
	"errors"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/input"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// Link is a payment link that can be used repeatedly: each use makes a new
// payment of the key.
type Link struct {
	Number      int64
	Slug        string // unique, never changes
	KeyID       int64
	KeyRevoked  bool
	Description string // the payer sees it; may be empty
	// Reference is set on every payment of the link.
	Reference string
	Amount    money.Micros // 0: the payer chooses, between Min and Max
	// Price is instead of Amount, in another currency: each payment takes the rate of its time. Without units the payer
	// chooses.
	Price     exchange.Sum
	Min, Max  money.Micros // 0: no bound but the operator's
	Paused    bool
	CreatedAt time.Time
	// Paid and Sum are how many payments of it were completed, and what they were made for; in lists only.
	Paid int64
	Sum  money.Micros
}

// LinkDraft is the merchant's input for a link; amounts are as typed.
type LinkDraft struct {
	Slug             string
	Description      string
	Reference        string
	Amount, Min, Max string
	Currency         string // of Amount; empty: US dollars
}

// Refusals.
var (
	ErrUnknownLink = fault.New(fault.NotFound, "there is no such payment link")
	ErrLinkClosed  = fault.New(fault.Conflict, "this payment link is not in use at the moment")
	ErrLinkTaken   = fault.About(fault.Conflict, "slug", "is taken already; choose another one")
)

// NewLink makes a link of a key, or fails with a fault.Invalid for each field that
// breaks a rule (fault.All). The default reference is the slug.
func NewLink(in LinkDraft, keyID int64, now time.Time) (Link, error) {
	l := Link{KeyID: keyID, CreatedAt: now}
	var err error
	var wrong []error
	l.Slug, err = cleanSlug("slug", in.Slug)
	wrong = append(wrong, err)
	l.Description, err = shownText("description", in.Description, payment.MaxDescription, input.Text)
	wrong = append(wrong, err)
	l.Reference, err = input.Text("reference", in.Reference, payment.MaxReference)
	wrong = append(wrong, err)
	if l.Reference == "" {
		l.Reference = l.Slug
	}
	if in.Currency != "" && in.Currency != string(exchange.USD) {
		l.Price, err = in.price()
		wrong = append(wrong, err)
		in.Amount = ""
	}
	for _, f := range []struct {
		name, text string
		to         *money.Micros
	}{{"amount", in.Amount, &l.Amount}, {"minAmount", in.Min, &l.Min}, {"maxAmount", in.Max, &l.Max}} {
		*f.to, err = optionalAmount(f.name, f.text)
		wrong = append(wrong, err)
	}
	if err := errors.Join(wrong...); err != nil {
		return l, err
	}
	if !l.Open() && (l.Min > 0 || l.Max > 0) {
		return l, fault.About(fault.Invalid, "minAmount", "and maxAmount are for links whose payer chooses the amount")
	}
	if !l.Price.None() && (l.Min > 0 || l.Max > 0) {
		return l, fault.About(fault.Invalid, "minAmount", "and maxAmount are for links in US dollars")
	}
	if l.Max > 0 && l.Min > l.Max {
		return l, fault.About(fault.Invalid, "maxAmount", "must not be below minAmount")
	}
	return l, nil
}

// Edit returns the link as the draft describes it, under the address that it has. It fails as NewLink.
func (l Link) Edit(in LinkDraft) (Link, error) {
	in.Slug = l.Slug
	edited, err := NewLink(in, l.KeyID, l.CreatedAt)
	edited.Number, edited.Paused, edited.KeyRevoked = l.Number, l.Paused, l.KeyRevoked
	return edited, err
}

// price is the amount in the currency; without an amount the payer chooses it.
func (in LinkDraft) price() (exchange.Sum, error) {
	if strings.TrimSpace(in.Amount) == "" {
		c, err := exchange.ParseCurrency(in.Currency)
		return exchange.Sum{Currency: c}, err
	}
	return exchange.Text{Amount: in.Amount, Currency: in.Currency}.Sum()
}

// Closed reports whether no payment can be made of the link.
func (l Link) Closed() bool { return l.Paused || l.KeyRevoked }

// Open reports whether the payer chooses the amount.
func (l Link) Open() bool { return l.Amount == 0 && l.Price.Units == 0 }

// asked returns the amount of a payment of the link, given what the payer typed, or the price instead of it.
func (l Link) asked(typed string) (amount string, price exchange.Text, err error) {
	switch {
	case !l.Price.None() && l.Open():
		return "", exchange.Text{Amount: typed, Currency: string(l.Price.Currency)}, nil
	case !l.Price.None():
		return "", exchange.Text{Amount: l.Price.Amount(), Currency: string(l.Price.Currency)}, nil
	case l.Amount > 0:
		return l.Amount.String(), exchange.Text{}, nil
	}
	m, err := money.ParseMicros("amount", typed)
	if err != nil {
		return "", exchange.Text{}, err
	}
	if m < l.Min {
		return "", exchange.Text{}, fault.About(fault.Invalid, "amount", "must be at least %s", l.Min)
	}
	if l.Max > 0 && m > l.Max {
		return "", exchange.Text{}, fault.About(fault.Invalid, "amount", "must be at most %s", l.Max)
	}
	return typed, exchange.Text{}, nil
}
