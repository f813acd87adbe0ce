package shell

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/ledger"
)

const (
	// budget is a day's calls of an endpoint on a usual free plan, and callPrice what one costs at the dearest of the
	// price lists of cmd/bench/rpc.
	budget    = 100_000
	callPrice = 20. / 1_000_000
	// mostDay is what a stranger may cost anybody on a day, in USD, and mostSlower how much slower a payer may be.
	mostDay    = 1
	mostSlower = 1.5
)

// TestStrangers_Table prints what strangers can cost whom on a day, by where they come from:
//
//	go test ./web/shell -run TestStrangers_Table -v
func TestStrangers_Table(t *testing.T) {
	t.Parallel()
	alone := readingTook(t, nil)
	for _, from := range origins() {
		credits := newAttack(300).day(t, 300, from.clients)
		merchant := float64(credits) / ledger.PerUSD
		calls := callsOfDay(t, from.clients)
		operator := float64(calls) * callPrice
		slower := float64(readingTook(t, from.clients)) / float64(alone)
		t.Logf("%-20s merchant %d credits ($%.2f) | operator %5d calls of each endpoint, %2d %% of its budget ($%.2f) | payer %.2f times slower",
			from.name, credits, merchant, calls, calls*100/budget, operator, slower)
		if merchant > mostDay || operator > mostDay || slower > mostSlower {
			t.Errorf("%s cost too much", from.name)
		}
	}
}

// callsOfDay is how many calls of an endpoint strangers have made on a day, who ask as often as the limits allow: "find
// my payment", transactions for wallets, and with accounts of their own wallets that are checked and recharges.
func callsOfDay(t *testing.T, clients []string) (calls int64) {
	t.Helper()
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	rates := DefaultRates()
	rates.Calls = CallsWithin(budget)
	l := NewLimits(rates, func() time.Time { return now })
	for end := now.Add(24 * time.Hour); now.Before(end); now = now.Add(30 * time.Second) {
		for i, client := range clients {
			ctx := operation.WithCall(t.Context(), &operation.Call{Client: client})
			if l.Endpoints(ctx, fmt.Sprintf("%s %d", now, i)) == nil {
				calls += callsOfOne
			}
			if l.Checks(ctx) == nil {
				calls += callsOfOne
			}
		}
	}
	return calls
}

// readingTook is how long a minute's calls of the reading take at an endpoint, beside strangers who never stop asking.
func readingTook(t *testing.T, strangers []string) (took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := endpoint.NewRate(endpoint.DefaultRate, endpoint.Clock{})
		over, stop := context.WithCancel(t.Context())
		ask := func(ctx context.Context) {
			if answered, err := r.Begin(ctx, 1); err == nil {
				time.Sleep(100 * time.Millisecond)
				answered()
			}
		}
		var asking sync.WaitGroup
		for range strangers {
			asking.Go(func() {
				for over.Err() == nil {
					ask(chain.AsStranger(over))
				}
			})
		}
		began := time.Now()
		var reading sync.WaitGroup
		for range endpoint.DefaultRate * 60 {
			reading.Go(func() { ask(t.Context()) })
		}
		reading.Wait()
		took = time.Since(began)
		stop()
		asking.Wait()
	})
	return took
}
