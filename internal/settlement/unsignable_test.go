package settlement_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// A deposit balance that cannot be signed for, such as one on an address that is not the payment's, is set aside with
// the reason; the others are swept.
func TestSweeper_Unsignable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	var fine []payment.Payment
	fine = append(fine, w.paid(10*money.USD))
	bad := w.stray(10 * money.USD)
	for range 3 {
		fine = append(fine, w.paid(10*money.USD))
	}
	s := w.sweeper()
	w.once(s)
	if got := w.allInFlight(); len(got) > 0 {
		t.Fatalf("a sweep that cannot be signed blocks the network: %+v", got)
	}
	w.settle(s)
	for _, p := range fine {
		w.wantSwept(p, true)
	}
	w.wantSwept(bad, false)
	w.wantBalance(merchantWallet, 40*money.USD)

	w.clock.Pass(11 * time.Minute)
	balances := w.balances()
	if len(balances) != 1 || balances[0].PaymentID != string(bad.ID) || balances[0].Failures != 1 {
		t.Fatalf("after its pause the balances are %+v", balances)
	}
	w.settle(s)
	w.clock.Pass(61 * time.Minute)
	if balances := w.balances(); len(balances) != 1 || balances[0].Failures != 2 {
		t.Errorf("after a second failure the balances are %+v", balances)
	}
}

// A temporary failure, here an endpoint that is down, does not end a sweep, and while it waits to be signed no other is
// planned: what comes meanwhile goes into one sweep with more of its kind.
func TestSweeper_SignsLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	p := w.paid(10 * money.USD)
	down := w.newAdapter("http://127.0.0.1:1")
	s := w.newSweeper(
		sender.NewSweeps(down, sender.Config{Signer: w.gas, MaxPrice: ceiling}),
		w.store.Settlement(),
		"sweeper",
	)
	if err := s.RunOnce(t.Context()); err == nil {
		t.Fatal("a sweep is signed without a network")
	}
	if planned := w.inFlight(); planned.State != settlement.Planned || len(planned.Attempts) != 0 {
		t.Errorf("without a network the sweep is %s", planned.State)
	}
	late := w.paid(5 * money.USD)
	_ = s.RunOnce(t.Context()) // fails as before
	if planned := w.allInFlight(); len(planned) != 1 {
		t.Errorf("%d sweeps wait to be signed", len(planned))
	}
	w.settle(w.sweeper())
	w.wantSwept(p, true)
	w.wantSwept(late, true)
}

// stray makes a payment that is paid at an address which derives from something else.
func (w *world) stray(amount money.Micros) payment.Payment {
	w.t.Helper()
	w.astray = true
	defer func() { w.astray = false }()
	return w.paid(amount)
}
