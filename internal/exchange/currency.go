package exchange

import (
	"errors"
	"math/big"
	"strings"

	"github.com/bojanz/currency"

	"github.com/florinpay/florin/internal/fault"
)

// Currency is the code of a currency by ISO 4217, such as EUR.
type Currency string

// USD is the currency in which amounts are counted: its rate is 1, and needs no source.
const USD Currency = "USD"

// Field is the name of a price in requests.
const Field = "price"

// ParseCurrency reads a code in any case. It fails with fault.Invalid.
func ParseCurrency(text string) (Currency, error) {
	code := strings.ToUpper(strings.TrimSpace(text))
	if code == "" || !currency.IsValid(code) {
		return "", fault.About(fault.Invalid, Field+".currency", "must be a currency code of ISO 4217 such as EUR")
	}
	return Currency(code), nil
}

// Currencies lists every currency of ISO 4217.
func Currencies() []Currency {
	codes := currency.GetCurrencyCodes()
	all := make([]Currency, len(codes))
	for i, code := range codes {
		all[i] = Currency(code)
	}
	return all
}

// Digits is how many decimal places the currency has: 2 for EUR, 0 for JPY, 3 for KWD.
func (c Currency) Digits() int {
	digits, _ := currency.GetDigits(string(c))
	return int(digits)
}

// Sum is an amount in a currency, without a rate.
type Sum struct {
	Currency Currency
	Units    int64 // of the currency's smallest unit: cents
}

// Text is a Sum as it stood in a request; its zero value is none.
type Text struct{ Amount, Currency string }

// None reports whether there was no price in the request.
func (t Text) None() bool { return t == Text{} }

// Sum reads the text. It fails with a fault.Invalid for each field that breaks a rule.
func (t Text) Sum() (Sum, error) {
	c, err := ParseCurrency(t.Currency)
	if err != nil {
		if _, _, ok := plain(t.Amount); !ok {
			err = errors.Join(err, errNotPlain)
		}
		return Sum{}, err
	}
	units, err := c.ParseUnits(t.Amount)
	return Sum{c, units}, err
}

// None reports whether there is no sum.
func (s Sum) None() bool { return s.Currency == "" }

// Amount is the sum as a decimal number, with the decimal places of its currency: "30.50".
func (s Sum) Amount() string { return decimals(s.Units, s.Currency.Digits()) }

const field = Field + ".amount"

var errNotPlain = fault.About(fault.Invalid, field, "must be a decimal number such as 12.50")

// maxDigits of a price bound what is stored: every price that is worth at most a billion dollars fits, in any currency.
const maxDigits = 18

// plain splits a decimal number as people write it: no sign, no exponent, no zero before it.
func plain(text string) (whole, fraction string, ok bool) {
	whole, fraction, point := strings.Cut(text, ".")
	digits := func(text string) bool {
		return text != "" && len(text) <= 31 && strings.Trim(text, "0123456789") == ""
	}
	return whole, fraction, digits(whole) && (whole == "0" || whole[0] != '0') && (!point || digits(fraction))
}

// ParseUnits reads a decimal number as a count of the currency's smallest unit: 30.50 EUR is 3050. It fails with
// fault.Invalid.
func (c Currency) ParseUnits(text string) (int64, error) {
	whole, fraction, ok := plain(text)
	if !ok {
		return 0, errNotPlain
	}
	digits := c.Digits()
	// Three places, as others write thousands, the currency must have: 1.000 EUR would be a thousandth of what is
	// meant.
	thousands := len(fraction) == 3 && len(whole) <= 3 && whole != "0"
	if len(strings.TrimRight(fraction, "0")) > digits || digits < 3 && thousands {
		return 0, fault.About(fault.Invalid, field, "must have at most %d decimal places: those of %s", digits, c)
	}
	fraction = (fraction + strings.Repeat("0", digits))[:digits]
	units, ok := new(big.Int).SetString(whole+fraction, 10)
	switch {
	case !ok || len(strings.TrimLeft(whole+fraction, "0")) > maxDigits:
		return 0, fault.About(fault.Invalid, field, "is too large")
	case units.Sign() == 0:
		return 0, fault.About(fault.Invalid, field, "must be greater than 0")
	}
	return units.Int64(), nil
}
