package settlement_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
)

// A thousand transfers of a millionth of a dollar, to a thousand addresses or to one, never cause a sweep and never
// delay another balance.
func TestPlan_DustAttack(t *testing.T) {
	t.Parallel()
	var balances []settlement.DepositBalance
	for i := range 1000 {
		p := balanceOf(fmt.Sprintf("%04d", i), 0, 365*24*time.Hour)
		p.Due = money.Micros(1).Units(6)
		balances = append(balances, p)
	}
	policy := settlement.DefaultPolicy()
	if plan := settlement.Plan(balances, policy, noon); len(plan) != 0 {
		t.Errorf("the gas wallet pays for %d balances of dust", len(plan))
	}
	all := balanceOf("one", 0, 365*24*time.Hour)
	all.Due = money.Micros(1000).Units(6)
	if plan := settlement.Plan([]settlement.DepositBalance{all}, policy, noon); len(plan) != 0 {
		t.Error("the gas wallet pays for a thousandth of a dollar")
	}
	if got := ids(settlement.Plan(append(balances, balanceOf("good", 500, policy.Wait)), policy, noon)); got != "good" {
		t.Errorf("among dust the plan is %q", got)
	}
}

// An attacker sends transfers of a millionth of a dollar to drain the gas wallet. They cost it nothing and delay no
// other balance; a later deposit at the same address takes them along, and the operator can rescue them.
func TestSweeper_Dust(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, url string) {
		w := newWorld(t, chain.Polygon, url)
		var dusty []payment.Payment
		for range 10 {
			p := w.started(10*money.USD, merchantWallet)
			for range 10 {
				w.pay(p, 1)
			}
			dusty = append(dusty, p)
		}
		w.finalize()
		w.watch()
		policy := settlement.DefaultPolicy()
		s := settlement.New(w.sender, w.store.Settlement(), policy, "sweeper", w.clock.Now, newID, silent())
		for range 3 { // days
			w.clock.Pass(25 * time.Hour)
			w.once(s)
			w.finalize()
			w.watch()
		}
		if balances := w.balances(); len(balances) != 10 || w.nonce() != 0 {
			t.Fatalf("after days %d of 10 addresses wait, and %d transactions were paid for", len(balances), w.nonce())
		}

		paid := w.paid(10 * money.USD)
		first, err := w.store.Settlement().DepositBalances(t.Context(), chain.Polygon, settlement.Query{
			Now: w.clock.Now(), Aged: w.clock.Now().Add(-policy.Age), Least: policy.Least, Dust: policy.Dust, Limit: 1,
		})
		w.must(err)
		if len(first) != 1 || first[0].PaymentID != string(paid.ID) {
			t.Fatalf("the first balance, beside old dust, is %+v", first)
		}
		w.clock.Pass(policy.Wait)
		w.untilSwept(s, paid)
		w.wantBalance(merchantWallet, 10*money.USD)

		w.pay(dusty[0], 10*money.USD)
		w.finalize()
		w.watch()
		w.clock.Pass(policy.Wait)
		w.untilSwept(s, dusty[0])
		w.wantBalance(merchantWallet, 20*money.USD+10)
		w.wantSwept(dusty[1], false)
		if got := w.nonce(); got != 2 {
			t.Errorf("%d transactions, want 2", got)
		}

		st, err := w.store.Reports().Stuck(t.Context(), w.clock.Now(), policy.Dust)
		w.must(err)
		if st.Dust != 9*10 || st.Unswept != 0 {
			t.Errorf("the report counts %d deposits of dust and %d others", st.Dust, st.Unswept)
		}
		if _, err := w.rescue(s, w.balances()[0].PaymentID); err != nil {
			t.Fatal(err)
		}
		w.wantBalance(merchantWallet, 20*money.USD+20)
		w.wantReconciled()
	})
}

// untilSwept runs the sweeper until the payment's deposits are swept.
func (w *world) untilSwept(s *settlement.Sweeper, p payment.Payment) {
	w.t.Helper()
	for range 10 {
		w.once(s)
		w.finalize()
		w.watch()
		now, err := w.store.Payment(w.t.Context(), p.ID)
		w.must(err)
		if now.Deposits[len(now.Deposits)-1].Swept {
			return
		}
	}
	w.t.Fatal("the payment is not swept")
}

// rescue moves what is due of a payment, as the operator's command does.
func (w *world) rescue(s *settlement.Sweeper, id string) (settlement.Sweep, error) {
	w.t.Helper()
	var items []chain.SweepItem
	for _, p := range w.balances() {
		if p.PaymentID == id {
			items = append(items, chain.SweepItem{
				PaymentID: p.PaymentID, Scheme: p.Scheme, Address: p.Address, Settlement: p.Settlement,
				Asset: p.Asset, Expected: p.Due,
			})
		}
	}
	stop := w.mining()
	defer stop()
	return s.Rescue(w.t.Context(), items)
}

// mining makes blocks until it is stopped.
func (w *world) mining() (stop func()) {
	end, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-end:
				return
			case <-time.After(50 * time.Millisecond):
				w.chain.Mine(1)
			}
		}
	}()
	return func() { close(end); <-done }
}
