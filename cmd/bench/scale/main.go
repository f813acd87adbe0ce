// Command scale measures what merchants and operators look at, and what payers wait for, on a database with a long
// history beside one with a short history, in one run.
//
// The history is real payments that the store wrote, multiplied by SQL: one key has four fifths of it, a hundred keys
// share the rest.
//
//	go run ./cmd/bench/scale -n 1000000
//	go run ./cmd/bench/scale -n 10000000 -engine postgres -limits
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/florinpay/florin/internal/testkit/postgres"
)

const (
	// longest bounds the whole program.
	longest = 3 * time.Hour
	// few is the history that the long one is compared with.
	few = 2000
	// mostPage is how long a page of a list may take, p50.
	mostPage = 30 * time.Millisecond
)

type settings struct {
	payments int
	runs     int // of each probe
	retain   bool
}

func main() {
	var s settings
	flag.IntVar(&s.payments, "n", 1_000_000, "payments of the long history")
	flag.IntVar(&s.runs, "runs", 21, "how often each page is read")
	engine := flag.String("engine", "both", "sqlite, postgres or both")
	limits := flag.Bool("limits", true, "fail if a limit is missed")
	flag.BoolVar(&s.retain, "retention", false, "drop in the end what is not kept for ever, and measure what stays")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	err := measureEngines(ctx, s, *engine, *limits)
	stop()
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func measureEngines(ctx context.Context, s settings, engine string, limits bool) error {
	missed := 0
	if engine != "postgres" {
		n, err := measureSQLite(ctx, s)
		if err != nil {
			return err
		}
		missed += n
	}
	if engine != "sqlite" {
		n, err := measurePostgres(ctx, s)
		if err != nil {
			return err
		}
		missed += n
	}
	if missed > 0 && limits {
		return fmt.Errorf("%d limits missed", missed)
	}
	return nil
}

func measureSQLite(ctx context.Context, s settings) (missed int, err error) {
	dir, err := os.MkdirTemp("", "florin-scale-*")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return compare(ctx, s, "SQLite", func(name string) string { return "sqlite://" + filepath.Join(dir, name+".db") })
}

func measurePostgres(ctx context.Context, s settings) (missed int, err error) {
	var stops []func() error
	defer func() {
		for _, stop := range stops {
			err = errors.Join(err, stop())
		}
	}()
	var failed error
	missed, err = compare(ctx, s, "PostgreSQL", func(string) string {
		url, _, stop, err := postgres.Durable()
		if err != nil {
			failed = err
			return "postgres:///none"
		}
		stops = append(stops, stop)
		return url
	})
	return missed, errors.Join(failed, err)
}

// compare fills two databases and measures every probe on both.
func compare(ctx context.Context, s settings, engine string, place func(name string) string) (int, error) {
	small, err := newDatabase(ctx, place("small"), few, nil)
	if err != nil {
		return 0, err
	}
	defer small.close()
	begun := time.Now()
	big, err := newDatabase(ctx, place("big"), s.payments, nil)
	if err != nil {
		return 0, err
	}
	defer big.close()
	size, err := big.size(ctx)
	if err != nil {
		return 0, err
	}
	fmt.Printf("%s: %d payments filled in %v, %d bytes each\n",
		engine, s.payments, time.Since(begun).Round(time.Second), size/int64(s.payments))
	missed := 0
	if big.many {
		if missed, err = big.printSizes(ctx, s.payments); err != nil {
			return 0, err
		}
	}
	for _, p := range probes() {
		a, err := p.measure(ctx, small, s.runs)
		if err != nil {
			return 0, fmt.Errorf("%s, small: %w", p.name, err)
		}
		b, err := p.measure(ctx, big, s.runs)
		if err != nil {
			return 0, fmt.Errorf("%s, big: %w", p.name, err)
		}
		mark := ""
		if p.most > 0 && b > p.most {
			mark = fmt.Sprintf("  MISSED (at most %v)", p.most)
			missed++
		}
		fmt.Printf("  %-46s %9v → %9v%s\n", p.name, short(a), short(b), mark)
	}
	if s.retain && big.many {
		n, err := big.dropOld(ctx, s.payments)
		return missed + n, err
	}
	return missed, nil
}

func short(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
