// Command scale measures what merchants and operators look at, and what payers wait for, on a database with a long
// history beside one with a short history, in one run.
//
// The history is real payments that the store wrote, multiplied by SQL: one key has four fifths of it, a hundred keys
// share the rest.
//
//	go run ./cmd/bench/scale -n 1000000
//	go run ./cmd/bench/scale -n 10000000 -engine postgres
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
	// mostKept is how many bytes a payment may take when it is older than anything is kept. Its words in an index take
	// 124 of them on PostgreSQL: 2,048 were allowed before.
	mostKept = 2304
	// mostPage is how long a page of a list, or an overview, may take, p95: who looks for a payment waits for nothing.
	mostPage = 30 * time.Millisecond
	// runs is how often each page is read.
	runs = 21
)

func main() {
	payments := flag.Int("n", 1_000_000, "payments of the long history")
	engine := flag.String("engine", "both", "sqlite, postgres or both")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	err := measureEngines(ctx, *payments, *engine)
	stop()
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func measureEngines(ctx context.Context, payments int, engine string) (err error) {
	missed, missedToo := 0, 0
	if engine != "postgres" {
		if missed, err = measureSQLite(ctx, payments); err != nil {
			return err
		}
	}
	if engine != "sqlite" {
		if missedToo, err = measurePostgres(ctx, payments); err != nil {
			return err
		}
	}
	if missed += missedToo; missed > 0 {
		return fmt.Errorf("%d limits missed", missed)
	}
	return nil
}

func measureSQLite(ctx context.Context, payments int) (missed int, err error) {
	dir, err := os.MkdirTemp("", "florin-scale-*")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return compare(ctx, payments, "SQLite", func(name string) (string, error) {
		return "sqlite://" + filepath.Join(dir, name+".db"), nil
	})
}

func measurePostgres(ctx context.Context, payments int) (missed int, err error) {
	var stops []func() error
	defer func() {
		for _, stop := range stops {
			err = errors.Join(err, stop())
		}
	}()
	return compare(ctx, payments, "PostgreSQL", func(string) (string, error) {
		url, _, stop, err := postgres.Durable()
		if err == nil {
			stops = append(stops, stop)
		}
		return url, err
	})
}

// compare fills two databases and measures every probe on both.
func compare(
	ctx context.Context, payments int, engine string, place func(name string) (url string, err error),
) (int, error) {
	fill := func(name string, n int) (*database, error) {
		url, err := place(name)
		if err != nil {
			return nil, err
		}
		return newDatabase(ctx, url, n, nil)
	}
	small, err := fill("small", few)
	if err != nil {
		return 0, err
	}
	defer small.close()
	begun := time.Now()
	big, err := fill("big", payments)
	if err != nil {
		return 0, err
	}
	defer big.close()
	fmt.Printf("%s: %d payments filled in %v, %d bytes each", engine, payments, time.Since(begun).Round(time.Second), big.kept)
	fmt.Printf(", %d more while webhooks and events are kept\n", big.more)
	missed := 0
	if big.kept > mostKept {
		fmt.Printf("  MISSED (at most %d bytes)\n", mostKept)
		missed++
	}
	for _, p := range probes() {
		before, _, err := p.measure(ctx, small)
		if err != nil {
			return 0, fmt.Errorf("%s, small: %w", p.name, err)
		}
		p50, p95, err := p.measure(ctx, big)
		if err != nil {
			return 0, fmt.Errorf("%s, big: %w", p.name, err)
		}
		mark := ""
		if p.most > 0 && p95 > p.most {
			mark = fmt.Sprintf("  MISSED (at most %v)", p.most)
			missed++
		}
		fmt.Printf("  %-46s %9v → %9v, p95 %9v%s\n", p.name, short(before), short(p50), short(p95), mark)
	}
	return missed, nil
}

func short(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
