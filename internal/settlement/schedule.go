package settlement

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/money"
)

// Schedule is how long a merchant lets the money of an API key wait for others to share its transaction. A merchant can
// wait longer than the operator's policy, not less: the operator pays for gas.
type Schedule struct {
	AtOnce money.Micros  // so much for one wallet does not wait; 0: the policy's
	Wait   time.Duration // the longest that less waits; 0: the policy's
	// AskedAt is when the merchant last asked for the money: what had arrived by then does not wait. Zero: never.
	AskedAt time.Time
}

const (
	// MaxWait is the longest that a merchant lets money wait.
	MaxWait = 7 * 24 * time.Hour
	// maxAtOnce is far above what a shop lets wait.
	maxAtOnce = 1_000_000 * money.USD
	// askEvery is how often a merchant may ask for the money: each time the operator pays for a transaction.
	askEvery = time.Hour
)

// Schedules changes how long the money of API keys waits, by methods of the store.
type Schedules struct {
	Policy   func(chain.Network) Policy
	Balances func(context.Context, chain.Network, Query) ([]DepositBalance, error)
	Stored   func(ctx context.Context, keyID int64) (Schedule, error)
	// Update loads the schedule of the key, calls decide and writes what it returns, in one transaction.
	Update func(ctx context.Context, keyID int64, decide func(Schedule) (Schedule, audit.Record, error)) error
}

// Set has the key's money wait for other limits.
func (s Schedules) Set(ctx context.Context, keyID int64, atOnce money.Micros, wait time.Duration, act audit.Act) error {
	return s.Update(ctx, keyID, func(before Schedule) (Schedule, audit.Record, error) {
		next, err := before.With(atOnce, wait, s.Policy(""))
		return next, act.Record(act.Account, audit.ActionSchedule, act.Key,
			mail.T("when {{.Amount}} wait, or after {{.Wait}}",
				"Amount", mail.Dollars(atOnce), "Wait", inWords(wait)).Kept()), err
	})
}

// Ask has the key's money sent with the next transaction.
func (s Schedules) Ask(ctx context.Context, keyID int64, act audit.Act) error {
	return s.Update(ctx, keyID, func(before Schedule) (Schedule, audit.Record, error) {
		next, err := before.Ask(act.At)
		return next, act.Record(act.Account, audit.ActionSettle, act.Key, ""), err
	})
}

// inWords is a time in whole hours, rounded up; below one, which only an operator sets, as it is.
func inWords(d time.Duration) string {
	if d < time.Hour {
		return d.String()
	}
	return mail.N("{{.N}} hours", "{{.N}} hour", wholeHours(d)).Kept()
}

// Ask returns the schedule after the merchant asked for the money.
func (s Schedule) Ask(now time.Time) (Schedule, error) {
	if next := s.AskedAt.Add(askEvery); !s.AskedAt.IsZero() && now.Before(next) {
		return s, fault.New(fault.Conflict, "your money was sent for less than an hour ago; ask again after %s UTC",
			next.UTC().Format("15:04"))
	}
	s.AskedAt = now
	return s, nil
}

// With returns the schedule with other limits. Those of the policy are stored as 0, so that the merchant follows it.
func (s Schedule) With(atOnce money.Micros, wait time.Duration, p Policy) (Schedule, error) {
	if atOnce < p.AtOnce || atOnce > max(maxAtOnce, p.AtOnce) {
		return s, fault.About(fault.Invalid, "atOnce", "must be from $%s to $%s", p.AtOnce.Display(),
			max(maxAtOnce, p.AtOnce).Display())
	}
	if wait < p.Wait || wait > MaxWait {
		return s, fault.About(fault.Invalid, "hours", "must be from %d to %d", wholeHours(p.Wait), wholeHours(MaxWait))
	}
	s.AtOnce, s.Wait = atOnce, wait
	if atOnce == p.AtOnce {
		s.AtOnce = 0
	}
	if wait == p.Wait {
		s.Wait = 0
	}
	return s, nil
}

// Limits returns what holds for the merchant under the policy.
func (s Schedule) Limits(p Policy) (atOnce money.Micros, wait time.Duration) {
	return max(s.AtOnce, p.AtOnce), max(s.Wait, p.Wait)
}

// wholeHours rounds up.
func wholeHours(d time.Duration) int { return int((d + time.Hour - 1) / time.Hour) }

// Holding is the money that waits to be swept.
type Holding struct {
	Balances int
	Sum      money.Atto
	// By is when the first of it is swept at the latest, unless gas gets dear; zero when nothing waits.
	By time.Time
	// Dust counts the balances that are worth less than moving them costs, which wait for more; Sum leaves them out.
	Dust int
}

// Hold returns what waits of the balances.
func Hold(balances []DepositBalance, policy Policy, now time.Time) Holding {
	var h Holding
	sums := sumsByWallet(balances)
	for _, b := range balances {
		if !b.holds(policy.SingleDust()) {
			h.Dust++
			continue
		}
		h.Balances++
		h.Sum = h.Sum.Add(b.Due.Atto(b.Asset.Decimals))
		by := policy.ripeAt(b, sums[b.Settlement])
		if aged := b.Oldest.Add(policy.Age); !b.Urgent && !b.holds(max(policy.Least, b.Least)) && aged.After(by) {
			by = aged
		}
		if b.BlockedUntil.After(by) {
			by = b.BlockedUntil
		}
		if by.Before(now) {
			by = now
		}
		if h.By.IsZero() || by.Before(h.By) {
			h.By = by
		}
	}
	return h
}
