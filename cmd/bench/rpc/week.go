package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// A week in which one endpoint of a network fails at random, one at a time.
const (
	week = 7 * 24 * time.Hour
	// weekPayments is how many customers a day there are.
	weekPayments = 50
	// failEvery is the mean time between two failures.
	failEvery = 8 * time.Hour
	// patience is how long a customer tries again whose network is not offered, tryEvery so often.
	patience, tryEvery = 2 * time.Minute, 10 * time.Second
)

// failsFor is how long failures last, drawn alike.
var failsFor = []time.Duration{time.Minute, 5 * time.Minute, 20 * time.Minute, time.Hour, 6 * time.Hour}

// errDown is what a dead endpoint answers.
var errDown = errors.New("connection refused")

// failAtRandom plans the failures of the endpoints of a network, the same times for any number of them, and returns how
// long one is down in all.
func (w *world) failAtRandom(x *network) (down time.Duration) {
	rng := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // it must be repeatable
	for at := time.Duration(0); ; {
		at += time.Duration(rng.ExpFloat64() * float64(failEvery))
		lasts, which := failsFor[rng.IntN(len(failsFor))], rng.IntN(6)
		if at+lasts >= week {
			return down
		}
		host := x.hosts[fmt.Sprintf("endpoint%d.example", which%len(x.hosts)+1)]
		w.plan(begin.Add(at), func() error { host.down.Store(true); return nil })
		at += lasts
		down += lasts
		w.plan(begin.Add(at), func() error { host.down.Store(false); return nil })
	}
}

// start starts the payment of a customer who tries again for a while where the network is not offered.
func (w *world) start(a *arrival, since time.Time, started func(payment.Payment) error) error {
	p, err := w.service.Start(w.ctx, string(a.id), payment.Choice{Network: a.network, Token: money.USDC}, audit.Act{})
	switch x := w.networks[a.network]; {
	case err == nil:
		return started(p)
	case !w.week || !fault.Is(err, fault.Unavailable):
		return err
	case w.clock.Now().Sub(since) < patience:
		w.after(tryEvery, func() error { return w.start(a, since, started) })
	default:
		x.lost++
		w.leave(a)
	}
	return nil
}

// measureWeek replays a week on one network with one, two and three endpoints, and prints them as a table.
func measureWeek(ctx context.Context, n chain.Network) error {
	fmt.Printf("\n%s, a week with %d customers a day; one endpoint at a time fails, every %s, for %s to %s\n\n",
		n, weekPayments, failEvery, failsFor[0], failsFor[len(failsFor)-1])
	fmt.Println("| endpoints | one is down | customers | turned away | paid and not completed in time | " +
		"seen after its block: half, 99 %, longest | webhook after final: 99 %, longest | calls a day |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for endpoints := 1; endpoints <= 3; endpoints++ {
		if err := weekWith(ctx, n, endpoints); err != nil {
			return err
		}
	}
	return nil
}

func weekWith(ctx context.Context, n chain.Network, endpoints int) error {
	dir, err := tempDir()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w, err := newWorld(ctx, dir, shopDay{endpoints: endpoints})
	if err != nil {
		return err
	}
	defer w.store.Close()
	w.week = true
	x := w.networks[n]
	for day := range 7 {
		w.openFor(begin.Add(time.Duration(day)*24*time.Hour), weekPayments, n)
	}
	down := w.failAtRandom(x)
	w.plan(begin.Add(-10*time.Minute), func() error { return w.step(x) })
	w.plan(begin.Add(-10*time.Minute), w.expire)
	if err := w.run(begin); err != nil {
		return err
	}
	before := x.hosts.usage()
	if err := w.run(begin.Add(week + 2*time.Hour)); err != nil {
		return err
	}
	for id, a := range x.waiting {
		if !a.seen {
			return fmt.Errorf("the money of payment %s was never seen", id)
		}
	}
	seen, finals := slices.Max(x.seen), slices.Max(x.finals)
	fmt.Printf("| %d | %.0f %% | %d | %d | %d | %s, %s, %s | %s, %s | %d |\n", endpoints,
		100*down.Hours()/week.Hours(), 7*weekPayments, x.lost, len(x.waiting),
		shown(percentile(x.seen, 50)), shown(percentile(x.seen, 99)), shown(seen),
		shown(percentile(x.finals, 99)), shown(finals), x.hosts.usage().since(before).total()/7)
	return nil
}

// shown rounds a time for people.
func shown(d time.Duration) string {
	if d < time.Minute {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
