package settlement_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// Fee bumps stop at the operator's ceiling; then the last bytes are sent again.
func TestSweeper_BumpsStopAtCeiling(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	w.chain.Mine(20) // the base fee falls to almost nothing
	p := w.paid(10 * money.USD)
	w.sender = w.newSender(money.UnitsFromUint64(32e9)) // Polygon's tip is at least 25 gwei
	s := w.sweeper()
	w.once(s)
	for range 10 {
		w.clock.Pass(61 * time.Second)
		w.once(s)
	}
	stuck := w.inFlight()
	last, _ := stuck.Last()
	if len(stuck.Attempts) < 2 || last.Fee.Price.Cmp(money.UnitsFromUint64(32e9)) > 0 ||
		last.SentAt.Before(w.clock.Now().Add(-time.Minute)) {
		t.Errorf("%d attempts, the last of which pays %s and was sent at %s", len(stuck.Attempts), last.Fee.Price, last.SentAt)
	}
	w.settle(s)
	w.wantSwept(p, true)
}

// At a hundred times the ceiling the sweep waits; when the price falls it is sent.
func TestSweeper_TooExpensive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	p := w.paid(10 * money.USD)
	normal := money.UnitsFromUint64(27e9)
	w.chain.Mine(60)
	price := &pricedProxy{w: w, factor: 100}
	s := w.newSweeper(price.sender(normal), w.store.Settlement(), "sweeper")
	for range 5 {
		if err := s.RunOnce(t.Context()); !errors.Is(err, chain.ErrTooExpensive) {
			t.Fatalf("at a hundred times the price: %v", err)
		}
		w.clock.Pass(20 * time.Second)
	}
	if got := w.inFlight(); len(got.Attempts) != 0 {
		t.Fatalf("the sweep was signed above the ceiling: %+v", got.Attempts)
	}
	// A rescue of the same address waits for the sweep in flight, reports the reason, and stores nothing when its
	// context ends.
	reasons := make(chan string, 10)
	helper := w.newSweeper(price.sender(normal), w.store.Settlement(), "sweeper")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	helper.OnWait = func(reason string) {
		reasons <- reason
		cancel()
	}
	item := w.inFlight().Items[0]
	if _, err := helper.Rescue(ctx, []chain.SweepItem{item}); !errors.Is(err, settlement.ErrBusy) {
		t.Errorf("a rescue behind a sweep that waits: %v", err)
	}
	if reason := <-reasons; !strings.Contains(reason, string(w.inFlight().ID)) ||
		!strings.Contains(reason, chain.ErrTooExpensive.Message) {
		t.Errorf("the rescue waits for %q", reason)
	}
	price.set(1)
	w.clock.Pass(20 * time.Second)
	w.settle(s)
	w.wantSwept(p, true)
	w.wantBalance(merchantWallet, 10*money.USD)
}

// signings counts the calls of Sign.
type signings struct {
	chain.SweepSender
	n int
}

func (s *signings) Sign(
	ctx context.Context, items []chain.SweepItem, previous []chain.Attempt, now time.Time, others ...chain.Attempt,
) (chain.Attempt, error) {
	s.n++
	return s.SweepSender.Sign(ctx, items, previous, now, others...)
}

// While gas is too expensive, the price is not read from the endpoints in every round.
func TestSweeper_Patience(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	p := w.paid(10 * money.USD)
	poor := &signings{SweepSender: w.newSender(money.UnitsFromUint64(1))}
	s := w.newSweeper(poor, w.store.Settlement(), "sweeper")
	for round, want := range []int{1, 1, 1, 2} {
		if err := s.RunOnce(t.Context()); !errors.Is(err, chain.ErrTooExpensive) {
			t.Fatalf("round %d: %v", round, err)
		}
		if poor.n != want {
			t.Errorf("round %d: Sign was called %d times, want %d", round, poor.n, want)
		}
		w.clock.Pass(5 * time.Second)
	}
	poor.SweepSender = w.sender
	w.clock.Pass(15 * time.Second)
	w.settle(s)
	w.wantSwept(p, true)
}

// Where the operator credits deposits after a number of seconds, accepting the risk for small amounts, a sweep still
// ends only when its block is finalized.
func TestSweeper_FinalByDepth(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	p := w.paid(10 * money.USD)
	w.profile.Finality = chain.Finality{Depth: time.Second}
	w.adapter = w.newAdapter(w.chain.URL())
	w.sender = w.newSender(ceiling)
	s := w.sweeper()
	w.once(s)
	id := w.inFlight().ID
	w.chain.Mine(devchain.DefaultFinalDepth)
	heads, err := w.adapter.Heads(t.Context())
	w.must(err)
	if heads.Final.Number <= heads.Finalized.Number {
		t.Fatalf("block %d is final by seconds, %d is finalized; the test shows nothing", heads.Final.Number, heads.Finalized.Number)
	}
	w.once(s)
	if got := w.inFlight(); got.ID != id {
		t.Fatal("the sweep ended before it was finalized")
	}
	w.wantSwept(p, false)
	w.finalize()
	w.once(s)
	if done := w.sweepOf(id); done.State != settlement.Confirmed {
		t.Errorf("the sweep ended as %s", done.State)
	}
	w.wantSwept(p, true)
}

// With an empty gas wallet payments complete, the sweep waits and the status shows why. It is sent once the wallet is
// funded.
func TestSweeper_NoGas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Base, storetest.SQLite(t))
	poor, err := newGasKey()
	w.must(err)
	w.gas = poor
	w.sender = w.newSender(ceiling)
	p := w.paid(10 * money.USD)
	if got, err := w.store.Payment(t.Context(), p.ID); err != nil || got.Status != payment.Completed {
		t.Fatalf("without gas the payment is %s, %v", got.Status, err)
	}
	s := w.sweeper()
	for range 3 {
		if err := s.RunOnce(t.Context()); !errors.Is(err, chain.ErrNoGas) ||
			!strings.Contains(err.Error(), string(poor.Wallet())) {
			t.Fatalf("without gas: %v", err)
		}
		w.clock.Pass(20 * time.Second)
	}
	if err := s.Turn(t.Context()); !errors.Is(err, chain.ErrNoGas) {
		t.Fatalf("without gas: %v", err)
	}
	if st := s.Status(); st.Runway.Level != settlement.LevelAlarm || st.Runway.Days != 0 ||
		st.Runway.Wallet.Address != poor.Wallet() ||
		st.Waiting != chain.ErrNoGas.Message {
		t.Errorf("the status is %+v", st)
	}
	w.fund(gasFunds)
	w.clock.Pass(20 * time.Second)
	w.settle(s)
	w.wantSwept(p, true)
}
