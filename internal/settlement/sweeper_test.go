package settlement_test

import (
	"context"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// once runs one round of the sweeper.
func (w *world) once(s *settlement.Sweeper) {
	w.t.Helper()
	w.must(s.RunOnce(w.t.Context()))
}

// A sweep pays the settlement wallet recorded when the payment started, even if the merchant has changed it since: the
// forwarder can pay no other.
func TestSweeper_SettlementChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.BEP20, storetest.SQLite(t))
	before, after := w.started(10*money.USD, merchantWallet), w.started(20*money.USD, anotherSettlement)
	w.pay(before, 10*money.USD)
	w.pay(after, 20*money.USD)
	w.finalize()
	w.watch()
	w.settle(w.sweeper())
	w.wantBalance(merchantWallet, 10*money.USD)
	w.wantBalance(anotherSettlement, 20*money.USD)
}

// Only final deposits cause a sweep.
func TestSweeper_WaitsForFinality(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	p := w.started(10*money.USD, merchantWallet)
	w.pay(p, 10*money.USD)
	w.chain.Mine(2) // seen, not final
	w.watch()
	s := w.sweeper()
	w.once(s)
	if got := w.allInFlight(); len(got) > 0 {
		t.Fatalf("money that is not final is swept: %+v", got)
	}
	w.finalize()
	w.watch()
	w.settle(s)
	w.wantBalance(merchantWallet, 10*money.USD)
}

// A deposit that is not final when its address is flushed is moved too, and counts once.
func TestSweeper_MovesUnfinalDeposits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	p := w.paid(10 * money.USD)
	s := w.sweeper()
	w.pay(p, 5*money.USD)
	w.chain.Mine(1)
	w.watch()
	w.once(s) // planned with 10, moves 15
	w.settle(s)
	w.wantBalance(merchantWallet, 15*money.USD)
	w.wantSwept(p, true)
	w.wantNonce(1)
}

// A sweep that moved more than was recorded, a cent or more, has the payment's addresses read again before it ends, and
// ends where that fails.
func TestSweeper_RereadsMissed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		more money.Micros
		asks int
	}{"Cent": {money.USD / 100, 1}, "Speck": {money.USD/100 - 1, 0}, "Nothing": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, chain.Polygon, storetest.SQLite(t))
			p := w.paid(10 * money.USD)
			s := w.sweeper()
			asked := 0
			s.Reread = func(_ context.Context, id string) error {
				if asked++; id != string(p.ID) || len(w.allInFlight()) == 0 {
					t.Errorf("payment %s is to be read again", id)
				}
				return errors.New("its block is not known any more")
			}
			if c.more > 0 {
				w.pay(p, c.more)
				w.chain.Mine(1)
			}
			for range 3 {
				w.once(s)
				w.finalize()
				w.clock.Pass(settlement.Every)
			}
			w.settle(s)
			w.wantBalance(merchantWallet, 10*money.USD+c.more)
			if asked != c.asks {
				t.Errorf("asked %d times, want %d", asked, c.asks)
			}
		})
	}
}

// A block with a sweep is replaced: the sweep is sent again and counts once.
func TestSweeper_Reorg(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, url string) {
		w := newWorld(t, chain.Polygon, url)
		p := w.paid(10 * money.USD)
		s := w.sweeper()
		w.once(s)
		id := w.inFlight().ID
		w.chain.Mine(1)
		w.once(s)
		w.wantBalance(merchantWallet, 10*money.USD)
		if _, err := w.chain.Reorg(1); err != nil {
			t.Fatal(err)
		}
		w.wantBalance(merchantWallet, 0)
		w.once(s)
		w.wantSwept(p, false)
		w.clock.Pass(20 * time.Second) // until the same bytes are sent again
		w.once(s)
		w.settle(s)
		done := w.sweepOf(id)
		if done.State != settlement.Confirmed || len(done.Attempts) != 1 {
			t.Errorf("the sweep ended as %s after %d attempts", done.State, len(done.Attempts))
		}
		w.wantBalance(merchantWallet, 10*money.USD)
		w.wantSwept(p, true)
		w.wantNonce(1)
	})
}

// A transaction that is not included is replaced by one with the same nonce that pays at least an eighth more;
// whichever is included counts.
func TestSweeper_Stuck(t *testing.T) {
	t.Parallel()
	for _, n := range []chain.Network{chain.BEP20, chain.Polygon, chain.Base} {
		t.Run(string(n), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, n, storetest.SQLite(t))
			p := w.paid(10 * money.USD)
			s := w.sweeper()
			w.once(s)
			for range 2 {
				w.clock.Pass(61 * time.Second)
				w.once(s)
			}
			stuck := w.inFlight()
			if len(stuck.Attempts) != 3 {
				t.Fatalf("%d attempts, want 3", len(stuck.Attempts))
			}
			for i, a := range stuck.Attempts[1:] {
				before := stuck.Attempts[i]
				if a.Nonce != before.Nonce || !eighthMore(a.Fee.Tip, before.Fee.Tip) ||
					!eighthMore(a.Fee.Price, before.Fee.Price) {
					t.Errorf("attempt %d has nonce %d and pays %+v after %+v", a.N, a.Nonce, a.Fee, before.Fee)
				}
			}
			w.settle(s)
			w.wantBalance(merchantWallet, 10*money.USD)
			w.wantSwept(p, true)
			if done := w.sweepOf(stuck.ID); done.State != settlement.Confirmed || done.Tx != stuck.Attempts[2].Tx {
				t.Errorf("the sweep ended as %s by %s", done.State, done.Tx)
			}
		})
	}
}

func eighthMore(a, b money.Units) bool {
	return new(big.Int).Mul(a.Big(), big.NewInt(8)).Cmp(new(big.Int).Mul(b.Big(), big.NewInt(9))) >= 0
}
