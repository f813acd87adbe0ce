package settlement_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
)

// many returns so many balances of cents each, the first that old and each next one a second younger.
func many(n int, cents int64, oldest time.Duration) (list []settlement.DepositBalance) {
	for i := range n {
		list = append(list, balanceOf(fmt.Sprintf("%04d", i), cents, oldest-time.Duration(i)*time.Second))
	}
	return list
}

func changed(b settlement.DepositBalance, change func(*settlement.DepositBalance)) settlement.DepositBalance {
	change(&b)
	return b
}

// Small amounts wait up to a day for others to share their transaction; what adds up to much, or has enough others,
// goes at once.
func TestPlan_Wait(t *testing.T) {
	t.Parallel()
	toOther := func(b settlement.DepositBalance) settlement.DepositBalance {
		return changed(b, func(b *settlement.DepositBalance) { b.Settlement = "0xother" })
	}
	for name, c := range map[string]struct {
		balances []settlement.DepositBalance
		want     int
	}{
		"SmallWaits":           {many(1, 2_500, 23*time.Hour), 0},
		"SmallAfterADay":       {many(1, 2_500, 24*time.Hour), 1},
		"AllGoWithTheOldest":   {append(many(1, 2_500, 24*time.Hour), many(4, 2_500, time.Hour)[1:]...), 4},
		"LargeGathers":         {many(1, 100_000, 59*time.Second), 0},
		"LargeAtOnce":          {many(1, 100_000, time.Minute), 1},
		"SumIsLarge":           {many(4, 25_000, 2*time.Minute), 4},
		"SumIsNot":             {many(3, 25_000, 2*time.Minute), 0},
		"SumOfTwoWallets":      {[]settlement.DepositBalance{balanceOf("a", 60_000, time.Hour), toOther(balanceOf("b", 60_000, time.Hour))}, 0},
		"OtherWalletGoesAlong": {[]settlement.DepositBalance{balanceOf("a", 100_000, time.Hour), toOther(balanceOf("b", 2_500, time.Hour))}, 2},
		"Enough":               {many(25, 2_500, time.Minute), 25},
		"NotEnough":            {many(24, 2_500, time.Minute), 0},
		"EnoughDust":           {many(25, 3, 25*time.Hour), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := settlement.Plan(c.balances, settlement.DefaultPolicy(), noon); len(got) != c.want {
				t.Errorf("%d balances are planned, want %d", len(got), c.want)
			}
		})
	}
}

// A merchant may let money wait longer than the operator, and may have it sent now.
func TestPlan_Merchant(t *testing.T) {
	t.Parallel()
	const hour = time.Hour
	for name, c := range map[string]struct {
		balance settlement.DepositBalance
		change  func(*settlement.DepositBalance)
		want    int
	}{
		"MoreAtOnce": {balanceOf("a", 100_000, hour), func(b *settlement.DepositBalance) {
			b.AtOnce = 5_000 * money.USD
		}, 0},
		"MoreAtOnceIsHeld": {balanceOf("a", 500_000, hour), func(b *settlement.DepositBalance) {
			b.AtOnce = 5_000 * money.USD
		}, 1},
		"LessIsTheOperators": {
			balanceOf("a", 50_000, hour), func(b *settlement.DepositBalance) { b.AtOnce = 500 * money.USD }, 0,
		},
		"LongerWait": {balanceOf("a", 2_500, 71*hour), func(b *settlement.DepositBalance) {
			b.Wait = 72 * hour
		}, 0},
		"LongerWaitEnds": {balanceOf("a", 2_500, 72*hour), func(b *settlement.DepositBalance) {
			b.Wait = 72 * hour
		}, 1},
		"ShorterWaitIsTheOperators": {
			balanceOf("a", 2_500, 2*hour), func(b *settlement.DepositBalance) { b.Wait = hour }, 0,
		},
		"SettleNow": {balanceOf("a", 2_500, time.Second), func(b *settlement.DepositBalance) {
			b.Urgent = true
		}, 1},
		"NowBelowLeast": {balanceOf("a", 90, time.Second), func(b *settlement.DepositBalance) { b.Urgent = true }, 1},
		"NowBelowOwn": {balanceOf("a", 900, time.Second), func(b *settlement.DepositBalance) {
			b.Urgent, b.Least = true, 10*money.USD
		}, 1},
		"NowOfDust": {balanceOf("a", 4, time.Second), func(b *settlement.DepositBalance) { b.Urgent = true }, 0},
		"NowWhenBlocked": {balanceOf("a", 2_500, time.Second), func(b *settlement.DepositBalance) {
			b.Urgent, b.BlockedUntil = true, noon.Add(1)
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := settlement.Plan(
				[]settlement.DepositBalance{changed(c.balance, c.change)}, settlement.DefaultPolicy(), noon,
			)
			if len(got) != c.want {
				t.Errorf("%d balances are planned, want %d", len(got), c.want)
			}
		})
	}
}

