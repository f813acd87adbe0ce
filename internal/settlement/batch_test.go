package settlement_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// estimator is a proxy of the chain's endpoint; while it is on, it answers gas estimates with gas.
type estimator struct {
	w   *world
	on  atomic.Bool
	gas string
}

const (
	tooLittleGas = "0x24000"   // with the sender's margin enough for two addresses, not for more
	tooMuchGas   = "0x2000000" // does not fit a transaction
)

func (p *estimator) sender() chain.SweepSender {
	p.w.t.Helper()
	server := httptest.NewServer(p)
	p.w.t.Cleanup(server.Close)
	return sender.NewSweeps(p.w.newAdapter(server.URL), sender.Config{Signer: p.w.gas, MaxPrice: ceiling})
}

func (p *estimator) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	res, err := http.Post(p.w.chain.URL(), "application/json", bytes.NewReader(body))
	if err != nil {
		rw.WriteHeader(http.StatusBadGateway)
		return
	}
	defer res.Body.Close()
	if !p.on.Load() || !strings.Contains(string(body), `"eth_estimateGas"`) {
		_, _ = io.Copy(rw, res.Body)
		return
	}
	var answer map[string]any
	if json.NewDecoder(res.Body).Decode(&answer) != nil {
		p.w.t.Error("the answer to an estimate is not an object")
		rw.WriteHeader(http.StatusBadGateway)
		return
	}
	answer["result"] = p.gas
	_ = json.NewEncoder(rw).Encode(answer) // the client may be gone
}

// A batch that reverts as a whole is split in halves, with a pause between, until a size fits. When sweeps succeed
// again, batches grow up to the operator's limit.
func TestSweeper_BatchReverts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	node := &estimator{w: w, gas: tooLittleGas}
	node.on.Store(true)
	s := w.batching(node.sender(), 8)
	first := w.manyPaid(8)
	failed, sizes := w.untilAllSwept(s)
	if failed < 2 || failed > 6 || sizes[0] != 8 || sizes[1] != 4 {
		t.Errorf("%d transactions failed of sweeps of %d addresses", failed, sizes)
	}
	node.on.Store(false)
	second := w.manyPaid(40)
	failed, sizes = w.untilAllSwept(s)
	largest := 0
	for _, n := range sizes {
		largest = max(largest, n)
	}
	if failed != 0 || largest != 8 || sizes[0] == 8 {
		t.Errorf("with correct estimates %d failed of sweeps of %d addresses; 8 are allowed", failed, sizes)
	}
	for _, p := range append(first, second...) {
		w.wantSwept(p, true)
	}
	w.wantBalance(merchantWallet, 48*5*money.USD)
	w.wantReconciled()
}

// manyPaid makes payments that are final and not swept.
func (w *world) manyPaid(n int) (paid []payment.Payment) {
	w.t.Helper()
	for range n {
		p := w.started(5*money.USD, merchantWallet)
		w.pay(p, 5*money.USD)
		paid = append(paid, p)
	}
	w.finalize()
	w.watch()
	return paid
}

// untilAllSwept runs the sweeper once a minute until nothing is due. It returns how many sweeps failed and how many
// addresses each had.
func (w *world) untilAllSwept(s *settlement.Sweeper) (failed int, sizes []int) {
	w.t.Helper()
	for range 40 {
		w.once(s)
		list := w.allInFlight()
		for _, current := range list {
			sizes = append(sizes, len(current.Items))
		}
		w.finalize()
		w.watch()
		w.once(s)
		for _, current := range list {
			if w.sweepOf(current.ID).State == settlement.Failed {
				failed++
			}
		}
		w.clock.Pass(time.Minute)
		if len(list) == 0 && w.idle() {
			return failed, sizes
		}
	}
	w.t.Fatalf("sweeping does not end: %d failed of %d", failed, sizes)
	return 0, nil
}

