package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// lab is the environment of the measurements: the built program, a development chain for it to read, and a directory
// for its databases.
type lab struct {
	settings
	dir      string
	chain    *devchain.Chain
	chainEnv []string
	missed   []string
	binary   string // the program that runs
	callback string // of the next merchant; empty: none
	runs     int
}

// finalDepth is how many blocks the final one trails the newest.
const finalDepth = 2

func newLab(ctx context.Context, s settings) (*lab, error) {
	dir, err := os.MkdirTemp("", "florin-bench-*")
	if err != nil {
		return nil, err
	}
	l := &lab{settings: s, dir: dir, binary: filepath.Join(dir, "florin")}
	build := exec.CommandContext(
		ctx, "go", "build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w", "-o",
		l.binary, "./cmd/florin",
	)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, errors.Join(fmt.Errorf("build florin: %w", err), l.close())
	}
	// A second a block, so that the chain in this process takes little from what is measured.
	l.chain, err = devchain.Start(
		devchain.Config{ChainID: 137, Decimals: 6, BlockTime: time.Second, SafeDepth: 1, FinalDepth: finalDepth},
	)
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	if err := l.chain.Setup(ctx); err != nil {
		return nil, errors.Join(err, l.close())
	}
	tokens := l.chain.Tokens()
	l.chainEnv = []string{
		"FLORIN_POLYGON_RPC=" + l.chain.URL(), "FLORIN_POLYGON_USDT=" + tokens.USDT.Address.Hex(),
		"FLORIN_POLYGON_USDC=" + tokens.USDC.Address.Hex(),
	}
	return l, nil
}

func (l *lab) close() error {
	var err error
	if l.chain != nil {
		err = l.chain.Close()
	}
	return errors.Join(err, os.RemoveAll(l.dir))
}

func (l *lab) sayf(ok bool, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !ok {
		l.missed = append(l.missed, text)
		text += "  MISSED"
	}
	fmt.Println(text)
}

func (l *lab) ratio(what string, got, against, least float64) {
	l.sayf(got >= least*against, "%-34s %8.0f/s = %.2f × %.0f/s (at least %.2f)", what, got, got/against, against, least)
}

// startAndIdle measures the time from exec to the first response, and the memory of the idle program. No network is
// configured.
func (l *lab) startAndIdle(ctx context.Context) error {
	env := l.chainEnv
	l.chainEnv = nil
	defer func() { l.chainEnv = env }()
	database := "sqlite://" + filepath.Join(l.dir, "idle.db")
	if _, err := l.run(ctx, database, "", "migrate"); err != nil {
		return err
	}
	best, resident := time.Hour, int64(0)
	for range 5 {
		begun := time.Now()
		f, err := l.serve(ctx, database)
		if err != nil {
			return err
		}
		err = f.healthy(ctx)
		best = min(best, time.Since(begun))
		if err == nil {
			time.Sleep(3 * time.Second)
			resident, err = f.resident()
		}
		if err := errors.Join(err, f.stop()); err != nil {
			return err
		}
	}
	l.sayf(best <= mostStart, "%-34s %8v (at most %v)", "exec to first 200", best.Round(time.Millisecond), mostStart)
	l.sayf(
		resident <= mostIdleBytes, "%-34s %8.1f MB (at most %d MB)", "resident when idle",
		float64(resident)/(1<<20), mostIdleBytes>>20,
	)
	return nil
}

func (f *florin) healthy(ctx context.Context) error {
	c, err := dial(ctx, f.address)
	if err != nil {
		return err
	}
	defer c.conn.Close()
	status, answer, err := c.get("/health")
	if err == nil && status != http.StatusOK {
		err = errStatus("health", status, answer)
	}
	return err
}

// rates are the results of one database, per second, and how long a lone client waits for a create and a start (p50).
type rates struct {
	create, life, read, echo float64
	alone                    time.Duration
}

func (l *lab) measure(ctx context.Context, database string) (r rates, err error) {
	f, err := l.open(ctx, database)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, f.stop()) }()
	r.create, err = rate(ctx, f.address, l.settings, func(c *client) error { _, err := f.create(c); return err })
	if err != nil {
		return r, err
	}
	if r.life, err = rate(ctx, f.address, l.settings, f.life); err != nil {
		return r, err
	}
	if r.alone, err = l.alone(ctx, f); err != nil {
		return r, err
	}
	r.read, r.echo, err = l.reads(ctx, f)
	return r, err
}