// What a transaction costs at today's price decides what is dust, if that is more than the operator's limit. Limit 0
// moves everything, whatever it costs.
func TestPlan_RealPrice(t *testing.T) {
	t.Parallel()
	// BNB Smart Chain at 3 gwei with a coin of 900 dollars.
	dear := settlement.Cost{Single: 239_000, Batched: 155_000}
	for name, c := range map[string]struct {
		cents []int64
		dust  money.Micros
		cost  settlement.Cost
		want  int
	}{
		"FiveCentsWhenCheap":  {[]int64{5}, money.USD / 20, settlement.Cost{Single: 4_000, Batched: 2_600}, 1},
		"FiveCentsWhenDear":   {[]int64{5}, money.USD / 20, dear, 0},
		"AsMuchAsItCosts":     {[]int64{23}, money.USD / 20, dear, 0},
		"MoreThanItCosts":     {[]int64{24}, money.USD / 20, dear, 1},
		"BatchBringsNothing":  {[]int64{15, 15, 15, 15, 15, 15, 15, 15}, money.USD / 20, dear, 0},
		"BatchBringsSomeMore": {[]int64{16, 16, 16, 16, 16, 16, 16, 16}, money.USD / 20, dear, 8},
		"EverythingMoves":     {[]int64{1}, 0, dear, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy := settlement.DefaultPolicy()
			policy.Dust, policy.Cost = c.dust, c.cost
			var balances []settlement.DepositBalance
			for i, cents := range c.cents {
				balances = append(balances, balanceOf(strconv.Itoa(i), cents, 48*time.Hour))
			}
			if got := settlement.Plan(balances, policy, noon); len(got) != c.want {
				t.Errorf("%d balances are planned, want %d", len(got), c.want)
			}
		})
	}
}

// TestPlan_NothingIsForgotten: whatever the settings, what is worth a transaction goes once its own wait is over, and
// nothing goes that nobody waits for any more.
func TestPlan_NothingIsForgotten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		policy := settlement.DefaultPolicy()
		policy.AtOnce = money.Micros(rapid.Int64Range(0, 2_000).Draw(t, "at once")) * money.USD
		policy.Wait = time.Duration(rapid.IntRange(0, 48).Draw(t, "wait")) * time.Hour
		policy.Enough = rapid.IntRange(0, 30).Draw(t, "enough")
		var balances []settlement.DepositBalance
		for i := range rapid.IntRange(1, 12).Draw(t, "balances") {
			b := balanceOf(fmt.Sprintf("%02d", i), rapid.Int64Range(0, 60_000).Draw(t, "cents"),
				time.Duration(rapid.IntRange(0, 200).Draw(t, "age"))*time.Hour)
			b.Settlement = chain.Address(rapid.SampledFrom([]string{"0xa", "0xb"}).Draw(t, "wallet"))
			b.Wait = time.Duration(rapid.IntRange(0, 168).Draw(t, "own wait")) * time.Hour
			b.AtOnce = money.Micros(rapid.Int64Range(0, 3_000).Draw(t, "own at once")) * money.USD
			b.Urgent = rapid.IntRange(0, 9).Draw(t, "urgent") == 0
			balances = append(balances, b)
		}
		planned := make(map[string]bool)
		for _, b := range settlement.Plan(balances, policy, noon) {
			planned[b.PaymentID] = true
		}
		for _, b := range balances {
			worth := b.Due.Cmp(policy.Dust.Units(6)) >= 0
			over := noon.Sub(b.Oldest) >= max(policy.Wait, b.Wait, policy.Age) || b.Urgent
			if worth && over && !planned[b.PaymentID] {
				t.Fatalf("%+v is left although its wait is over", b)
			}
			if !worth && planned[b.PaymentID] && noon.Sub(b.Oldest) < policy.Age {
				t.Fatalf("%+v costs more than it brings and goes", b)
			}
		}
	})
}
