package exchange

import (
	"cmp"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// Reading is what one source has said of a currency or a token.
type Reading struct {
	Source string // such as "chainlink:base"
	Of     string // a currency, or a token such as USDC
	// Answer is the price in US dollars with Decimals places, and Description what the feed calls itself.
	Answer      *big.Int
	Decimals    int
	Places      int // how many decimals it must have; 0: those of price feeds
	Description string
	UpdatedAt   time.Time     // when the source has set it
	MaxAge      time.Duration // of UpdatedAt
	ReadAt      time.Time     // when it was read
	Problem     string        // why it could not be read; empty: it was
}

const (
	// feedDecimals is how many decimals every price feed in US dollars has.
	feedDecimals = 8
	// readWithin is how old what was read may be: two turns of the reader and a half, so that one turn may fail.
	readWithin = 150 * time.Second
	// ahead is by how much the clock of a chain may be before ours.
	ahead = 2 * time.Minute
)

// Value returns the rate that the reading states, or why it counts for nothing at that time.
func (r Reading) Value(now time.Time) (rate Rate, problem string) {
	answer, places := r.Answer, cmp.Or(r.Places, feedDecimals)
	switch {
	case r.Problem != "":
		return 0, r.Problem
	case now.Sub(r.ReadAt) > readWithin || r.ReadAt.After(now.Add(ahead)):
		return 0, "it was not read lately"
	case !r.describes():
		return 0, fmt.Sprintf("it calls itself %.40q", r.Description)
	case r.Decimals != places:
		return 0, fmt.Sprintf("it has %d decimals instead of %d", r.Decimals, places)
	case answer == nil || answer.Sign() == 0:
		return 0, "its price is zero"
	case answer.Sign() < 0:
		return 0, "its price is negative"
	case r.UpdatedAt.After(now.Add(ahead)):
		return 0, "its price is from the future"
	case now.Sub(r.UpdatedAt) > r.MaxAge:
		return 0, fmt.Sprintf("its price is older than %s", r.MaxAge)
	}
	scaled := new(big.Int).Mul(answer, tenTo(RateDecimals-places))
	if scaled.Cmp(big.NewInt(int64(maxRate))) > 0 {
		return 0, "its price is absurd"
	}
	return Rate(scaled.Int64()), ""
}

// describes reports whether the feed calls itself by what it is read for: "EUR / USD".
func (r Reading) describes() bool {
	if r.Description == r.Of+" / "+string(USD) { // as almost all do
		return true
	}
	return strings.EqualFold(strings.Join(strings.Fields(r.Description), ""), r.Of+"/"+string(USD))
}
