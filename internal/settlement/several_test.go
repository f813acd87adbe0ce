package settlement_test

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/wallet"
)

// nonces lists the nonces of the sweeps in flight, each that of all its attempts.
func (w *world) nonces() (list []uint64) {
	w.t.Helper()
	for _, s := range w.allInFlight() {
		for _, a := range s.Attempts {
			if a.Nonce != s.Attempts[0].Nonce {
				w.t.Errorf("sweep %s has the nonces %d and %d", s.ID, s.Attempts[0].Nonce, a.Nonce)
			}
		}
		if len(s.Attempts) > 0 {
			list = append(list, s.Attempts[0].Nonce)
		}
	}
	return list
}

// More than fits one transaction is in flight at once, with consecutive nonces, and all of it is swept once.
func TestSweeper_SeveralInFlight(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, url string) {
		w := newWorld(t, chain.Polygon, url)
		paid := w.manyPaid(10)
		before := w.nonce()
		s := w.batching(w.sender, 3)
		w.once(s)
		if got, want := w.nonces(), []uint64{before, before + 1, before + 2, before + 3}; !slices.Equal(got, want) {
			t.Fatalf("the nonces are %d, want %d", got, want)
		}
		w.finalize()
		w.once(s)
		if got := w.allInFlight(); len(got) > 0 {
			t.Errorf("after all of them are final %d sweeps are in flight", len(got))
		}
		for _, p := range paid {
			w.wantSwept(p, true)
		}
		w.wantBalance(merchantWallet, 50*money.USD)
		w.wantReconciled()
	})
}

// A sweep that is not included holds no other: they are signed behind it, and included when it is replaced.
func TestSweeper_StuckHoldsNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	paid := w.manyPaid(2)
	before := w.nonce()
	s := w.sweeper()
	w.once(s)
	stuck := w.inFlight()
	w.chain.Rollback() // the nodes forget it
	for i := range 3 {
		paid = append(paid, w.paid(5*money.USD))
		w.clock.Pass(lookPause)
		w.once(s)
		w.chain.Rollback()
		if got := w.nonces(); len(got) != i+2 || got[i+1] != before+uint64(i)+1 {
			t.Fatalf("the nonces are %d, from %d", got, before)
		}
	}
	w.clock.Pass(61 * time.Second)
	w.once(s)
	if got := w.sweepOf(stuck.ID); len(got.Attempts) < 2 {
		t.Errorf("the stuck sweep has %d attempts", len(got.Attempts))
	}
	w.settle(s)
	for _, p := range paid {
		w.wantSwept(p, true)
	}
	if got := w.nonce(); got != before+4 {
		t.Errorf("%d transactions for 4 sweeps", got-before)
	}
	w.wantReconciled()
}

// untracked is a sender that cannot tell what became of one transaction.
type untracked struct {
	chain.SweepSender
	tx chain.TxHash
}

func (u untracked) Track(
	ctx context.Context, items []chain.SweepItem, attempts []chain.Attempt,
) (chain.SweepOutcome, error) {
	if attempts[0].Tx == u.tx {
		return chain.SweepOutcome{}, chain.ErrDisagree
	}
	return u.SweepSender.Track(ctx, items, attempts)
}

// A sweep whose end no quorum agrees on holds no other money of the network.
func TestSweeper_UntrackedHoldsNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	first := w.paid(5 * money.USD)
	w.once(w.sweeper())
	sender := untracked{w.sender, w.inFlight().Attempts[0].Tx}
	w.finalize()
	second := w.paid(7 * money.USD)
	s := w.newSweeper(sender, w.store.Settlement(), "sweeper")
	for range 2 {
		if err := s.RunOnce(t.Context()); !errors.Is(err, chain.ErrDisagree) {
			t.Errorf("the sweep that fails is not reported: %v", err)
		}
		w.finalize()
		w.clock.Pass(lookPause)
	}
	w.wantSwept(second, true)
	w.wantSwept(first, false)
}

// lookPause is longer than a sweep behind another is left alone.
const lookPause = 7 * time.Second

// No more than MaxInFlight sweeps are in flight.
func TestSweeper_MaxInFlight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	w.manyPaid(settlement.MaxInFlight + 1)
	s := w.batching(w.sender, 1)
	w.once(s)
	if got := w.nonces(); len(got) != settlement.MaxInFlight {
		t.Errorf("%d sweeps are in flight", len(got))
	}
	w.settle(s)
	w.wantBalance(merchantWallet, (settlement.MaxInFlight+1)*5*money.USD)
	w.wantReconciled()
}

// A gas wallet that can pay for one sweep at a time has one in flight at a time.
func TestSweeper_PoorInFlight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	w.manyPaid(2)
	w.once(w.batching(w.sender, 2))
	most := w.inFlight().Attempts[0].Fee.Ceiling.Big()
	w.settle(w.batching(w.sender, 2))

	var err error
	w.gas, _, err = wallet.GenerateEVM()
	w.must(err)
	w.fund(new(big.Int).Div(new(big.Int).Mul(most, big.NewInt(19)), big.NewInt(10)))
	w.sender = w.newSender(ceiling)
	w.manyPaid(4)
	s := w.batching(w.sender, 2)
	w.once(s)
	if got, list := w.nonces(), w.allInFlight(); len(got) != 1 || len(list) != 2 {
		t.Errorf("of %d sweeps these nonces are signed: %d", len(list), got)
	}
	w.settle(s)
	w.wantBalance(merchantWallet, 30*money.USD)
	w.wantReconciled()
}
