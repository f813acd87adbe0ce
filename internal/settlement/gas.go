package settlement

import (
	"math/big"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// Spending is what sweeps of a network cost in a span of time.
type Spending struct {
	Since  time.Time // of the first sweep in the span; zero when there is none
	Paid   money.Units
	Sweeps int
	Items  int // deposit balances they moved
}

// Level says how urgent the gas wallet is.
type Level string

// The levels.
const (
	LevelOK    Level = "ok"
	LevelWarn  Level = "warn"  // send coins within days
	LevelAlarm Level = "alarm" // send coins now
)

// Limits of the levels, in days of the present spending: a weekend and a holiday
// to send coins after a warning, a night after an alarm.
const (
	warnDays  = 14
	alarmDays = 3
)

const (
	// measuredFor is the span over which spending is measured.
	measuredFor = 7 * 24 * time.Hour
	// leastSpan keeps the first sweeps of a new installation from counting as a
	// day's traffic.
	leastSpan = 6 * time.Hour
)

// Runway is how long a gas wallet lasts.
type Runway struct {
	Wallet  chain.GasWallet
	PerDay  money.Units // what sweeping costs a day, measured
	PerItem money.Units // what it costs to move one balance, measured; 0 unknown
	// Days is for how many whole days the balance lasts at that rate, at most
	// MaxDays; -1 while nothing was spent to measure.
	Days  int
	Level Level
}

// MaxDays bounds a runway: ten years.
const MaxDays = 3650

// Forecast returns how long the wallet lasts at the measured spending.
func Forecast(w chain.GasWallet, s Spending, now time.Time) Runway {
	r := Runway{Wallet: w, Days: -1, Level: LevelOK}
	if s.Items > 0 {
		r.PerItem = money.NewUnits(new(big.Int).Div(s.Paid.Big(), big.NewInt(int64(s.Items))))
	}
	if w.Balance.IsZero() {
		r.Days, r.Level = 0, LevelAlarm
	}
	if s.Paid.IsZero() {
		return r
	}
	span := max(now.Sub(s.Since), leastSpan)
	perDay := new(big.Int).Mul(s.Paid.Big(), big.NewInt(int64(24*time.Hour)))
	perDay.Div(perDay, big.NewInt(int64(span)))
	r.PerDay = money.NewUnits(perDay)
	if perDay.Sign() == 0 {
		return r
	}
	days := new(big.Int).Div(w.Balance.Big(), perDay)
	r.Days = MaxDays
	if days.Cmp(big.NewInt(MaxDays)) < 0 {
		r.Days = int(days.Int64())
	}
	switch {
	case r.Days < alarmDays:
		r.Level = LevelAlarm
	case r.Days < warnDays:
		r.Level = LevelWarn
	}
	return r
}
