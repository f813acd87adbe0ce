// Command server measures the built program over HTTP, beside the comparisons of spec.md section 12: pgbench with the
// same statements on the same PostgreSQL, and a bare Echo handler that writes the same bytes.
//
// Its one invariant: nothing is simulated. The program runs as a separate process, reads a development chain, and
// serves clients on loopback; the databases survive a power cut with all they have committed.
//
//	go run ./internal/bench/server
//	go run ./internal/bench/server -for 10s -clients 64 -streams 20000
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

// longest bounds the whole program.
const longest = 15 * time.Minute

// The limits of spec.md section 12.
const (
	leastCreate   = 1.3 // × pgbench
	leastLife     = 0.4 // × pgbench that only creates
	leastBoth     = 0.8 // × pgbench that creates and starts
	leastRead     = 0.5 // × bare Echo
	mostStart     = 30 * time.Millisecond
	mostIdleBytes = 40 << 20 // without tricks on the operating system
	mostStream    = 40 << 10 // bytes an open page
)

type settings struct {
	clients  int
	duration time.Duration // of one measurement
	streams  int
	waiting  int      // payments that are open while others are paid
	against  []string // other builds of the program, measured in turn
	only     string
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == echoCommand {
		fail(serveEcho(os.Args[2]))
		return
	}
	var s settings
	flag.IntVar(&s.clients, "clients", 64, "clients at once")
	flag.DurationVar(&s.duration, "for", 6*time.Second, "how long each measurement takes")
	flag.IntVar(&s.streams, "streams", 20_000, "pages open at once")
	flag.IntVar(&s.waiting, "waiting", 20_000, "payments that are open while blocks complete others; 0: not measured")
	flag.StringVar(&s.only, "only", "", "the one measurement to make: start, sqlite, postgres, pages or blocks")
	flag.Func("against", "another build of the program, whose webhooks are measured beside", func(path string) error {
		s.against = append(s.against, path)
		return nil
	})
	flag.Parse()
	s.streams = roomFor(s.streams)
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	err := bench(ctx, s)
	stop()
	cancel()
	fail(err)
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// bench runs all measurements and fails if one misses its limit.
func bench(ctx context.Context, s settings) (err error) {
	l, err := newLab(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	for _, m := range []struct {
		name string
		make func(context.Context) error
	}{
		{"start", l.startAndIdle},
		{"sqlite", l.sqlite},
		{"postgres", l.postgres},
		{"pages", l.openPages},
		{"blocks", l.blocks},
	} {
		if s.only != "" && s.only != m.name {
			continue
		}
		if err := m.make(ctx); err != nil {
			return err
		}
	}
	if len(l.missed) > 0 {
		return fmt.Errorf("missed: %v", l.missed)
	}
	return nil
}
