package main_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// How BenchmarkServer measures.
var (
	benchFor     = flag.Duration("for", 6*time.Second, "how long each measurement of rates takes")
	benchClients = flag.Int("clients", 64, "clients at once")
	benchStreams = flag.Int("streams", 20_000, "pages open at once")
	benchWaiting = flag.Int("waiting", 20_000, "payments that are open while blocks complete others")
	benchAgainst = flag.String("against", "", "other builds of the program, whose webhooks are measured beside: with commas between")
)

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

// BenchmarkServer measures the program over HTTP, beside the comparisons of spec.md section 12: pgbench with the same
// statements on the same PostgreSQL, and a bare Echo handler that writes the same bytes. Nothing is simulated: the
// program is a process of its own and reads a development chain, and its databases survive a power cut with all they
// have committed.
func BenchmarkServer(b *testing.B) {
	for _, m := range []struct {
		name    string
		measure func(b *testing.B)
	}{
		{"Start", benchStart},
		{"SQLite", benchSQLite},
		{"PostgreSQL", benchPostgres},
		{"Pages", benchPages},
		{"Blocks", benchBlocks},
		{"Strangers", benchStrangers},
		{"Prices", benchPrices},
	} {
		b.Run(m.name, func(b *testing.B) {
			for b.Loop() {
				m.measure(b)
			}
		})
	}
}

// reportf prints a figure, and fails if it misses its limit.
func reportf(b *testing.B, ok bool, format string, args ...any) {
	b.Helper()
	text := fmt.Sprintf(format, args...)
	if fmt.Println(text); !ok {
		b.Errorf("missed: %s", text)
	}
}

func reportRatio(b *testing.B, what string, got, against, least float64) {
	b.Helper()
	reportf(b, got >= least*against, "%-34s %8.0f/s = %.2f × %.0f/s (at least %.2f)", what, got, got/against, against, least)
}

// benchStart measures the time from exec to the first response, and the memory of the idle program without a network.
func benchStart(b *testing.B) {
	b.Helper()
	i := newInstallation(b)
	i.must(b, "", "migrate")
	best, resident := time.Hour, int64(0)
	for range 5 {
		begun := time.Now()
		s := i.serve(b)
		if status, answer, err := dial(b, s).get("/health"); err != nil || status != http.StatusOK {
			b.Fatalf("health: %d %s, %v", status, answer, err)
		}
		best = min(best, time.Since(begun))
		time.Sleep(3 * time.Second)
		resident = residentOf(b, s)
		s.stop(b, syscall.SIGTERM)
	}
	best = best.Round(time.Millisecond)
	reportf(b, best <= mostStart, "%-34s %8v (at most %v)", "exec to first 200", best, mostStart)
	reportf(b, resident <= mostIdleBytes, "%-34s %8.1f MB (at most %d MB)", "resident when idle",
		float64(resident)/(1<<20), mostIdleBytes>>20)
}

// residentOf returns the resident memory of the process in bytes.
func residentOf(b *testing.B, s *server) int64 {
	b.Helper()
	status := testkit.ReadFile(b, fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	_, rest, _ := bytes.Cut(status, []byte("VmRSS:"))
	text, _, _ := bytes.Cut(rest, []byte("kB"))
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		b.Fatalf("how much memory has a process? %v", err)
	}
	return n << 10
}

// benched is a shop that takes money on Polygon.
type benched struct{ *shop }

// openBenched opens the shop on a database; to: where its webhooks go.
func openBenched(b *testing.B, to *receiver, env ...string) *benched {
	b.Helper()
	f := &benched{&shop{receiver: to, chains: []testChain{startChain(b, 1, 1, benchFinal)}}}
	env = append(append(f.chains[0].environ(), "FLORIN_SIGNUP_CREDITS=1000000"), env...)
	f.open(b, env, map[string]any{"polygon": settlementWallet})
	f.awaitOffer(b)
	return f
}

// awaitOffer waits until Polygon is offered.
func (f *benched) awaitOffer(b *testing.B) {
	b.Helper()
	c := dial(b, f.server)
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		_, err := f.life(c)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			b.Fatal(err)
		}
	}
}

func (f *benched) create(c *client) (txnid string, err error) {
	answer, err := c.mustPost("/create-payment", fmt.Appendf(nil, `{"apiKey":%q,"amount":12.50}`, f.key))
	return fieldOf(answer, "txnid"), err
}

// life creates a payment and starts it, until it has an address.
func (f *benched) life(c *client) (p payer, err error) {
	if p.txnid, err = f.create(c); err != nil {
		return p, err
	}
	answer, err := c.mustPost("/pay", fmt.Appendf(nil, `{"txnid":%q,"network":"POLYGON","token":"USDC"}`, p.txnid))
	p.address = fieldOf(answer, "address")
	return p, err
}

// payer has a started payment.
type payer struct{ txnid, address string }

// rates are the results of one database, per second, and how long a lone client waits for a create and a start (p50).
type rates struct {
	create, life, read, echo float64
	alone                    time.Duration
}

