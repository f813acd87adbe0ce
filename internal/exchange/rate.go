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
	return strings.TrimSuffix(strings.TrimRight(fixed(int64(r), RateDecimals), "0"), ".")
}

// fixed writes an integer with so many decimal places.
func fixed(v int64, decimals int) string {
	text := strconv.FormatInt(v, 10)
	if decimals == 0 {
		return text
	}
	text = strings.Repeat("0", max(decimals+1-len(text), 0)) + text
	return text[:len(text)-decimals] + "." + text[len(text)-decimals:]
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
}

// Worth is the price in dollars: exact, then rounded half up to millionths, once. ok is false if that is more than
// Micros hold.
func (p Price) Worth() (m money.Micros, ok bool) {
	product := new(big.Int).Mul(big.NewInt(p.Units), big.NewInt(int64(p.Rate)))
	scale := tenTo(p.Currency.Digits() + RateDecimals - money.MicrosDecimals)
	half := new(big.Int).Rsh(scale, 1)
	product.Add(product, half).Quo(product, scale)
	return money.Micros(product.Int64()), product.IsInt64()
}

// Of returns what so many dollars are at the rate of the price, in the currency's smallest unit, rounded half up; 0
// without a price.
func (p Price) Of(m money.Micros) int64 {
	if p.Rate <= 0 {
		return 0
	}
	scaled := new(big.Int).Mul(big.NewInt(int64(m)), tenTo(p.Currency.Digits()+RateDecimals-money.MicrosDecimals))
	rate := big.NewInt(int64(p.Rate))
	return scaled.Lsh(scaled, 1).Add(scaled, rate).Quo(scaled, rate.Lsh(rate, 1)).Int64()
}

func tenTo(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