// alone returns the median time of a create and a start of a client that has the program to itself.
func (l *lab) alone(ctx context.Context, f *florin) (time.Duration, error) {
	c, err := dial(ctx, f.address)
	if err != nil {
		return 0, err
	}
	defer c.conn.Close()
	var took []time.Duration
	for begun := time.Now(); time.Since(begun) < l.duration && ctx.Err() == nil; {
		one := time.Now()
		if err := f.life(c); err != nil {
			return 0, err
		}
		took = append(took, time.Since(one))
	}
	slices.Sort(took)
	return took[len(took)/2], ctx.Err()
}

// reads compares reading a started payment with a bare handler that writes the same bytes.
func (l *lab) reads(ctx context.Context, f *florin) (read, echo float64, err error) {
	c, err := dial(ctx, f.address)
	if err != nil {
		return 0, 0, err
	}
	defer c.conn.Close()
	txnid, err := f.started(c)
	if err != nil {
		return 0, 0, err
	}
	path := "/orders/" + txnid
	status, answer, err := c.get(path)
	if err != nil || status != http.StatusOK {
		return 0, 0, errors.Join(err, errStatus("orders", status, answer))
	}
	file := filepath.Join(l.dir, "order.json")
	if err := os.WriteFile(file, answer, 0o600); err != nil {
		return 0, 0, err
	}
	address, stop, err := bareEcho(ctx, file)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	get := func(c *client) error {
		status, answer, err := c.get(path)
		if err == nil && status != http.StatusOK {
			err = errStatus("orders", status, answer)
		}
		return err
	}
	if echo, err = rate(ctx, address, l.settings, get); err != nil {
		return 0, 0, err
	}
	read, err = rate(ctx, f.address, l.settings, get)
	return read, echo, err
}

func (l *lab) sqlite(ctx context.Context) error {
	r, err := l.measure(ctx, "sqlite://"+filepath.Join(l.dir, "rates.db"))
	if err != nil {
		return err
	}
	fmt.Printf("%-34s %8.0f/s\n%-34s %8.0f/s\n", "SQLite: create", r.create, "SQLite: create, then start", r.life)
	l.ratio("SQLite: GET /orders × bare Echo", r.read, r.echo, leastRead)
	return l.againstPostgres(ctx, "SQLite", r)
}

// againstPostgres compares the rates with pgbench, which runs right after them.
func (l *lab) againstPostgres(ctx context.Context, name string, r rates) (err error) {
	server, programs, stop, err := postgres.Durable()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	f, err := l.open(ctx, server)
	if err != nil {
		return err
	}
	if err := f.stop(); err != nil {
		return err
	}
	base, err := pgbench(ctx, programs, server, l.dir, plainScript, l.settings)
	if err != nil {
		return err
	}
	folded, err := pgbench(ctx, programs, server, l.dir, foldedScript, l.settings)
	if err != nil {
		return err
	}
	both, err := pgbench(ctx, programs, server, l.dir, lifeScript, l.settings)
	if err != nil {
		return err
	}
	l.ratio(name+": create × pgbench", r.create, base, leastCreate)
	l.ratio(name+": create, start × pgbench", r.life, both, leastBoth)
	l.ratio("  × pgbench that only creates", r.life, base, leastLife)
	fmt.Printf("%-34s %.2f and %.2f × %.0f/s\n", "  × pgbench with one INSERT", r.create/folded, r.life/folded, folded)
	fmt.Printf("%-34s %8v p50\n", name+": create, start of a lone client", r.alone.Round(10*time.Microsecond))
	return nil
}

func (l *lab) postgres(ctx context.Context) (err error) {
	server, _, stop, err := postgres.Durable()
	if err != nil {
		return err
	}
	r, err := l.measure(ctx, server)
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	l.ratio("PostgreSQL: GET /orders × bare Echo", r.read, r.echo, leastRead)
	return l.againstPostgres(ctx, "PostgreSQL", r)
}