func measureRates(b *testing.B, database string) (r rates) {
	b.Helper()
	f := openBenched(b, nil, "FLORIN_DATABASE_URL="+database)
	defer f.stop(b, syscall.SIGTERM)
	r.create = rate(b, f.server, func(c *client) error { _, err := f.create(c); return err })
	r.life = rate(b, f.server, func(c *client) error { _, err := f.life(c); return err })
	r.alone = f.alone(b)
	r.read, r.echo = f.reads(b)
	return r
}

// alone returns the median time of a create and a start of a client that has the program to itself.
func (f *benched) alone(b *testing.B) time.Duration {
	b.Helper()
	c := dial(b, f.server)
	var took []time.Duration
	for begun := time.Now(); time.Since(begun) < *benchFor; {
		one := time.Now()
		if _, err := f.life(c); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(one))
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// readRounds is how often reads and the bare handler take turns: other work of the machine is then beside both.
const readRounds = 3

// reads compares reading a started payment with a bare handler that writes the same bytes, by their medians.
func (f *benched) reads(b *testing.B) (read, echo float64) {
	b.Helper()
	c := dial(b, f.server)
	p, err := f.life(c)
	testkit.Must(b, err)
	path := "/orders/" + p.txnid
	get := func(c *client) error {
		status, answer, err := c.get(path)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("%s answers %d: %s", path, status, answer)
		}
		return err
	}
	testkit.Must(b, get(c))
	file := filepath.Join(b.TempDir(), "order.json")
	testkit.Must(b, os.WriteFile(file, c.body, 0o600))
	var reads, echoes []float64
	for bare := bareEcho(b, file); len(reads) < readRounds; {
		echoes = append(echoes, rate(b, bare, get))
		reads = append(reads, rate(b, f.server, get))
	}
	slices.Sort(reads)
	slices.Sort(echoes)
	return reads[readRounds/2], echoes[readRounds/2]
}

func benchSQLite(b *testing.B) {
	b.Helper()
	r := measureRates(b, "sqlite://"+filepath.Join(b.TempDir(), "rates.db"))
	fmt.Printf("%-34s %8.0f/s\n%-34s %8.0f/s\n", "SQLite: create", r.create, "SQLite: create, then start", r.life)
	reportRatio(b, "SQLite: GET /orders × bare Echo", r.read, r.echo, leastRead)
	againstPostgres(b, "SQLite", r)
}

func benchPostgres(b *testing.B) {
	b.Helper()
	database, _, stop := durable(b)
	r := measureRates(b, database)
	stop()
	reportRatio(b, "PostgreSQL: GET /orders × bare Echo", r.read, r.echo, leastRead)
	againstPostgres(b, "PostgreSQL", r)
}

// durable starts a PostgreSQL that survives a power cut.
func durable(b *testing.B) (database, programs string, stop func()) {
	b.Helper()
	database, programs, end, err := postgres.Durable()
	testkit.Must(b, err)
	return database, programs, func() {
		if err := end(); err != nil {
			b.Error(err)
		}
	}
}

// againstPostgres compares the rates with pgbench, which runs right after them.
func againstPostgres(b *testing.B, name string, r rates) {
	b.Helper()
	database, programs, stop := durable(b)
	defer stop()
	openBenched(b, nil, "FLORIN_DATABASE_URL="+database).stop(b, syscall.SIGTERM)
	base := pgbench(b, programs, database, plainScript)
	folded := pgbench(b, programs, database, foldedScript)
	both := pgbench(b, programs, database, lifeScript)
	reportRatio(b, name+": create × pgbench", r.create, base, leastCreate)
	reportRatio(b, name+": create, start × pgbench", r.life, both, leastBoth)
	reportRatio(b, "  × pgbench that only creates", r.life, base, leastLife)
	fmt.Printf("%-34s %.2f and %.2f × %.0f/s\n", "  × pgbench with one INSERT", r.create/folded, r.life/folded, folded)
	fmt.Printf("%-34s %8v p50\n", name+": create, start of a lone client", r.alone.Round(10*time.Microsecond))
}

// settleTime is how long the program may take to become idle after many pages were opened.
const settleTime = 5 * time.Second

// benchPages opens the live streams of many checkout pages, each of a separate payment, and measures what one costs.
func benchPages(b *testing.B) {
	b.Helper()
	f := openBenched(b, nil)
	defer f.stop(b, syscall.SIGTERM)
	c, ids := dial(b, f.server), make([]string, roomFor(*benchStreams))
	for i := range ids {
		var err error
		if ids[i], err = f.create(c); err != nil {
			b.Fatal(err)
		}
	}
	time.Sleep(settleTime)
	before := residentOf(b, f.server)
	ctx, closeAll := context.WithCancel(b.Context())
	defer closeAll()
	for i, id := range ids {
		if err := openStream(ctx, f.server, id, i); err != nil {
			b.Fatalf("page %d: %v", i+1, err)
		}
	}
	time.Sleep(settleTime)
	each := (residentOf(b, f.server) - before) / int64(len(ids))
	reportf(b, each <= mostStream, "%-34s %8d, %.1f KB each (at most %d KB)", "open pages", len(ids),
		float64(each)/1024, mostStream>>10)
	streams := f.busy(b, streamsFor, func() { time.Sleep(streamsFor) })
	closeAll()
	time.Sleep(streamsGone)
	f.benchAsking(b, ids, streams)
}
