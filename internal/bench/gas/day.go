package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
)

// mostDay is the limit for a day of mostPayments payments, relative to the hot wallet.
const (
	mostDay      = 1.25
	mostPayments = 1_000
)

// hours is how busy a real shop is in each hour of the day, in parts of the day's payments.
var hours = [24]int{2, 1, 1, 1, 1, 2, 3, 5, 7, 8, 9, 9, 10, 9, 8, 8, 8, 9, 10, 12, 12, 10, 7, 4}

// shop is what a shop takes in a day: half of its payments are below the median, and one in fifty above eight times it.
type shop struct {
	payments int
	median   money.Micros
}

// shops are the measured days. The limit holds for the last.
var shops = []shop{
	{10, 30 * money.USD}, {100, 30 * money.USD}, {mostPayments, 5 * money.USD}, {mostPayments, 30 * money.USD},
}

// arrivals returns the day's balances, each with the time it became final, in order of time.
func (s shop) arrivals() []settlement.DepositBalance {
	rng := rand.New(rand.NewPCG(20261122, uint64(s.payments)))
	sum := 0
	for _, part := range hours {
		sum += part
	}
	all := make([]settlement.DepositBalance, s.payments)
	for i := range all {
		at, hour := rng.IntN(sum), 0
		for at >= hours[hour] {
			at -= hours[hour]
			hour++
		}
		micros := money.Micros(float64(s.median) * math.Exp(rng.NormFloat64()))
		all[i] = settlement.DepositBalance{
			PaymentID:  strconv.Itoa(i),
			Settlement: merchantWallet, Address: chain.Watched{Address: chain.Address(strconv.Itoa(i))},
			Asset: chain.Asset{Decimals: money.MicrosDecimals}, Due: micros.Units(money.MicrosDecimals),
			Oldest: begin.Add(time.Duration(hour)*time.Hour + time.Duration(rng.Int64N(int64(time.Hour)))),
		}
	}
	slices.SortFunc(all, func(a, b settlement.DepositBalance) int { return a.Oldest.Compare(b.Oldest) })
	return all
}

var begin = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

// round is the pause between two looks at what waits: a sweep takes that long to become final.
const round = 10 * time.Second

// sweeps returns how many balances each sweep of the day has, by the rule that the program plans by, and how long a
// payment waited on average.
func (s shop) sweeps(policy settlement.Policy) (sizes []int, waited time.Duration) {
	coming := s.arrivals()
	var due []settlement.DepositBalance
	var sum time.Duration
	for now := begin; len(coming)+len(due) > 0; now = now.Add(round) {
		for len(coming) > 0 && !coming[0].Oldest.After(now) {
			due, coming = append(due, coming[0]), coming[1:]
		}
		batch := settlement.Plan(due, policy, now)
		if len(batch) == 0 {
			continue
		}
		sizes = append(sizes, len(batch))
		swept := make(map[string]bool, len(batch))
		for _, b := range batch {
			swept[b.PaymentID] = true
			sum += now.Sub(b.Oldest)
		}
		due = slices.DeleteFunc(due, func(b settlement.DepositBalance) bool { return swept[b.PaymentID] })
	}
	return sizes, sum / time.Duration(s.payments)
}

// withoutWaiting is the policy of before: whatever came in a minute shared a transaction.
func withoutWaiting() settlement.Policy {
	p := settlement.DefaultPolicy()
	p.AtOnce, p.Wait, p.Enough = 0, time.Minute, 0
	return p
}

// days settles each shop's day and prints what a payment costs, with and without waiting.
func (b *bench) days(ctx context.Context) error {
	hot, err := b.hotWallet(ctx, 10)
	if err != nil {
		return err
	}
	fmt.Printf("\n%8s  %7s  %24s  %24s\n", "payments", "median", "sent within a minute", "waiting for others")
	var last float64
	for _, s := range shops {
		before, _, err := b.day(ctx, s, withoutWaiting())
		if err != nil {
			return err
		}
		after, waited, err := b.day(ctx, s, settlement.DefaultPolicy())
		if err != nil {
			return err
		}
		last = float64(after) / float64(hot)
		fmt.Printf("%8d  %7s  %13d = %5.2f x  %13d = %5.2f x, %s on average\n", s.payments, "$"+s.median.Display(),
			before, float64(before)/float64(hot), after, last, waited.Round(time.Minute))
	}
	fmt.Printf("gas per payment; a hot wallet takes %d; the last day at most %.2f x\n", hot, mostDay)
	if last > mostDay {
		return fmt.Errorf("over the limit: a day of %d payments costs %.2f x", mostPayments, last)
	}
	return nil
}

// day returns what the sweeps of a day take for one payment, in gas, and how long a payment waited. A sweep of each
// size is made once: another of the same size takes as much.
func (b *bench) day(
	ctx context.Context, s shop, policy settlement.Policy,
) (gas uint64, waited time.Duration, err error) {
	sizes, waited := s.sweeps(policy)
	count := 0
	for _, n := range sizes {
		if b.each[n] == 0 {
			items, err := b.payments(n)
			if err != nil {
				return 0, 0, err
			}
			if b.each[n], err = b.sweep(ctx, items); err != nil {
				return 0, 0, err
			}
		}
		gas += b.each[n] * uint64(n)
		count += n
	}
	if count != s.payments {
		return 0, 0, fmt.Errorf("%d of %d payments were settled", count, s.payments)
	}
	return gas / uint64(count), waited, nil
}
