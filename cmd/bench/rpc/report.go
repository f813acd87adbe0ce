package main

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// mostCalls is how many calls a day a network may cost, by the number of payments on it: no payment and ten fit a free
// plan, and a thousand the default budget of two endpoints.
var mostCalls = map[int]int64{0: 3_000, tenPayments: 15_000, 1_000: 200_000}

const (
	thousandUSD = 50 // a month of 1,000 payments a day, on the cheapest plan
	// mostAfter and pushedAfter are how much longer than the block and the final block it may take.
	mostAfter   = time.Second
	pushedAfter = 250 * time.Millisecond
)

// since returns what was used after the other one.
func (u usage) since(before usage) usage {
	after := usage{calls: make(map[string]int64), requests: u.requests - before.requests, bytes: u.bytes - before.bytes}
	for method, n := range u.calls {
		if n -= before.calls[method]; n > 0 {
			after.calls[method] = n
		}
	}
	return after
}

// report prints the day and returns the limits that were missed.
func (w *world) report(d shopDay, took time.Duration) error {
	on := "on every network"
	if d.only != "" {
		on = "on " + string(d.only)
	}
	if d.spread {
		on = "spread over the networks"
	}
	if w.pushed {
		on += ", pushed by a subscription"
	}
	fmt.Printf("\n%d payments a day %s (simulated in %s)\n", d.size, on, took.Round(time.Second))
	if w.ended > 0 {
		fmt.Printf("  after a month in which %d payments ended\n", w.ended)
	}
	perDay := make(map[chain.Network]usage)
	var missed []error
	for _, n := range w.read(d) {
		x := w.networks[n]
		perDay[n] = x.spent
		x.print(n)
		missed = append(missed, x.within(n, d.size, w.pushed))
	}
	if d.only != "" {
		return errors.Join(missed...)
	}
	cheapest := math.Inf(1)
	for _, l := range priceLists {
		usd, free := l.month(perDay)
		cheapest = min(cheapest, usd)
		note := ""
		if free {
			note = "inside the free plan"
		}
		fmt.Printf("  a month of all four at %-24s $%8.2f  %s\n", l.name, usd, note)
	}
	if d.spread && d.size == 1_000 && cheapest >= thousandUSD {
		missed = append(missed, fmt.Errorf("1,000 payments a day cost $%.2f a month, not below $%d", cheapest, thousandUSD))
	}
	return errors.Join(missed...)
}

func (x *network) print(n chain.Network) {
	u := x.spent
	fmt.Printf("  %-8s %9d calls in %d requests, %.1f MB\n", n, u.total(), u.requests, float64(u.bytes)/1e6)
	methods := slices.SortedFunc(maps.Keys(u.calls), func(a, b string) int {
		return int(u.calls[b] - u.calls[a])
	})
	var parts []string
	for _, m := range methods {
		parts = append(parts, fmt.Sprintf("%s %d", m, u.calls[m]))
	}
	fmt.Println("          ", strings.Join(parts, ", "))
	if len(x.seen) > 0 {
		fmt.Printf("           block to seen: p50 %s, p99 %s; final to webhook: p50 %s, p99 %s; %d payments\n",
			percentile(x.seen, 50), percentile(x.seen, 99), percentile(x.finals, 50),
			percentile(x.finals, 99), len(x.finals))
	}
}

func percentile(list []time.Duration, p int) time.Duration {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[min(len(sorted)*p/100, len(sorted)-1)].Round(time.Millisecond)
}

// within returns the limits that the network missed.
func (x *network) within(n chain.Network, size int, pushed bool) error {
	var missed []error
	most := x.chain.pace.block + mostAfter
	if pushed {
		most = pushedAfter
	}
	if calls := mostCalls[size]; calls > 0 && x.spent.total() > calls {
		missed = append(missed, fmt.Errorf("%s: %d calls a day with %d payments, at most %d", n, x.spent.total(), size, calls))
	}
	if p99 := percentile(x.seen, 99); p99 > most {
		missed = append(missed, fmt.Errorf("%s: seen %s after the block (p99), at most %s", n, p99, most))
	}
	if p99 := percentile(x.finals, 99); p99 > mostAfter {
		missed = append(missed, fmt.Errorf("%s: webhook %s after final (p99), at most %s", n, p99, mostAfter))
	}
	return errors.Join(missed...)
}
