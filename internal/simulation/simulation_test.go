package simulation

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

var (
	seedFlag  = flag.Uint64("seed", 1, "the first seed TestSeed runs")
	seedsFlag = flag.Uint64("seeds", 200, "how many seeds TestSeed runs at most; TestPostgres runs one in 50")
	stepsFlag = flag.Int("steps", 40, "how many steps a seed takes before the faults end")
	traceFlag = flag.Bool("trace", false, "print the whole trace of a seed that fails, not only its end")
	forFlag   = flag.Duration("for", 0, "begin no seed after this long")
)

// scratch returns a directory for databases: in memory where the system offers that, since a world that waits for a
// disk spends most of its time so.
func scratch(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "florin-simulation") //nolint:usetesting // t.TempDir may be on a disk
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// template makes a migrated database with a merchant, from which every world starts.
func template(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(scratch(t), "template.db")
	prepare(t, "sqlite://"+path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// prepare migrates a database and creates the merchant.
func prepare(t *testing.T, url string) {
	t.Helper()
	s := open(t, url)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	createMerchant(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, url string) *store.Store {
	t.Helper()
	sealer, err := secret.NewSealer(make([]byte, secret.KeyLen))
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), url, sealer, store.Options{Log: silent(), MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs the world of a seed to its end, checks it and returns it.
func run(t testing.TB, seed uint64, url string) *world {
	t.Helper()
	w := newWorld(t, seed, url)
	w.drawLoss(*stepsFlag)
	for n := range *stepsFlag {
		w.lose(n)
		w.step()
	}
	w.finish()
	w.checkEnd()
	w.close()
	return w
}

// runSQLite runs a seed on a copy of the template.
func runSQLite(t testing.TB, seed uint64, template []byte) *world {
	t.Helper()
	path := filepath.Join(scratch(t), "world.db")
	if err := os.WriteFile(path, template, 0o600); err != nil {
		t.Fatal(err)
	}
	return run(t, seed, "sqlite://"+path)
}

// TestSeed runs seeds; see the package's documentation.
func TestSeed(t *testing.T) {
	t.Parallel()
	from := template(t)
	until := time.Now().Add(*forFlag)
	total := summary{ended: map[payment.Status]int{}}
	for n := uint64(0); n < *seedsFlag && (*forFlag == 0 || time.Now().Before(until)); n++ {
		seed := *seedFlag + n
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			total.add(runSQLite(t, seed, from))
		})
	}
	t.Logf("seeds %d to %d: %s", *seedFlag, *seedFlag+uint64(total.seeds)-1, total)
}

// TestPostgres is TestSeed on PostgreSQL, where an instance crashes between rounds only, and where commits fail and are
// made again.
func TestPostgres(t *testing.T) {
	t.Parallel()
	for n := range max(*seedsFlag/50, 1) {
		seed := *seedFlag + n
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			url := postgres.URL(t)
			prepare(t, url)
			refuseCommits(t, url)
			run(t, seed, url)
		})
	}
}

// summary says how the payments of many seeds ended and how much happened.
type summary struct {
	seeds, crashes, severalFlying, interleavings, signed, blocks int

	ended   map[payment.Status]int
	slowest time.Duration // until all final money was recorded after the faults
}

func (s *summary) add(w *world) {
	for _, p := range w.last {
		s.ended[p.Status]++
	}
	s.seeds++
	s.crashes += w.crashes
	s.severalFlying += w.severalFlying
	s.interleavings += w.interleavings
	s.signed += w.signed
	s.slowest = max(s.slowest, w.awaited)
	for _, l := range w.chains {
		s.blocks += len(l.blocks)
	}
}

func (s summary) String() string {
	return fmt.Sprintf("%v, %d crashes of which %d with several sweeps of a network in flight, %d interleavings, %d sweeps signed, %d blocks, all recorded within %s",
		s.ended, s.crashes, s.severalFlying, s.interleavings, s.signed, s.blocks, s.slowest)
}

// TestSameSeed: a run is a function of its seed.
func TestSameSeed(t *testing.T) {
	t.Parallel()
	from := template(t)
	for seed := range uint64(4) {
		one, two := runSQLite(t, seed, from), runSQLite(t, seed, from)
		if one.sum() == two.sum() {
			continue
		}
		for i := range min(len(one.lines), len(two.lines)) {
			if one.lines[i] != two.lines[i] {
				t.Fatalf("seed %d: line %d is %q and %q", seed, i, one.lines[i], two.lines[i])
			}
		}
		t.Fatalf("seed %d: one trace has %d lines, the other %d", seed, len(one.lines), len(two.lines))
	}
}