// Only the instance that holds the lease plans, signs and ends sweeps. When it crashes, another takes over after the
// lease has expired; when it stops, at once.
func TestSweeper_Lease(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, url string) {
		w := newWorld(t, chain.Polygon, url)
		one, two := w.newSweeper(w.sender, w.store.Settlement(), "one"), w.newSweeper(w.sender, w.open().Settlement(), "two")
		w.once(one) // takes the lease; nothing is due
		p := w.paid(10 * money.USD)
		w.clock.Pass(20 * time.Second)
		w.once(two)
		if got := w.allInFlight(); len(got) > 0 {
			t.Fatalf("without the lease a sweep was planned: %+v", got)
		}
		w.once(one)
		sent := w.inFlight()
		w.finalize()
		w.once(two)
		if got := w.inFlight(); got.ID != sent.ID {
			t.Fatal("without the lease a sweep was ended")
		}
		w.clock.Pass(31 * time.Second) // one has crashed
		w.once(two)
		if got := w.sweepOf(sent.ID); got.State != settlement.Confirmed {
			t.Fatalf("after the lease ran out the sweep is %s", got.State)
		}
		w.wantSwept(p, true)

		next := w.paid(10 * money.USD)
		w.once(one)
		if got := w.allInFlight(); len(got) > 0 {
			t.Fatalf("one swept beside two: %+v", got)
		}
		w.stop(two)
		w.once(one)
		w.finalize()
		w.once(one)
		w.wantSwept(next, true)
		w.wantReconciled()
	})
}

// stop ends the sweeper's work, so that it gives the lease back.
func (w *world) stop(s *settlement.Sweeper) {
	w.t.Helper()
	s.Release(w.t.Context())
}

// A sweep that is never included gets a limited number of fee bumps, however high the operator's ceiling is. After
// that, the last bytes are sent again.
func TestSweeper_LimitsAttempts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	p := w.paid(10 * money.USD)
	w.sender = w.newSender(money.UnitsFromUint64(1e15))
	s := w.sweeper()
	const most = 20
	for range most + 3 {
		w.once(s)
		w.clock.Pass(61 * time.Second)
	}
	stuck := w.inFlight()
	last, _ := stuck.Last()
	if len(stuck.Attempts) != most || w.clock.Now().Sub(last.SentAt) > 2*time.Minute {
		t.Errorf("%d attempts, the last sent %s ago", len(stuck.Attempts), w.clock.Now().Sub(last.SentAt))
	}
	w.settle(s)
	if done := w.sweepOf(stuck.ID); done.State != settlement.Confirmed || done.Tx != last.Tx {
		t.Errorf("the sweep ended as %s by %s", done.State, done.Tx)
	}
	w.wantSwept(p, true)
}

// A fee bump that cannot be signed does not end the sweep, because the last attempt may still be included; that one is
// sent again.
func TestSweeper_BumpUnsignable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	p := w.paid(10 * money.USD)
	node := &estimator{w: w, gas: tooMuchGas}
	s := w.newSweeper(node.sender(), w.store.Settlement(), "sweeper")
	w.once(s)
	sent := w.inFlight()
	node.on.Store(true)
	for range 2 {
		w.chain.Rollback()
		w.clock.Pass(61 * time.Second)
		if err := s.RunOnce(t.Context()); !errors.Is(err, chain.ErrTooLarge) {
			t.Errorf("an attempt that does not fit: %v", err)
		}
		if got := w.inFlight(); got.ID != sent.ID || len(got.Attempts) != 1 {
			t.Fatalf("while its first attempt can be included the sweep is %+v", got)
		}
		w.wantPooled(1)
	}
	w.finalize()
	w.once(s)
	if done := w.sweepOf(sent.ID); done.State != settlement.Confirmed || done.Tx != sent.Attempts[0].Tx {
		t.Errorf("the sweep ended as %s by %s", done.State, done.Tx)
	}
	w.wantSwept(p, true)
}
