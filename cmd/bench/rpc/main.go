// Program rpc measures what reading the networks costs: it replays a shop's day in simulated time, with the real
// adapters, watchers and expirer on a real database, against endpoints in the process that count every call.
//
// It prints the calls a day by network and method, the bytes, how long the payer waits for "seen" and the merchant for
// the webhook, and what a month costs on three published price lists. Endpoints answer at once, so the times are what
// polling adds; those of your own endpoints come on top. It fails where a limit is missed.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

func main() {
	only := flag.Int("payments", -1, "only a day of so many payments")
	network := flag.String("network", "", "with -payments: on this network alone, such as BASE; else on each of the four")
	ended := flag.Int("ended", 0, "payments that ended in the month before, whose addresses are watched on every network")
	ranges := flag.Uint64("ranges", 0, "how many blocks endpoints of EVM networks take at once; 0: any number")
	budget := flag.Int64("budget", 0, "calls a day at each endpoint; 0: any number")
	stranger := flag.Bool("stranger", false, "a stranger has one order after the other open all day, on every network")
	specks := flag.Duration("specks", 0, "with -stranger: after what time he sends one unit to his order, again and again")
	aWeek := flag.Bool("week", false, "with -network: a week with one, two and three endpoints of which one fails at random")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	list := []shopDay{
		{size: 0},
		{size: tenPayments},
		{size: tenPayments, pushed: true},
		{size: 1_000, spread: true},
	}
	if *only >= 0 {
		list = []shopDay{{size: *only, only: chain.Network(*network)}}
	}
	var missed error
	if *aWeek {
		list, missed = nil, measureWeek(ctx, cmp.Or(chain.Network(*network), chain.Polygon))
	}
	for _, d := range list {
		d.endpoints, d.ended = 2, *ended
		d.ranges, d.budget, d.stranger, d.specks = *ranges, *budget, *stranger, *specks
		missed = errors.Join(missed, measure(ctx, d))
	}
	if missed != nil {
		stop()
		fmt.Fprintln(os.Stderr, "rpc:", missed)
		os.Exit(1) //nolint:gocritic // stop was called
	}
}

// tenPayments is the day of a small shop.
const tenPayments = 10

// shopDay is a day that is replayed.
type shopDay struct {
	size      int           // payments on every network
	spread    bool          // in sum, over all networks
	only      chain.Network // the network that is read; empty: all of them
	pushed    bool          // endpoints push money with its block
	endpoints int           // a network
	ended     int           // payments of the month before, whose addresses are watched on every network
	ranges    uint64        // blocks that endpoints take at once; 0: any number
	budget    int64         // calls a day at each endpoint; 0: any number
	stranger  bool          // has an order open all day
	specks    time.Duration // and sends it one unit each time so much has passed; 0: nothing
}

// measure replays a day and prints what it cost.
func measure(ctx context.Context, d shopDay) error {
	dir, err := tempDir()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w, err := newWorld(ctx, dir, d)
	if err != nil {
		return err
	}
	defer w.store.Close()
	took := time.Now()
	if err := w.replay(d); err != nil {
		return err
	}
	return w.report(d, time.Since(took))
}

// read lists the networks that are read.
func (w *world) read(d shopDay) []chain.Network {
	if d.only != "" {
		return []chain.Network{d.only}
	}
	return chain.Networks()
}

// replay lets the installation come up, and then the day pass.
func (w *world) replay(d shopDay) error {
	if d.spread {
		w.openFor(begin, d.size, "")
	}
	for _, n := range w.read(d) {
		if !d.spread {
			w.openFor(begin, d.size, n)
		}
		if d.stranger {
			w.plan(begin.Add(-5*time.Minute), func() error { return w.squat(n, d.specks) })
		}
		w.plan(begin.Add(-10*time.Minute), func() error { return w.step(w.networks[n]) })
	}
	w.plan(begin.Add(-10*time.Minute), w.expire)
	if err := w.run(begin); err != nil {
		return err
	}
	before := make(map[chain.Network]usage)
	for n, x := range w.networks {
		before[n] = x.hosts.usage()
	}
	if err := w.run(begin.Add(24 * time.Hour)); err != nil {
		return err
	}
	for n, x := range w.networks {
		x.spent = x.hosts.usage().since(before[n])
		if pushed := x.notified(w.clock.Now()); pushed > 0 {
			x.spent.calls[notification] += pushed
		}
	}
	return nil
}
