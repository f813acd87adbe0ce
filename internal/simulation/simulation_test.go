package simulation

import (
	"errors"
	"flag"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

var (
	seedFlag  = flag.Uint64("seed", 1, "the first seed TestSeed runs")
	seedsFlag = flag.Uint64("seeds", 4, "how many seeds TestSeed runs; TestPostgres runs a quarter of them")
	stepsFlag = flag.Int("steps", 350, "how many steps a seed takes before the faults end")
	traceFlag = flag.Bool("trace", false, "print the whole trace of a seed that fails, not only its end")
	forFlag   = flag.Duration("for", 0, "run seeds for this long instead of counting them")
)

// template makes a migrated database, from which every world starts.
func template(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "template.db")
	migrate(t, "sqlite://"+path)
	return path
}

func migrate(t *testing.T, url string) {
	t.Helper()
	sealer, err := secret.NewSealer(make([]byte, secret.KeyLen))
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), url, sealer, store.Options{Log: silent(), MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Migrate(t.Context()), s.Close()); err != nil {
		t.Fatal(err)
	}
}

// run runs the world of a seed to its end, checks it and returns it.
func run(t testing.TB, seed uint64, database string) *world {
	t.Helper()
	w := newWorld(t, seed, database)
	steps := *stepsFlag
	if w.path == "" {
		steps /= 3 // each step waits for another process
	}
	for range steps {
		w.step()
	}
	w.finish()
	w.checkEnd()
	for _, in := range w.instances {
		w.must(in.store.Close())
	}
	w.must(w.observer.Close())
	return w
}

// TestSeed runs seeds; see the package's documentation.
func TestSeed(t *testing.T) {
	t.Parallel()
	from := template(t)
	until := time.Now().Add(*forFlag)
	for n := uint64(0); n < *seedsFlag || *forFlag > 0 && time.Now().Before(until); n++ {
		seed := *seedFlag + n
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			run(t, seed, from).logSummary()
		})
	}
}

// TestPostgres is TestSeed on PostgreSQL, where an instance crashes between rounds only.
func TestPostgres(t *testing.T) {
	t.Parallel()
	for n := range max(*seedsFlag/4, 1) {
		seed := *seedFlag + n
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			url := postgres.URL(t)
			migrate(t, url)
			run(t, seed, url).logSummary()
		})
	}
}

// logSummary logs how the payments ended and how much happened.
func (w *world) logSummary() {
	ended := map[payment.Status]int{}
	for _, p := range w.last {
		ended[p.Status]++
	}
	w.Logf("%v, %d crashes, %d interleavings, %d sweeps signed, %d blocks", ended, w.crashes, w.interleavings, w.signed, len(w.chain.blocks)+len(w.of(chain.Solana).blocks))
}

// TestSameSeed: a run is a function of its seed.
func TestSameSeed(t *testing.T) {
	t.Parallel()
	from := template(t)
	one, two := run(t, 7, from), run(t, 7, from)
	if one.sum() != two.sum() {
		for i := range min(len(one.lines), len(two.lines)) {
			if one.lines[i] != two.lines[i] {
				t.Fatalf("line %d is %q and %q", i, one.lines[i], two.lines[i])
			}
		}
		t.Fatalf("one trace has %d lines, the other %d", len(one.lines), len(two.lines))
	}
}

// finish ends all faults and runs the loops until nothing is open.
func (w *world) finish() {
	w.tracef("the faults end")
	for _, in := range w.instances {
		w.must(in.store.Close())
	}
	clear(w.hidden)
	w.gasExpensive, w.gasEmpty, w.answersLost = false, false, false
	w.receiversFail, w.receiversBusy = false, false
	for _, l := range w.chains {
		l.frozen = 0
	}
	w.instances = []*instance{w.start()}
	in := w.instances[0]
	const most = 600 // rounds: more than any timer needs, even if extended repeatedly
	for range most {
		w.pass(40 * time.Second)
		w.mine(deepest + 1)
		for _, kind := range []string{"watch", "expire", "sweep", "deliver"} {
			in.round(kind)
		}
		w.check()
		if w.ended(in) {
			break
		}
	}
	for range 20 { // receivers that failed are tried again within days
		w.pass(13 * time.Hour)
		w.mine(1)
		in.round("watch")
		in.round("deliver")
	}
	w.check()
}

// ended reports whether no payment is open and no sweep is due.
func (w *world) ended(in *instance) bool {
	for _, p := range w.last {
		if !p.Status.Final() {
			return false
		}
		for _, d := range p.Deposits {
			if d.State == payment.DepositSeen || d.State == payment.DepositFinal && !d.Swept {
				return false
			}
		}
	}
	for _, l := range w.chains {
		if _, busy, err := in.store.Settlement().InFlight(w.Context(), l.profile.Network); busy {
			w.must(err)
			return false
		}
	}
	return true
}
