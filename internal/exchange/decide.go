package exchange

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// Rules are the operator's settings.
type Rules struct {
	Fenced       bool  // a fence is required
	FencePercent int64 // how far a rate may be from the fence on a fresh day
	PegPercent   int64 // how far a token may be from a dollar
}

// agreePercent is how far two sources of a rate may be from each other.
const agreePercent = 1

// View is what is known at a time.
type View struct {
	Readings map[string][]Reading // by currency or token
	Fence    Fence
}

// Cause is why there is no rate.
type Cause string

// The causes.
const (
	Unlisted     Cause = "unlisted"      // no source has the currency
	TooFew       Cause = "too_few"       // fewer than two sources count: stale, absent, zero, negative, absurd, wrong
	Disagree     Cause = "disagree"      // no two sources agree
	FenceMissing Cause = "fence_missing" // the fence cannot be read, or does not list the currency
	FenceOld     Cause = "fence_old"
	FenceOutside Cause = "fence_outside"
	PegUnknown   Cause = "peg_unknown" // no reading of a token counts
	Depegged     Cause = "depegged"
)

// Refusal is why a currency cannot be priced.
type Refusal struct {
	Currency Currency
	Cause    Cause
	Detail   fault.Words
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("%s cannot be priced at the moment: %s", r.Currency, r.Detail)
}

// Fault is the refusal as callers see it.
func (r *Refusal) Fault(retry time.Duration) *fault.Error {
	reason := fault.ReasonRateUnavailable
	if r.Cause == Depegged {
		reason = fault.ReasonTokenDepegged
	}
	return fault.Retry(fault.Unavailable, retry,
		"%s cannot be priced at the moment: %s", r.Currency, r.Detail).Because(reason)
}

// Decide returns the rate of the currency at that time: the median of the sources that count, if two agree, inside the
// fence, while no token is off its peg. Otherwise it fails with a *Refusal.
func Decide(c Currency, v View, rules Rules, now time.Time) (Quote, error) {
	if c == USD {
		return Quote{Rate: one, At: now}, nil
	}
	refused := func(cause Cause, detail fault.Words) (Quote, error) {
		return Quote{}, &Refusal{c, cause, detail}
	}
	if cause, detail := v.Pegs(rules, now); cause != "" {
		return refused(cause, detail)
	}
	if len(v.Readings[string(c)]) == 0 {
		return refused(Unlisted, fault.Text("no source has it"))
	}
	counted, problems := count(v.Readings[string(c)], now)
	if len(counted) < leastSources {
		return refused(TooFew, fault.Text("it needs %d sources and has %d (%s)", leastSources, len(counted),
			cmp.Or(strings.Join(problems, "; "), "no other is configured")))
	}
	middle, agree := median(counted)
	if !agree {
		return refused(Disagree, fault.Text("its sources disagree"))
	}
	q := Quote{Rate: middle, At: now}
	for _, x := range counted {
		q.Sources = append(q.Sources, x.Source)
		if x.ReadAt.Before(q.At) {
			q.At = x.ReadAt
		}
	}
	if rules.Fenced {
		if cause, detail := v.Fence.Admits(c, middle, rules.FencePercent, now); cause != "" {
			return refused(cause, detail)
		}
		q.Sources = append(q.Sources, v.Fence.Name)
	}
	return q, nil
}

// leastSources must agree.
const leastSources = 2

// counted is a reading that counts.
type counted struct {
	Reading

	rate Rate
}

// count returns the readings that count, one of each source, by their rates, and why each other one does not.
func count(readings []Reading, now time.Time) (list []counted, problems []string) {
	for _, r := range readings {
		rate, problem := r.Value(now)
		if slices.ContainsFunc(list, func(x counted) bool { return x.Source == r.Source }) {
			problem = "it is there twice"
		}
		if problem != "" {
			problems = append(problems, r.Source+": "+problem)
			continue
		}
		list = append(list, counted{r, rate})
	}
	slices.SortStableFunc(list, func(a, b counted) int { return cmp.Compare(a.rate, b.rate) })
	return list, problems
}

// median returns the rate in the middle, or the mean of the two there, and whether one more source agrees with it.
func median(list []counted) (middle Rate, agree bool) {
	n := len(list)
	low, high := list[(n-1)/2].rate, list[n/2].rate
	middle = low + (high-low+1)/2
	if n%2 == 0 {
		return middle, near(low, high, agreePercent)
	}
	for i, x := range list {
		agree = agree || i != n/2 && near(x.rate, middle, agreePercent)
	}
	return middle, agree
}

// near reports whether two rates differ by at most so many per cent of the lower one.
func near(a, b Rate, percent int64) bool {
	if a > b {
		a, b = b, a
	}
	return int64(b-a)*100 <= int64(a)*percent // both are at most maxRate
}

// Pegs returns why prices in other currencies are off for the sake of a token; empty: they are on. A token that has
// feeds must have one that counts.
func (v View) Pegs(rules Rules, now time.Time) (Cause, fault.Words) {
	for _, t := range money.Tokens() {
		readings := v.Readings[string(t)]
		if len(readings) == 0 {
			continue
		}
		list, _ := count(readings, now)
		if len(list) == 0 {
			return PegUnknown, fault.Text("what %s is worth is not known", t)
		}
		if worth, _ := median(list); !pegged(worth, rules.PegPercent) {
			return Depegged, fault.Text("%s is worth %s USD", t, worth)
		}
	}
	return "", fault.Words{}
}

func pegged(worth Rate, percent int64) bool {
	off := worth - one
	return max(off, -off) <= one/100*Rate(percent)
}
