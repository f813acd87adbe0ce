package views

import (
	"time"

	iso "github.com/bojanz/currency"
)

// Price is what an amount was made of, where it was given in another currency. Amount and Rate are plain decimals.
type Price struct {
	Amount, Currency string
	Rate             string    // what one unit of the currency was worth in US dollars
	At               time.Time // when
	Markup           string    // what the merchant adds to the rate, in per cent; empty: nothing
}

// None reports whether the amount was given in dollars.
func (p Price) None() bool { return p.Currency == "" }

// Price writes an amount in a currency as the language writes it: 30,50 €. Digits are always 0 to 9.
func (l *Locale) Price(plain, code string) string { return l.price(plain, code, iso.DefaultDigits) }

// rate writes what one unit was worth, and what the merchant adds: 1.16152 USD + 1.5 %.
func (l *Locale) rate(x Price) string {
	text := l.Money(x.Rate, "USD")
	if x.Markup != "" {
		text += " + " + l.Amount(x.Markup) + "\u00a0%"
	}
	return text
}

// Unit writes one unit of a currency: 1 €.
func (l *Locale) Unit(code string) string { return l.price("1", code, 0) }

func (l *Locale) price(plain, code string, digits uint8) string {
	amount, err := iso.NewAmount(plain, code)
	if err != nil {
		return l.Money(plain, code)
	}
	f := iso.NewFormatter(iso.NewLocale(l.numbers()))
	f.MinDigits = digits
	text := f.Format(amount)
	if l.Dir == "rtl" {
		text += "\u200e" // or the sign of US$ goes to the other side of its letters
	}
	return text
}

// numbers is the locale whose number format has the digits 0 to 9.
func (l *Locale) numbers() string {
	if l.Tag == "ar" {
		return "ar-AE"
	}
	return l.Tag
}
