// Command sweeps measures whether settlement keeps up with the payments of a busy shop, on a real EVM whose blocks are
// final after 15 s.
//
// Its one invariant: nothing is simulated but the payers. A go-ethereum node in this process executes every deposit and
// every sweep; a watcher and a sweeper of the program read and send through its JSON-RPC port, and what counts as swept
// is what ended sweeps have moved by their receipts.
//
//	go run ./internal/bench/sweeps
//	go run ./internal/bench/sweeps -rate 200 -for 90s
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const (
	// blockTime and finalDepth make a block final after 15 s.
	blockTime  = time.Second
	finalDepth = 15
	// warm is how long payments come before it is measured: the first ones must be final, swept, and final again.
	warm = 50 * time.Second
	// leastShare is what part of the payments must be swept while they come.
	leastShare = 0.95
	// longestEnd bounds how long it may take until the rest is swept.
	longestEnd = 5 * time.Minute
)

type settings struct {
	rate   int
	payFor time.Duration
}

func main() {
	var s settings
	flag.IntVar(&s.rate, "rate", 200, "payments a second")
	flag.DurationVar(&s.payFor, "for", 90*time.Second, "how long payments come; 50 s pass before it is measured")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := bench(ctx, s)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sweeps:", err)
		os.Exit(1)
	}
}

// bench measures with one sweep in flight and with as many as the program has.
func bench(ctx context.Context, s settings) error {
	if s.payFor <= warm {
		return fmt.Errorf("payments must come for longer than %v", warm)
	}
	var rates [2]float64
	for i, most := range []int{1, 0} {
		name := "one in flight"
		if most == 0 {
			name = "as many as the program has"
		}
		got, err := measure(ctx, s, most)
		if err != nil {
			return errors.Join(fmt.Errorf("%s: %w", name, err))
		}
		rates[i] = got.swept
		fmt.Printf("%-28s %5.0f paid/s, %5.0f swept/s; at most %d in flight, %.0f balances each; all swept %v after the last\n",
			name, got.paid, got.swept, got.inFlight, got.each, got.rest.Round(time.Second))
		if most == 0 && got.swept < leastShare*got.paid {
			return fmt.Errorf("%.0f a second are swept of %.0f paid: settlement does not keep up", got.swept, got.paid)
		}
	}
	fmt.Printf("ratio %.1f\n", rates[1]/rates[0])
	return nil
}
