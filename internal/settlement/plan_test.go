package settlement_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// balanceOf returns a deposit balance of cents that became final that long ago.
func balanceOf(id string, cents int64, since time.Duration) settlement.DepositBalance {
	return settlement.DepositBalance{
		PaymentID: id, Address: chain.Watched{Address: chain.Address("0x" + id)}, Settlement: merchantWallet,
		Asset: chain.Asset{Network: chain.Polygon, Contract: "0xusdt", Decimals: 6, Token: money.USDT},
		Due:   money.Micros(cents * 10_000).Units(6), Oldest: noon.Add(-since),
	}
}

func ids(balances []settlement.DepositBalance) string {
	var text strings.Builder
	for _, p := range balances {
		text.WriteString(p.PaymentID)
	}
	return text.String()
}

func TestPlan(t *testing.T) {
	t.Parallel()
	policy := settlement.Policy{Least: money.USD, Age: 24 * time.Hour, Dust: money.USD / 2, Wait: time.Minute, Batch: 3}
	many := func(n int, cents int64, change func(*settlement.DepositBalance)) (list []settlement.DepositBalance) {
		for i := range n {
			p := balanceOf(string(rune('a'+i)), cents, 24*time.Hour+time.Duration(n-i)*time.Second)
			change(&p)
			list = append(list, p)
		}
		return list
	}
	with := func(p settlement.DepositBalance, change func(*settlement.DepositBalance)) settlement.DepositBalance {
		change(&p)
		return p
	}
	for name, c := range map[string]struct {
		balances []settlement.DepositBalance
		want     string
	}{
		"Nothing":          {nil, ""},
		"WaitedLongEnough": {[]settlement.DepositBalance{balanceOf("a", 500, time.Minute)}, "a"},
		"TooYoung":         {[]settlement.DepositBalance{balanceOf("a", 500, 59*time.Second)}, ""},
		"FullBatchGoesAtOnce": {
			[]settlement.DepositBalance{balanceOf("a", 500, 0), balanceOf("b", 500, 0), balanceOf("c", 500, 0)}, "abc",
		},
		"OldestFirst":         {[]settlement.DepositBalance{balanceOf("d", 500, 1*time.Minute), balanceOf("a", 500, 4*time.Minute), balanceOf("b", 500, 3*time.Minute), balanceOf("c", 500, 2*time.Minute)}, "abc"},
		"YoungJoinsOld":       {[]settlement.DepositBalance{balanceOf("a", 500, time.Minute), balanceOf("b", 500, 0)}, "ab"},
		"Dust":                {[]settlement.DepositBalance{balanceOf("a", 99, time.Hour)}, ""},
		"JustEnough":          {[]settlement.DepositBalance{balanceOf("a", 100, time.Hour)}, "a"},
		"OldButNoDust":        {[]settlement.DepositBalance{balanceOf("a", 50, 24*time.Hour)}, "a"},
		"OldDust":             {[]settlement.DepositBalance{balanceOf("a", 49, 1000*24*time.Hour)}, ""},
		"DustOfOneMerchant":   {many(3, 40, func(*settlement.DepositBalance) {}), "abc"},
		"DustBelowLeast":      {many(3, 33, func(*settlement.DepositBalance) {}), ""},
		"DustOfTwoMerchants":  {many(3, 40, func(p *settlement.DepositBalance) { p.Settlement = "0x" + chain.Address(p.PaymentID[:1]) }), ""},
		"TooSmallForBatch":    {many(26, 24, func(*settlement.DepositBalance) {}), ""},
		"BlockedIsNotBatched": {many(3, 40, func(p *settlement.DepositBalance) { p.BlockedUntil = noon.Add(1) }), ""},
		"YoungIsNotBatched":   {many(3, 40, func(p *settlement.DepositBalance) { p.Oldest = noon }), ""},
		"MerchantWantsDust":   {[]settlement.DepositBalance{with(balanceOf("a", 10, 25*time.Hour), func(p *settlement.DepositBalance) { p.Least = 1 })}, ""},
		"DustIsNotUrgent":     {[]settlement.DepositBalance{balanceOf("a", 1, time.Hour), balanceOf("b", 500, 0)}, ""},
		"MerchantsLeast":      {[]settlement.DepositBalance{with(balanceOf("a", 5000, time.Hour), func(p *settlement.DepositBalance) { p.Least = 100 * money.USD })}, ""},
		"MerchantsLeastOld":   {[]settlement.DepositBalance{with(balanceOf("a", 5000, 25*time.Hour), func(p *settlement.DepositBalance) { p.Least = 100 * money.USD })}, "a"},
		"Blocked":             {[]settlement.DepositBalance{with(balanceOf("a", 5000, time.Hour), func(p *settlement.DepositBalance) { p.BlockedUntil = noon.Add(1) })}, ""},
		"BlockEnded":          {[]settlement.DepositBalance{with(balanceOf("a", 5000, time.Hour), func(p *settlement.DepositBalance) { p.BlockedUntil = noon })}, "a"},
		"NothingDue":          {[]settlement.DepositBalance{balanceOf("a", 0, 48*time.Hour)}, ""},
		"MovedTooMuch":        {[]settlement.DepositBalance{with(balanceOf("a", 0, 48*time.Hour), func(p *settlement.DepositBalance) { p.Due = p.Due.Sub(money.UnitsFromUint64(5)) })}, ""},
		"GroupedBySettlement": {[]settlement.DepositBalance{with(balanceOf("a", 500, 3*time.Minute), func(p *settlement.DepositBalance) { p.Settlement = "0xz" }), balanceOf("b", 500, 2*time.Minute), with(balanceOf("c", 500, time.Minute), func(p *settlement.DepositBalance) { p.Settlement = "0xz" })}, "bac"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := fmt.Sprint(c.balances)
			if got := ids(settlement.Plan(c.balances, policy, noon)); got != c.want {
				t.Errorf("planned %q, want %q", got, c.want)
			}
			if fmt.Sprint(c.balances) != before {
				t.Error("planning changed the balances")
			}
		})
	}
}

