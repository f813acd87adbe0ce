package settlement_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
)

func TestSchedule_Ask(t *testing.T) {
	t.Parallel()
	first, err := settlement.Schedule{}.Ask(noon)
	if err != nil || !first.AskedAt.Equal(noon) {
		t.Fatalf("%+v, %v", first, err)
	}
	again, err := first.Ask(noon.Add(time.Hour - 1))
	if fault.KindOf(err) != fault.Conflict || again != first {
		t.Errorf("within the hour: %+v, %v", again, err)
	}
	if later, err := first.Ask(noon.Add(time.Hour)); err != nil || !later.AskedAt.Equal(noon.Add(time.Hour)) {
		t.Errorf("after an hour: %+v, %v", later, err)
	}
}

func TestSchedule_With(t *testing.T) {
	t.Parallel()
	policy := settlement.DefaultPolicy()
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		atOnce money.Micros
		wait   time.Duration
		field  string
		want   settlement.Schedule
	}{
		"Policy":    {1000 * money.USD, day, "", settlement.Schedule{}},
		"Longer":    {2000 * money.USD, 7 * day, "", settlement.Schedule{AtOnce: 2000 * money.USD, Wait: 7 * day}},
		"LessMoney": {1000*money.USD - 1, day, "atOnce", settlement.Schedule{}},
		"TooMuch":   {1_000_000*money.USD + 1, day, "atOnce", settlement.Schedule{}},
		"LessTime":  {1000 * money.USD, day - 1, "hours", settlement.Schedule{}},
		"TooLong":   {1000 * money.USD, 7*day + 1, "hours", settlement.Schedule{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := settlement.Schedule{}.With(c.atOnce, c.wait, policy)
			if got != c.want || (err != nil) != (c.field != "") || err != nil && fault.Of(err).Field != c.field {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	own := settlement.Schedule{AtOnce: 5 * money.USD, Wait: time.Hour}
	if atOnce, wait := own.Limits(policy); atOnce != policy.AtOnce || wait != policy.Wait {
		t.Errorf("less than the operator's is %s and %s", atOnce, wait)
	}
}

func TestHold(t *testing.T) {
	t.Parallel()
	policy := settlement.DefaultPolicy()
	for name, c := range map[string]struct {
		balances []settlement.DepositBalance
		count    int
		dust     int
		by       time.Duration // from noon
	}{
		"Nothing":    {nil, 0, 0, 0},
		"Small":      {many(2, 2_500, 3*time.Hour), 2, 0, 21 * time.Hour},
		"Large":      {many(1, 200_000, 30*time.Second), 1, 0, 30 * time.Second},
		"Overdue":    {many(1, 2_500, 30*time.Hour), 1, 0, 0},
		"BelowLeast": {many(1, 90, time.Hour), 1, 0, 23 * time.Hour},
		"Dust":       {many(3, 4, time.Hour), 0, 3, 0},
		"Blocked": {
			[]settlement.DepositBalance{changed(balanceOf("a", 200_000, time.Hour), func(b *settlement.DepositBalance) {
				b.BlockedUntil = noon.Add(6 * time.Hour)
			})},
			1, 0, 6 * time.Hour,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := settlement.Hold(c.balances, policy, noon)
			if h.Balances != c.count || h.Dust != c.dust || c.count > 0 != !h.By.IsZero() {
				t.Fatalf("%+v", h)
			}
			if c.count > 0 && !h.By.Equal(noon.Add(c.by)) {
				t.Errorf("it is sent by %s, want %s", h.By, noon.Add(c.by))
			}
		})
	}
}
