package operation

import (
	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
)

// asked returns an amount in dollars as it was written, or the price that is sent instead of it.
func asked(
	amount model.Decimal, currency string, price *model.PriceInput,
) (dollarText string, priceText exchange.Text, err error) {
	if price == nil {
		dollarText, err = dollars(amount, currency)
		return dollarText, exchange.Text{}, err
	}
	if amount != model.NotNumber() || currency != "" {
		return "", exchange.Text{}, fault.About(
			fault.Invalid, exchange.Field, "must be left out where amount or currency is there: send one of them",
		)
	}
	priceText = exchange.Text{Amount: string(price.Amount), Currency: price.Currency}
	if priceText.None() {
		return "", priceText, fault.About(
			fault.Invalid, exchange.Field, "must have an amount such as 12.50 and a currency such as EUR",
		)
	}
	return "", priceText, nil
}

// sumRead is a price as requests are compared: 5.00 is 5. It is nil without one.
func sumRead(text exchange.Text) *exchange.Sum {
	if text.None() {
		return nil
	}
	sum, _ := text.Sum() // one that is wrong is refused
	return &sum
}

// price writes the price of a payment; nil if its amount was given in dollars.
func price(p payment.Payment) *model.Price {
	b := p.PriceBody()
	if b == nil {
		return nil
	}
	out := &model.Price{
		Amount: model.DecimalText(b.Amount), Currency: string(b.Currency), Rate: model.DecimalText(b.Rate),
		RateAt: model.At(p.Price.At), Sources: b.Sources,
	}
	if b.Markup != "" {
		markup := model.DecimalText(b.Markup)
		out.MarkupPercent = &markup
	}
	return out
}
