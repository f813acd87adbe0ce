// Command soak runs the whole program for a given time on three EVM chains and the real Solana runtime, with
// random payers and faults, and ends by checking it against the chains.
//
// Its one invariant: truth is what the chains say of the transactions that the payers sent. The program's database is
// compared with it, by `florin reconcile`, by `florin verify-ledger`, and by the payers, who know what they paid.
//
//	make soak                                        an hour
//	go run ./internal/bench/soak -for 2m -seed 7     two minutes
//
// Faults: the program is killed, blocks are replaced, endpoints fail one at a time and all at once, receivers of
// webhooks fail. The time does not include the end, when faults stop and everything that was begun must finish.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// settings are the flags.
type settings struct {
	duration time.Duration
	pace     time.Duration
	seed     uint64
	faults   bool
	keep     bool
}

func main() {
	var s settings
	flag.DurationVar(&s.duration, "for", time.Hour, "how long payers pay and faults happen")
	flag.DurationVar(&s.pace, "pace", 2*time.Second, "time between two payers")
	flag.Uint64Var(&s.seed, "seed", uint64(time.Now().Unix()), "seed of what payers and faults do")
	flag.BoolVar(&s.faults, "faults", true, "let faults happen")
	flag.BoolVar(&s.keep, "keep", false, "keep the directory with the program's database and log")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := soak(ctx, s)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// longestStart bounds the start of the engines and the program; longestEnd bounds the end, after the last payment
// has expired.
const (
	longestStart = 10 * time.Minute
	longestEnd   = 10 * time.Minute
)

// soak runs payers and faults, and checks the end.
func soak(ctx context.Context, s settings) (err error) {
	ctx, cancel := context.WithTimeout(ctx, longestStart+s.duration+startTTL+longestEnd)
	defer cancel()
	l, err := newLab(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close(err != nil)) }()
	l.sayf("seed %d, for %v, in %s", s.seed, s.duration, l.dir)
	l.run(ctx)
	return l.finish(ctx)
}

// run lets payers pay and faults happen until the time is over.
func (l *lab) run(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, l.duration)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if l.faults {
			l.disturb(ctx)
		}
	}()
	l.pay(ctx)
	<-done
}

// random returns a source of the run's seed. Sources with other numbers are independent of it.
func (l *lab) random(number uint64) *rand.Rand {
	return rand.New(rand.NewPCG(l.seed, number)) //nolint:gosec // a run should be repeatable
}

func (l *lab) sayf(format string, args ...any) {
	fmt.Printf("%7s  %s\n", time.Since(l.began).Round(time.Second), fmt.Sprintf(format, args...))
}

// close ends everything. After a failure, or if asked to, it keeps the directory and names it.
func (l *lab) close(failed bool) error {
	errs := []error{l.program.kill()}
	for _, n := range l.networks {
		errs = append(errs, n.close())
	}
	if l.receiver != nil {
		errs = append(errs, l.receiver.Close())
	}
	if failed || l.keep {
		l.sayf("database and log are in %s", filepath.Clean(l.dir))
	} else {
		errs = append(errs, os.RemoveAll(l.dir))
	}
	return errors.Join(errs...)
}
