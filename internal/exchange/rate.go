package exchange

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/money"
)

// Rate is what one unit of a currency is worth in US dollars, in 1e-10: 1.16152 is 11,615,200,000. The mean of two
// answers of feeds, which have 8 decimals, is exact.
type Rate int64

// RateDecimals is the scale of Rate.
const RateDecimals = 10

// RateScale is the Rate of one dollar.
const RateScale = 10_000_000_000

// one is the rate of a dollar.
const one Rate = RateScale

// maxRate is above what a unit of any currency is worth.
const maxRate = 1_000_000 * one

// String returns the rate as the shortest decimal number.
func (r Rate) String() string {
	return strings.TrimSuffix(strings.TrimRight(decimals(int64(r), RateDecimals), "0"), ".")
}

// decimals writes an integer with so many decimal places.
func decimals(v int64, places int) string {
	text := strconv.FormatInt(v, 10)
	if places == 0 {
		return text
	}
	text = strings.Repeat("0", max(places+1-len(text), 0)) + text
	return text[:len(text)-places] + "." + text[len(text)-places:]
}

// ParseRate reads what a unit of a currency is worth in US dollars, as a plain decimal; an empty text is 0.
func ParseRate(text string) (Rate, bool) {
	if text == "" {
		return 0, true
	}
	whole, fraction, ok := plain(text)
	if !ok || len(whole) > 7 || len(fraction) > RateDecimals {
		return 0, false
	}
	r, err := strconv.ParseInt(whole+(fraction + strings.Repeat("0", RateDecimals))[:RateDecimals], 10, 64)
	return Rate(r), err == nil && r > 0 && Rate(r) <= maxRate
}

// Price is an amount in a currency, and the rate at which it was taken. Its zero value is no price: the amount was
// given in dollars.
type Price struct {
	Sum
	Quote
}

// Quote is a rate with where it comes from.
type Quote struct {
	Rate    Rate
	At      time.Time // when its sources were read
	Sources []string
	Markup  int64 // what the merchant adds, in hundredths of a per cent
}

// whole is a hundred per cent in the scale of Quote.Markup.
const whole = 10_000

// Worth is the price in dollars, with the mark-up: exact, then rounded half up to millionths, once. ok is false if that
// is more than Micros hold.
func (p Price) Worth() (m money.Micros, ok bool) {
	product := new(big.Int).Mul(big.NewInt(p.Units), p.factor())
	scale := p.scale()
	half := new(big.Int).Rsh(scale, 1)
	product.Add(product, half).Quo(product, scale)
	return money.Micros(product.Int64()), product.IsInt64()
}

// factor is the rate with the mark-up, by which units are multiplied, and scale what they are divided by then.
func (p Price) factor() *big.Int {
	return new(big.Int).Mul(big.NewInt(int64(p.Rate)), big.NewInt(whole+p.Markup))
}

func (p Price) scale() *big.Int {
	scale := tenTo(p.Currency.Digits() + RateDecimals - money.MicrosDecimals)
	return scale.Mul(scale, big.NewInt(whole))
}

// Of returns what so many dollars are at the rate of the price, in the currency's smallest unit, rounded half up; 0
// without a price.
func (p Price) Of(m money.Micros) int64 {
	if p.Rate <= 0 {
		return 0
	}
	scaled := new(big.Int).Mul(big.NewInt(int64(m)), p.scale())
	factor := p.factor()
	return scaled.Lsh(scaled, 1).Add(scaled, factor).Quo(scaled, factor.Lsh(factor, 1)).Int64()
}

// MarkupPercent is the mark-up as a plain decimal number; empty for none.
func (q Quote) MarkupPercent() string {
	if q.Markup == 0 {
		return ""
	}
	return strings.TrimSuffix(strings.TrimRight(decimals(q.Markup, 2), "0"), ".")
}

// tenTo returns a power of ten that the caller may change; a rate's is at most 10^18.
func tenTo(n int) *big.Int { return big.NewInt(powers[n]) }

var powers = func() (p [19]int64) {
	for i := range p {
		p[i] = 1
		for range i {
			p[i] *= 10
		}
	}
	return p
}()
