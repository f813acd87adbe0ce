package chain

import (
	"time"

	"golang.org/x/time/rate"
)

// Budgets are how many calls a day reading a network may cost at each of its endpoints, in the order in which they are
// configured; where there are fewer, the last one is for all others. 0 is no limit.
type Budgets []int64

// Of returns the budget of an endpoint.
func (all Budgets) Of(endpoint int) int64 {
	if len(all) == 0 {
		return 0
	}
	return all[min(endpoint, len(all)-1)]
}

// Least returns the smallest; 0 is no limit.
func (all Budgets) Least() (least int64) {
	for _, b := range all {
		if b > 0 && (least == 0 || b < least) {
			least = b
		}
	}
	return least
}

// Spent returns what part of its day's budget the endpoint that is nearest to it has spent, in hundredths of a per
// cent, at most ten budgets.
func (all Budgets) Spent(calls []int64) (parts int64) {
	const whole = 10_000
	for i, n := range calls {
		if b := all.Of(i); b > 0 {
			parts = max(parts, min(n, 10*b)*whole/b) //nolint:mnd // ten budgets
		}
	}
	return parts
}

// SpentPercent is Spent in per cent.
func (all Budgets) SpentPercent(calls []int64) int64 { return all.Spent(calls) / 100 } //nolint:mnd // per cent

// Lists is an allowance of calls a day for listing the token accounts of owners, of whom a stranger can make many: a
// quarter of them at once, and the others in the course of the day.
type Lists struct {
	limit *rate.Limiter
	now   func() time.Time
}

// ListShare is the part of a day's budget of calls that listing may take at each endpoint: what payments that strangers
// let expire cost, and again as much what the daily comparison asks for.
const ListShare = 10

// Lists returns a new allowance of the smallest budget; nil where there is no limit.
func (all Budgets) Lists(now func() time.Time) *Lists {
	budget := all.Least()
	if budget <= 0 {
		return nil
	}
	perDay := int(budget / (ListShare * ListCalls))
	atOnce := max(perDay/4, 1)
	return &Lists{rate.NewLimiter(rate.Limit(float64(perDay-atOnce)/(24*time.Hour).Seconds()), atOnce), now}
}

// Take returns how many owners may be listed now, at most as many as given.
func (l *Lists) Take(owners int) int {
	if l == nil {
		return owners
	}
	now := l.now()
	taken := min(owners, int(max(l.limit.TokensAt(now), 0)))
	if !l.limit.AllowN(now, taken) {
		return 0 // somebody else has taken them at the same moment
	}
	return taken
}
