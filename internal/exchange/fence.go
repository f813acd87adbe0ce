package exchange

import (
	"math/big"
	"time"

	"github.com/florinpay/florin/internal/fault"
)

// Fence is the reference rates of a day, by a bank rather than a chain: what a rate must not be far from. It is never a
// price.
type Fence struct {
	Name string    // such as "ecb"
	Date time.Time // the day of the rates, at midnight UTC
	// PerEuro is how much of each currency a euro is.
	PerEuro map[Currency]*big.Rat
	Problem string // why it could not be read; empty: it was
}

// The rule by which the fence widens: banks set rates on working days only, so over a weekend and holidays the rates of
// the last working day stand.
const (
	// fixedAt is when, on its day, a bank has published a rate: 16:00 in Frankfurt.
	fixedAt = 15 * time.Hour
	// freshFor is how long the fence is as wide as it is set: a working day and the delay of the next.
	freshFor = 48 * time.Hour
	// fenceAge is when it is too old: from Thursday to the Tuesday after Easter, and a day.
	fenceAge = 6 * 24 * time.Hour
	// wideningPart of the percentage is added for each day after freshFor that has begun.
	wideningPart = 3
)

// bound returns how far a rate may be from the fence, as a part of it in 1/boundScale; ok is false once the fence is
// too old, or not of this time at all.
func (f Fence) bound(percent int64, now time.Time) (part int64, ok bool) {
	age := now.Sub(f.Date.Add(fixedAt))
	if age > fenceAge || age < -24*time.Hour {
		return 0, false
	}
	const day = 24 * time.Hour
	days := int64(0)
	if age > freshFor {
		days = int64((age-freshFor-1)/day) + 1
	}
	return percent * (wideningPart + days), true
}

const boundScale = 100 * wideningPart

// dollars returns what a unit of the currency is worth in US dollars, as a fraction that is not reduced: reducing it
// would cost more than all that is done with it.
func (f Fence) dollars(c Currency) (above, below *big.Int, ok bool) {
	perEuro := func(c Currency) *big.Rat {
		if c == "EUR" {
			return euro
		}
		return f.PerEuro[c]
	}
	usd, of := perEuro(USD), perEuro(c)
	if usd == nil || of == nil || usd.Sign() <= 0 || of.Sign() <= 0 {
		return nil, nil, false
	}
	return new(big.Int).Mul(usd.Num(), of.Denom()), new(big.Int).Mul(usd.Denom(), of.Num()), true
}

// euro is how much of its own currency a euro is.
var euro = big.NewRat(1, 1)

// Admits returns why the fence does not admit the rate; empty: it does.
func (f Fence) Admits(c Currency, r Rate, percent int64, now time.Time) (Cause, fault.Words) {
	if f.Problem != "" {
		return FenceMissing, fault.Text("the reference rate could not be read")
	}
	part, ok := f.bound(percent, now)
	if !ok {
		return FenceOld, fault.Text("the reference rate is of %s", f.Date.Format(time.DateOnly))
	}
	above, below, ok := f.dollars(c)
	if !ok {
		return FenceMissing, fault.Text("the reference rates do not list it")
	}
	// |r/one - above/below| <= part/boundScale * above/below, times one * below.
	above.Mul(above, big.NewInt(int64(one)))
	off := below.Mul(below, big.NewInt(int64(r)))
	off.Sub(off, above).Abs(off).Mul(off, big.NewInt(boundScale))
	if off.Cmp(above.Mul(above, big.NewInt(part))) > 0 {
		return FenceOutside, fault.Text("its sources are too far from the reference rate")
	}
	return "", fault.Words{}
}
