package payment

import (
	"context"

	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// PriceBody is a price as answers, webhooks and lists carry it. Its numbers are texts, so that no reader makes floats
// of them: how much, and what one unit of the currency was worth in US dollars when the payment was made.
type PriceBody struct {
	Amount   string            `json:"amount"`
	Currency exchange.Currency `json:"currency"`
	Rate     string            `json:"rate"`
	RateAt   string            `json:"rateAt"`
	Sources  []string          `json:"sources"`
	// Markup is what the merchant has added to the rate, in per cent; empty: nothing.
	Markup string `json:"markupPercent,omitempty"`
}

// PriceBody returns the price of the payment, nil if its amount was given in dollars.
func (p Payment) PriceBody() *PriceBody {
	if p.Price.None() {
		return nil
	}
	return &PriceBody{
		Amount: p.Price.Amount(), Currency: p.Price.Currency, Rate: p.Price.Rate.String(),
		RateAt: p.Price.At.UTC().Format(TimeFormat), Sources: append([]string{}, p.Price.Sources...),
		Markup: p.Price.MarkupPercent(),
	}
}

// priced returns what the sum is worth now, with the rate that says so. It is the one place where a rate is taken: what
// it returns is stored with the payment and never moves.
func (s *Service) priced(
	ctx context.Context, sum exchange.Sum, own exchange.Pricing,
) (money.Micros, exchange.Price, error) {
	if s.opts.Rates == nil {
		return 0, exchange.Price{}, errNoRates
	}
	quote, err := s.opts.Rates(ctx, sum.Currency, own)
	if err != nil {
		return 0, exchange.Price{}, err
	}
	price := exchange.Price{Sum: sum, Quote: quote}
	worth, ok := price.Worth()
	if !ok || worth > s.opts.MaxAmount {
		return 0, price, &BoundError{High: true, fault: fault.About(
			fault.Invalid, exchange.Field, "must be worth at most %s USD", s.opts.MaxAmount,
		)}
	}
	if worth < s.opts.MinAmount {
		return 0, price, &BoundError{fault: fault.About(
			fault.Invalid, exchange.Field, "must be worth at least %s USD", s.opts.MinAmount,
		)}
	}
	return worth, price, nil
}

// PriceNow returns the price of a payment with the rate of now: what a sum in its currency is worth today.
func (s *Service) PriceNow(ctx context.Context, p Payment) (exchange.Price, error) {
	if s.opts.Rates == nil {
		return exchange.Price{}, errNoRates
	}
	c, err := s.custodians.Custodian(ctx, p.KeyID)
	if err != nil {
		return exchange.Price{}, err
	}
	quote, err := s.opts.Rates(ctx, p.Price.Currency, c.Pricing)
	return exchange.Price{Sum: p.Price.Sum, Quote: quote}, err
}

// The rates at which an amount in the currency of a price is paid back.
const (
	RateThen = "then" // that of the payment
	RateNow  = "now"
)

// InTokens returns an amount in the currency of the payment's price as one in tokens, at one of the rates; an empty
// amount is the whole price. Without a rate, or a price, the amount is one in tokens already. It fails with
// fault.Invalid about the amount, and with fault.Unavailable where there is no rate of now.
func (s *Service) InTokens(ctx context.Context, p Payment, amount, rate string) (string, error) {
	price := p.Price
	switch {
	case rate == "" || price.None():
		return amount, nil
	case rate == RateNow:
		var err error
		if price, err = s.PriceNow(ctx, p); err != nil {
			return "", err
		}
	case rate != RateThen:
		return "", fault.About(fault.Invalid, "amount", "has no rate of this name")
	}
	if amount != "" {
		units, err := price.Currency.ParseUnits(amount)
		if err != nil {
			return "", fault.About(fault.Invalid, "amount", "must be a decimal number as %s has them, such as 12.50",
				price.Currency)
		}
		price.Units = units
	}
	worth, ok := price.Worth()
	if !ok {
		return "", fault.About(fault.Invalid, "amount", "is too large")
	}
	return worth.String(), nil
}

// BoundError is the fault of a price that is worth more, or less, than a payment may be.
type BoundError struct {
	High  bool
	fault *fault.Error
}

func (e *BoundError) Error() string { return e.fault.Error() }
func (e *BoundError) Unwrap() error { return e.fault }

var errNoRates = fault.New(fault.Unavailable, "prices are taken in US dollars alone here").
	Because(fault.ReasonRateUnavailable)

// errTwoAmounts: nobody can tell which of the two counts.
var errTwoAmounts = fault.About(fault.Invalid, exchange.Field, "must be left out where amount is there: send one of them")

// Currencies lists the currencies, beside dollars, in which a price may have a rate.
func (s *Service) Currencies() []exchange.Currency { return s.opts.Currencies }
