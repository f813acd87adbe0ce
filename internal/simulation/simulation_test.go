package simulation

import (
	"errors"
	"flag"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

var (
	seedFlag  = flag.Uint64("seed", 1, "the first seed TestSeed runs")
	seedsFlag = flag.Uint64("seeds", 4, "how many seeds TestSeed runs; TestPostgres runs a quarter of them")
	stepsFlag = flag.Int("steps", 350, "how many steps a seed takes before all is calm")
	wholeFlag = flag.Bool("whole", false, "tell the whole story of a seed that fails, not its end alone")
	forFlag   = flag.Duration("for", 0, "run seeds for so long instead of counting them")
)

// template makes a database that has its schema, for all worlds to begin with.
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

// live lets the world of a seed happen and returns it when all has come to an
// end and was checked.
func live(t testing.TB, seed uint64, database string) *world {
	t.Helper()
	w := newWorld(t, seed, database)
	steps := *stepsFlag
	if w.path == "" {
		steps /= 3 // each waits for another process
	}
	for range steps {
		w.step()
	}
	w.calm()
	w.checkEnd()
	for _, in := range w.live {
		w.must(in.store.Close())
	}
	w.must(w.books.Close())
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
			live(t, seed, from).sumUp()
		})
	}
}

// TestPostgres is TestSeed on the other database, where processes die between
// rounds only.
func TestPostgres(t *testing.T) {
	t.Parallel()
	for n := range max(*seedsFlag/4, 1) {
		seed := *seedFlag + n
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			url := postgres.URL(t)
			migrate(t, url)
			live(t, seed, url).sumUp()
		})
	}
}

func (w *world) sumUp() {
	ended := map[payment.Status]int{}
	for _, p := range w.last {
		ended[p.Status]++
	}
	w.Logf("%v, %d crashes, %d interludes, %d sweeps signed, %d blocks", ended, w.crashes, w.interludes, w.signed, len(w.ledger.blocks))
}

// TestSameSeed: a run is a function of its seed.
func TestSameSeed(t *testing.T) {
	t.Parallel()
	from := template(t)
	one, two := live(t, 7, from), live(t, 7, from)
	if one.sum() != two.sum() {
		for i := range min(len(one.lines), len(two.lines)) {
			if one.lines[i] != two.lines[i] {
				t.Fatalf("line %d is %q and %q", i, one.lines[i], two.lines[i])
			}
		}
		t.Fatalf("one told %d lines, the other %d", len(one.lines), len(two.lines))
	}
}

// calm ends all troubles and gives everything time to come to its end.
func (w *world) calm() {
	w.tellf("all is calm")
	for _, in := range w.live {
		w.must(in.store.Close())
	}
	clear(w.hidden)
	w.dear, w.broke, w.deaf, w.badPost, w.fullPost, w.ledger.frozen = false, false, false, false, false, 0
	w.live = []*instance{w.start()}
	in := w.live[0]
	const most = 600 // rounds: more than any timer that was extended again and again
	for range most {
		w.pass(40 * time.Second)
		for range w.ledger.deepDepth + 1 {
			w.ledger.mine(w.clock)
		}
		for _, kind := range []string{"watch", "expire", "sweep", "deliver"} {
			in.round(kind)
		}
		w.check()
		if w.ended(in) {
			break
		}
	}
	for range 20 { // what receivers refused comes again within days
		w.pass(13 * time.Hour)
		w.ledger.mine(w.clock)
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
	_, busy, err := in.store.InFlight(w.Context(), w.profile.Network)
	w.must(err)
	return !busy
}