// finish ends all faults and runs the loops until nothing is open.
func (w *world) finish() {
	w.tracef("the faults end")
	w.endFaults()
	in := w.instances[0]
	if w.seed%2 == 0 { // the other half keep what they remember
		in = w.restartAll()
	}
	in.steady = true
	w.await(in)
	const most = 400 // rounds: more than any timer needs, even if extended repeatedly
	began := w.clock
	for range most {
		w.pass(quietStep)
		w.mine(deepest + 1)
		in.round("watch")
		w.check()
		if w.sweepable() {
			in.round("sweep")
		}
		in.round("expire") // it also searches for what sweeps moved beyond the record
		if w.ending() {
			in.round("deliver")
		}
		if w.recharging() {
			in.round("recharge")
		}
		w.check()
		if w.ended(in) && w.clock.Sub(began) > 2*shownWithin { // specks are folded when their blocks were read twice
			break
		}
	}
	if len(w.hosts) == 1 {
		w.compare(in)
	}
	w.settleRecharges(in)
	w.deliverAll(in)
	w.checked = -1
	for _, id := range w.ids {
		w.dirty[id] = true
	}
	w.check()
}

// quietStep is how far the clock goes in a round without faults: less than what counts as an outage.
const quietStep = headLimit - 20*time.Second

// shownWithin is how long it takes at most until money that is final is recorded, once its network is read and no
// endpoint lies about it: half an hour until blocks are read again (an hour where one endpoint is all there is), a
// round, and a pause between two attempts.
const shownWithin = 75 * time.Minute

// heights are how many blocks of each network are final.
func (w *world) heights() map[chain.Network]int {
	height := map[chain.Network]int{}
	for _, l := range w.chains {
		height[l.profile.Network] = l.finalHeight + 1
	}
	return height
}

// await lets the watchers go at their own pace until all money that is final is recorded, and fails if that takes too
// long.
func (w *world) await(in *instance) {
	began, height := w.clock, w.heights()
	w.check()
	for {
		missing := w.missing(height)
		w.awaited = w.clock.Sub(began)
		switch {
		case missing == "":
			w.tracef("all final money was recorded %s after the faults", w.clock.Sub(began))
			return
		case w.clock.Sub(began) > shownWithin:
			w.failf("%s after the faults, %s", w.clock.Sub(began), missing)
		}
		w.pass(time.Minute)
		w.mine(2)
		in.round("watch")
		if w.sweepable() {
			in.round("sweep") // it finds out what it moved beyond the record
		}
		in.round("expire")
		w.check()
	}
}

// missing says which money in the blocks below the heights is not recorded; empty: all is.
func (w *world) missing(height map[chain.Network]int) string {
	for _, id := range w.known() {
		p := w.last[id]
		for _, r := range p.Routes {
			n := r.Network
			got := w.of(n).arrivals(height[n], r.Address.Address)
			for k, in := range got {
				recorded := func(d payment.Deposit) bool {
					return d.Transfer.Key == k && d.State != payment.DepositVanished
				}
				if in.units >= uint64(payment.DustFloor) && !slices.ContainsFunc(p.Deposits, recorded) {
					return fmt.Sprintf("%d that came to %s (%s) in block %d (%s) is not recorded", in.units, p.ID, p.Status,
						in.block.Number, k.Tx)
				}
			}
		}
	}
	return ""
}

func (w *world) endFaults() {
	w.lies.end()
	for _, in := range w.instances[1:] {
		in.close()
	}
	w.instances = w.instances[:1]
	in := w.instances[0]
	in.mend()
	in.skew, in.crasher.armed, in.crasher.once = 0, false, false
	w.gasExpensive, w.gasEmpty, w.answersLost = false, false, false
	w.receiversFail, w.receiversBusy = false, false
	for _, l := range w.chains {
		l.frozen = 0
	}
}

// deliverAll goes from one due delivery to the next until none waits: receivers that failed are tried again within
// days.
func (w *world) deliverAll(in *instance) {
	const most = 200 // deliveries times attempts, far more than there are
	for range most {
		due, ok, err := in.store.NextDue(w.Context(), w.clock)
		w.must(err)
		if !ok {
			return
		}
		if due.After(w.clock) {
			w.clock = due
		}
		in.round("deliver")
	}
	w.failf("deliveries still wait")
}

// compare makes the daily comparison of balances, and lets what it finds be read again and swept. Small transfers are
// folded when they were read twice; where an endpoint that is all there is left some out of one of the two answers,
// their sum is too low until then.
func (w *world) compare(in *instance) {
	const most = 60 // steps: more than the second reading of an address needs
	for range most {
		w.pass(settlement.DailyEvery)
		w.mine(2)
		for _, d := range in.daily {
			w.must(d.RunOnce(w.Context()))
		}
		in.round("watch")
		if w.sweepable() {
			in.round("sweep")
		}
		w.check()
		if w.compared(in) && w.ended(in) {
			return
		}
	}
	w.failf("balances still differ from the records")
}

// compared reports whether all balances were compared, and no difference is left.
func (w *world) compared(in *instance) bool {
	for _, l := range w.chains {
		s := in.store.Settlement()
		c, _, err := s.Comparison(w.Context(), l.profile.Network)
		w.must(err)
		open, err := s.OpenDifferences(w.Context(), l.profile.Network, w.clock.Add(24*time.Hour), 1)
		w.must(err)
		if c.EndedAt.IsZero() || len(open) > 0 {
			return false
		}
	}
	return true
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
		list, err := in.store.Settlement().InFlight(w.Context(), l.profile.Network)
		w.must(err)
		if len(list) > 0 {
			return false
		}
	}
	return true
}
