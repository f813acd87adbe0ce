// Command webhooks measures how many webhooks a second reach receivers that respond at once, while others never
// respond.
//
// Its one invariant: only the merchants are simulated. Events are made by cancelling payments in a real database and
// sent over HTTP or TLS on loopback, and a delivery counts once its outcome is stored.
//
//	go run ./internal/bench/webhooks
//	go run ./internal/bench/webhooks -database postgres://… -tls
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"
)

// needed is the limit of spec.md section 12, in deliveries a second.
const needed = 1000

// longest bounds the whole program.
const longest = 10 * time.Minute

type settings struct {
	database string // empty: SQLite in a temporary directory
	fast     int    // receivers that respond at once
	hanging  int    // receivers that never respond
	queued   int    // events for each of those
	events   int    // events for all fast receivers together
	tls      bool
}

func main() {
	var s settings
	flag.StringVar(
		&s.database, "database", "",
		"database URL; it should be empty (default: SQLite in a temporary directory)",
	)
	flag.IntVar(&s.fast, "fast", 50, "receivers that answer at once")
	flag.IntVar(&s.hanging, "hanging", 100, "receivers that never answer")
	flag.IntVar(&s.queued, "queued", 20, "events for each receiver that never answers")
	flag.IntVar(&s.events, "events", 15_000, "events for the fast receivers together")
	flag.BoolVar(&s.tls, "tls", false, "use TLS")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	err := bench(ctx, s)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "webhooks:", err)
		os.Exit(1)
	}
}

// bench measures twice, without and with receivers that hang, and fails if the second rate is below the limit.
func bench(ctx context.Context, s settings) error {
	baseline, err := measure(ctx, settings{database: s.database, fast: s.fast, events: s.events, tls: s.tls})
	if err != nil {
		return err
	}
	report("no receiver hangs", baseline)
	beside, err := measure(ctx, s)
	if err != nil {
		return err
	}
	report(fmt.Sprintf("%d hang", s.hanging), beside)
	fmt.Printf("ratio %.2f; needed are %d deliveries/s\n", beside.rate/baseline.rate, needed)
	if beside.rate < needed {
		return fmt.Errorf("%.0f deliveries/s are fewer than %d", beside.rate, needed)
	}
	return nil
}

func report(name string, f figures) {
	round := func(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
	fmt.Printf(
		"%-14s %6.0f deliveries/s (%d in %.2f s, %.0f a CPU second); claim %v, settle %v; hanging at the end %d\n",
		name, f.rate, f.delivered, f.took.Seconds(), float64(f.delivered)/f.cpu.Seconds(), round(f.claim),
		round(f.settle), f.hanging,
	)
	fmt.Printf(
		"%-14s event stored to request received: p50 %v, p99 %v (%d events)\n", "", round(f.p50), round(f.p99),
		f.singles,
	)
}
