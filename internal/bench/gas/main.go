// Program gas measures the gas that settling a payment costs: by forwarders, a batch in one transaction, and for
// comparison by a hot wallet, which first sends coins to every deposit address so that each can pay for its own
// transfer. Both run on the same chain, in the same run, with the same token. Then it settles whole days of a shop by
// the program's own plan, with and without waiting for others to share a transaction.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/florinpay/florin/internal/chain/evm/sender"
)

// The limits for batches of fromBatch and more, relative to the hot wallet: for a first sweep, which also creates the
// forwarder, and for a repeated one.
const (
	fromBatch  = 50
	mostFirst  = 1.2
	mostRepeat = 0.35
)

// assumed is what the program takes a first sweep to cost, by the size of the batch, when it compares the price of gas
// with what a sweep brings. It may deviate by so many per cent.
var assumed = map[int]uint64{1: sender.SingleGas, 100: sender.BatchedGas}

const deviation = 5

// batches are the measured sizes.
var batches = []int{1, 10, 50, 100}

// runFor bounds the whole program.
const runFor = 5 * time.Minute

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), runFor)
	err := run(ctx)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "gas:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	c, err := startChain(ctx)
	if err != nil {
		return err
	}
	return errors.Join(c.compare(ctx), c.days(ctx), c.Close())
}

// compare prints a line for each batch and fails if one exceeds the limit.
func (b *bench) compare(ctx context.Context) error {
	fmt.Printf(
		"%6s  %12s  %12s  %14s  %7s  %7s\n", "batch", "first sweep", "next sweep", "hot wallet way", "first",
		"next",
	)
	var missed []string
	for _, n := range batches {
		line, err := b.measure(ctx, n)
		if err != nil {
			return err
		}
		first, again := float64(line.first)/float64(line.hot), float64(line.again)/float64(line.hot)
		fmt.Printf("%6d  %12d  %12d  %14d  %5.2f x  %5.2f x\n", n, line.first, line.again, line.hot, first, again)
		if n >= fromBatch && (first > mostFirst || again > mostRepeat) {
			missed = append(missed, fmt.Sprintf("a batch of %d costs %.2f x and %.2f x", n, first, again))
		}
		if said, ok := assumed[n]; ok &&
			(line.first > said*(100+deviation)/100 || said > line.first*(100+deviation)/100) {
			missed = append(missed, fmt.Sprintf("the program assumes %d gas in a batch of %d, and it takes %d", said, n, line.first))
		}
	}
	fmt.Printf(
		"gas per payment; from %d on at most %.2f x for a first and %.2f x for a repeated sweep\n", fromBatch,
		mostFirst, mostRepeat,
	)
	if len(missed) > 0 {
		return fmt.Errorf("over the limit: %v", missed)
	}
	return nil
}
