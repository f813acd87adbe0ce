package settlement_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
)

// A deposit balance that nobody can sign for, such as one on an address that is not the
// payment's, is set aside with the reason; the others are swept.
func TestSweeper_Unsignable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, sqlite(t))
	var fine []payment.Payment
	fine = append(fine, w.paid(10*money.USD))
	bad := w.stray(10 * money.USD)
	for range 3 {
		fine = append(fine, w.paid(10*money.USD))
	}
	s := w.sweeper()
	w.once(s)
	if _, busy, err := w.store.InFlight(t.Context(), chain.Polygon); busy || err != nil {
		t.Fatalf("what cannot be signed keeps the network's place: %v", err)
	}
	w.settle(s)
	for _, p := range fine {
		w.wantSwept(p, true)
	}
	w.wantSwept(bad, false)
	w.wantBalance(merchantWallet, 40*money.USD)

	w.clock.pass(11 * time.Minute)
	balances := w.balances()
	if len(balances) != 1 || balances[0].PaymentID != string(bad.ID) || balances[0].Failures != 1 {
		t.Fatalf("after its pause the balances are %+v", balances)
	}
	w.settle(s)
	w.clock.pass(61 * time.Minute)
	if balances := w.balances(); len(balances) != 1 || balances[0].Failures != 2 {
		t.Errorf("after a second failure the balances are %+v", balances)
	}
}

// What passes by itself ends no sweep: here nobody answers.
func TestSweeper_SignsLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, sqlite(t))
	p := w.paid(10 * money.USD)
	deaf := w.newAdapter("http://127.0.0.1:1")
	s := w.newSweeper(
		sender.NewSweeps(deaf, sender.Config{Signer: w.gas, Instance: w.instance, MaxPrice: ceiling}), w.store,
		"sweeper",
	)
	if err := s.RunOnce(t.Context()); err == nil {
		t.Fatal("a sweep is signed without a network")
	}
	if planned := w.inFlight(); planned.State != settlement.Planned || len(planned.Attempts) != 0 {
		t.Errorf("without a network the sweep is %s", planned.State)
	}
	w.settle(w.sweeper())
	w.wantSwept(p, true)
}

// stray is paid, but the payment's address is another installation's.
func (w *world) stray(amount money.Micros) payment.Payment {
	w.t.Helper()
	own := w.instance
	w.instance[0]++
	defer func() { w.instance = own }()
	return w.paid(amount)
}