// TestPlan_Properties: a plan takes each deposit balance at most once, none that is blocked or too small, no more than
// one batch, and never a younger balance before an older one.
func TestPlan_Properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		policy := settlement.Policy{
			Least: money.Micros(rapid.Int64Range(1, 5_000_000).Draw(t, "least")), Age: time.Hour, Wait: time.Minute,
			Batch: rapid.IntRange(1, 6).Draw(t, "batch"),
		}
		var balances []settlement.DepositBalance
		for i := range rapid.IntRange(0, 15).Draw(t, "balances") {
			p := balanceOf(fmt.Sprintf("%02d", i), rapid.Int64Range(0, 700).Draw(t, "cents"), time.Duration(rapid.IntRange(0, 7200).Draw(t, "age"))*time.Second)
			if rapid.Bool().Draw(t, "blocked") {
				p.BlockedUntil = noon.Add(time.Duration(rapid.IntRange(-60, 60).Draw(t, "until")) * time.Second)
			}
			balances = append(balances, p)
		}
		plan := settlement.Plan(balances, policy, noon)
		if len(plan) > policy.Batch {
			t.Fatalf("%d balances in a batch of %d", len(plan), policy.Batch)
		}
		taken := make(map[string]bool)
		var youngest time.Time
		for _, p := range plan {
			worth := p.Due.Cmp(policy.Least.Units(6)) >= 0 || noon.Sub(p.Oldest) >= policy.Age
			if taken[p.PaymentID] || p.Due.IsZero() || !worth || noon.Before(p.BlockedUntil) {
				t.Fatalf("%+v is in the plan", p)
			}
			taken[p.PaymentID] = true
			if p.Oldest.After(youngest) {
				youngest = p.Oldest
			}
		}
		eligible := slices.DeleteFunc(slices.Clone(balances), func(p settlement.DepositBalance) bool {
			return p.Due.IsZero() || noon.Before(p.BlockedUntil) ||
				p.Due.Cmp(policy.Least.Units(6)) < 0 && noon.Sub(p.Oldest) < policy.Age
		})
		for _, p := range eligible {
			if len(plan) > 0 && !taken[p.PaymentID] && p.Oldest.Before(youngest) {
				t.Fatalf("%s is older than what is in the plan and was left behind", p.PaymentID)
			}
			if len(plan) == 0 && (noon.Sub(p.Oldest) >= policy.Wait || len(eligible) >= policy.Batch) {
				t.Fatalf("%s waited long enough, or fills a batch, and nothing is planned", p.PaymentID)
			}
		}
	})
}

func TestBlock(t *testing.T) {
	t.Parallel()
	last := time.Duration(0)
	for failures := range 8 {
		pause := settlement.Block(failures, noon).Sub(noon)
		if pause < time.Minute || pause < last || pause > 24*time.Hour {
			t.Errorf("after %d failures the pause is %s", failures, pause)
		}
		last = pause
	}
	if last != 24*time.Hour {
		t.Errorf("the longest pause is %s", last)
	}
}

func TestSweep_After(t *testing.T) {
	t.Parallel()
	i := chain.SweepItem{
		Address: chain.Watched{Address: "0xa"}, Asset: chain.Asset{Contract: "0xt"},
		Expected: money.UnitsFromUint64(10),
	}
	other := chain.SweepItem{Address: chain.Watched{Address: "0xb"}, Asset: chain.Asset{Contract: "0xt"}}
	before := settlement.Progress{
		Moved: money.UnitsFromUint64(5), Through: 7, Failures: 2, Reason: "old", BlockedUntil: noon.Add(-time.Hour),
	}
	ended := func(state settlement.State, items ...chain.SweepItem) settlement.Sweep {
		return settlement.Sweep{
			State: state, Items: items, Note: "note", Block: chain.Head{Number: 20}, Attempts: []chain.Attempt{{N: 1}},
		}
	}
	moved := ended(settlement.Confirmed, i, other)
	moved.Moved = []chain.Moved{{Address: "0xb", Contract: "0xt", Units: money.UnitsFromUint64(99)}, {Address: "0xa", Contract: "0xt", Units: money.UnitsFromUint64(12)}}
	earlier := moved
	earlier.Block.Number = 6 // reported late, in a block below that of the sweep before
	left := ended(settlement.Confirmed, i, other)
	left.Unmoved = []chain.Unmoved{{Address: "0xa", Contract: "0xt", Reason: "frozen"}}
	tooLarge := ended(settlement.Superseded, i)
	tooLarge.Attempts = nil
	third := settlement.Progress{Moved: before.Moved, Through: 7, Failures: 3, BlockedUntil: settlement.Block(3, noon)}
	with := func(p settlement.Progress, reason string) settlement.Progress { p.Reason = reason; return p }
	if again := ended(settlement.Superseded, i); again.After(i, with(before, "note"), noon) != with(third, "note") {
		t.Error("a balance whose sweep is superseded again is swept again at once")
	}
	expired := ended(settlement.Superseded, i)
	expired.Attempts = []chain.Attempt{{N: 1, Until: 9}}
	if got := expired.After(i, with(before, "note"), noon); got != with(before, "note") {
		t.Errorf("a balance whose sweep has expired again waits: %+v", got)
	}
	for name, c := range map[string]struct {
		w    settlement.Sweep
		want settlement.Progress
	}{
		"Moved":           {moved, settlement.Progress{Moved: money.UnitsFromUint64(17), Through: 20}},
		"MovedEarlier":    {earlier, settlement.Progress{Moved: money.UnitsFromUint64(17), Through: 7}},
		"Frozen":          {left, with(third, "frozen")},
		"NothingThere":    {ended(settlement.Confirmed, i), with(third, "nothing left the address, although money was recorded there")},
		"RevertedSingle":  {ended(settlement.Failed, i), with(third, "note")},
		"RevertedBatch":   {ended(settlement.Failed, i, other), settlement.Progress{Moved: before.Moved, Through: 7, Failures: 2, BlockedUntil: noon.Add(time.Minute), Reason: "note"}},
		"Superseded":      {ended(settlement.Superseded, i), with(before, "note")},
		"TooLargeSingle":  {tooLarge, with(third, "note")},
		"SupersededBatch": {ended(settlement.Superseded, i, other), with(before, "note")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.w.After(i, before, noon); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", c.want) {
				t.Errorf("the progress afterwards is %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestForecast(t *testing.T) {
	t.Parallel()
	coins := func(n uint64) chain.GasWallet {
		return chain.GasWallet{Address: "0xgas", Balance: money.UnitsFromUint64(n)}
	}
	week := func(paid uint64) settlement.Spending {
		return settlement.Spending{
			Since: noon.Add(-7 * 24 * time.Hour), Paid: money.UnitsFromUint64(paid), Sweeps: 10, Items: 70,
		}
	}
	for name, c := range map[string]struct {
		w     chain.GasWallet
		s     settlement.Spending
		days  int
		level settlement.Level
	}{
		"NothingSpent":  {coins(5), settlement.Spending{}, -1, settlement.LevelOK},
		"Empty":         {coins(0), settlement.Spending{}, 0, settlement.LevelAlarm},
		"EmptyAndSpent": {coins(0), week(700), 0, settlement.LevelAlarm},
		"Enough":        {coins(1400), week(700), 14, settlement.LevelOK},
		"Low":           {coins(1399), week(700), 13, settlement.LevelWarn},
		"StillLow":      {coins(300), week(700), 3, settlement.LevelWarn},
		"AlmostEmpty":   {coins(299), week(700), 2, settlement.LevelAlarm},
		"Capped":        {coins(1 << 62), week(700), settlement.MaxDays, settlement.LevelOK},
		"HardlySpent":   {coins(100), week(1), -1, settlement.LevelOK},
		"FirstHourCounts": {
			coins(400),
			settlement.Spending{Since: noon.Add(-time.Minute), Paid: money.UnitsFromUint64(25), Sweeps: 1, Items: 1},
			4,
			settlement.LevelWarn,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := settlement.Forecast(c.w, c.s, noon)
			if r.Days != c.days || r.Level != c.level {
				t.Errorf("%d days, %s; want %d, %s", r.Days, r.Level, c.days, c.level)
			}
			if c.s.Items == 70 && c.s.Paid.String() == "700" &&
				(r.PerItem.String() != "10" || r.PerDay.String() != "100") {
				t.Errorf("sweeping costs %s a deposit balance and %s a day", r.PerItem, r.PerDay)
			}
		})
	}
}
