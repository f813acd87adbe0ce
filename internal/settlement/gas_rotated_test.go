package settlement_test

import (
	"context"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/sandbox/devsol"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/wallet"
)

// rotation is a sweep in flight whose gas wallet is changed.
type rotation struct {
	*world
	old, fresh *wallet.EVM
	paid       payment.Payment
	first      settlement.Sweep
}

// newRotation sends a sweep from a gas wallet that has made some transactions, and changes the wallet to one that has
// made more, or none.
func newRotation(t *testing.T, before uint64) *rotation {
	t.Helper()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	r := &rotation{world: w, old: w.gas}
	r.transactions(2)
	r.paid = w.paid(10 * money.USD)
	w.once(w.sweeper())
	r.first = w.inFlight()
	r.wantPooled(1)
	w.chain.Rollback() // not included while the new wallet makes its transactions
	r.fresh = newKeyOf(t)
	r.use(r.fresh)
	r.fund(gasFunds)
	r.transactions(before)
	return r
}

func newKeyOf(t *testing.T) *wallet.EVM {
	t.Helper()
	key, err := newGasKey()
	testkit.Must(t, err)
	return key
}

// use makes the key the gas wallet, as a restart with another key does.
func (r *rotation) use(key *wallet.EVM) {
	r.gas = key
	r.sender = r.newSender(ceiling)
}

// transactions makes the gas wallet's count of transactions so much larger, in final blocks.
func (r *rotation) transactions(n uint64) {
	r.t.Helper()
	start := r.nonce()
	for i := range n {
		r.foreign(start + i)
	}
	r.finalize()
}

// resend gives the network the first attempt again.
func (r *rotation) resend() {
	r.t.Helper()
	var tx types.Transaction
	r.must(tx.UnmarshalBinary(r.first.Attempts[0].Raw))
	r.must(r.chain.Client().SendTransaction(r.t.Context(), &tx))
}

// signer returns the account that signed an attempt.
func (r *rotation) wantSigner(a chain.Attempt, want *wallet.EVM) {
	r.t.Helper()
	var tx types.Transaction
	r.must(tx.UnmarshalBinary(a.Raw))
	by, err := types.Sender(types.LatestSignerForChainID(new(big.Int).SetUint64(r.profile.ChainID)), &tx)
	r.must(err)
	if by != want.Address() {
		r.t.Errorf("attempt %d is signed by %s, want %s", a.N, by, want.Address())
	}
}

// wantOnce checks that the sweep was confirmed by that attempt, that the money arrived once, and that all is right for
// what follows.
func (r *rotation) wantOnce(attempt int, of int) {
	r.t.Helper()
	done := r.sweepOf(r.first.ID)
	if done.State != settlement.Confirmed || len(done.Attempts) != of || done.Tx != done.Attempts[attempt-1].Tx {
		r.t.Errorf("the sweep is %s by %s after %d attempts, want attempt %d of %d", done.State, done.Tx, len(done.Attempts), attempt, of)
	}
	r.wantSwept(r.paid, true)
	r.wantBalance(merchantWallet, 10*money.USD)
	next := r.world.paid(5 * money.USD)
	r.settle(r.sweeper())
	r.wantSwept(next, true)
	r.wantBalance(merchantWallet, 15*money.USD)
	r.wantReconciled()
}

// A sweep whose gas wallet was changed while it was in flight is judged by the wallet that signed it: the new wallet
// has made more transactions, or fewer, and that says nothing of the old one's.
func TestSweeper_GasRotated(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]uint64{"Busier": 5, "New": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Run("OldMined", func(t *testing.T) {
				t.Parallel()
				newRotation(t, before).oldMined()
			})
			t.Run("OldNeverMined", func(t *testing.T) {
				t.Parallel()
				newRotation(t, before).oldNeverMined()
			})
			t.Run("OldMinedLate", func(t *testing.T) {
				t.Parallel()
				newRotation(t, before).oldMinedLate()
			})
			t.Run("BothMined", func(t *testing.T) {
				t.Parallel()
				newRotation(t, before).bothMined()
			})
			t.Run("OldDrained", func(t *testing.T) {
				t.Parallel()
				newRotation(t, before).oldDrained()
			})
			t.Run("Back", func(t *testing.T) {
				t.Parallel()
				newRotation(t, before).back()
			})
		})
	}
}

// The new wallet waits for the old one's attempt, sends the same bytes again, and signs nothing.
func (r *rotation) oldMined() {
	s := r.sweeper()
	for range 3 {
		r.clock.Pass(16 * time.Second)
		r.once(s)
		r.finalize()
		if got, err := r.store.Settlement().Sweep(r.t.Context(), r.first.ID); err != nil || len(got.Attempts) != 1 ||
			got.State == settlement.Superseded {
			r.t.Fatalf("while the old wallet's attempt can be included the sweep is %s with %d attempts, %v",
				got.State, len(got.Attempts), err)
		}
	}
	r.watch()
	r.settle(s)
	r.wantOnce(1, 1)
}

// stuck runs the sweeper, with blocks in between, while no node takes the old wallet's attempt: the old wallet is
// empty.
func (r *rotation) stuck(s *settlement.Sweeper) settlement.Sweep {
	r.t.Helper()
	r.clock.Pass(61 * time.Second)
	r.once(s)
	got := r.inFlight()
	if got.ID != r.first.ID || len(got.Attempts) != 2 {
		r.t.Fatalf("after a minute sweep %s of %s has %d attempts", got.ID, r.first.ID, len(got.Attempts))
	}
	r.wantSigner(got.Attempts[1], r.gas)
	return got
}

// An attempt that no block takes is replaced by one of the new wallet, with a nonce of its own.
func (r *rotation) oldNeverMined() {
	s := r.sweeper()
	nonce := r.nonce()
	got := r.stuck(s)
	if got.Attempts[1].Nonce != nonce {
		r.t.Errorf("the new wallet signs nonce %d, and has made %d transactions", got.Attempts[1].Nonce, nonce)
	}
	r.settle(s)
	r.resend() // a node had kept it; the sweep has ended
	r.finalize()
	r.wantOnce(2, 2)
}

// The old wallet's attempt is included after the new wallet has signed another, and before that one is.
func (r *rotation) oldMinedLate() {
	s := r.sweeper()
	r.stuck(s)
	r.chain.Rollback()
	r.resend()
	r.finalize()
	r.settle(s)
	r.wantOnce(1, 2)
}

// Both are included. The second finds nothing to move.
func (r *rotation) bothMined() {
	s := r.sweeper()
	r.stuck(s)
	r.chain.Mine(1)
	r.resend()
	r.finalize()
	r.settle(s)
	r.wantOnce(2, 2)
}

// The operator has sent what the old wallet held to the new one. Once that is final, the attempt can never be included,
// and the sweep is planned again.
func (r *rotation) oldDrained() {
	r.gas = r.old
	r.foreign(r.first.Attempts[0].Nonce)
	r.chain.Mine(1)
	r.use(r.fresh)
	s := r.sweeper()
	r.once(s)
	if got := r.inFlight(); got.ID != r.first.ID {
		r.t.Fatal("the sweep ended before the other transaction was final")
	}
	r.finalize()
	r.once(s)
	if got := r.sweepOf(r.first.ID); got.State != settlement.Superseded {
		r.t.Fatalf("the sweep is %s", got.State)
	}
	r.settle(s)
	r.wantSwept(r.paid, true)
	r.wantBalance(merchantWallet, 10*money.USD)
	r.wantReconciled()
}

// The key is changed back: the old wallet replaces its own attempt, with the nonce of that.
func (r *rotation) back() {
	r.stuck(r.sweeper())
	r.chain.Rollback()
	r.use(r.old)
	s := r.sweeper()
	r.clock.Pass(61 * time.Second)
	r.once(s)
	got := r.inFlight()
	if len(got.Attempts) != 3 || got.Attempts[2].Nonce != r.first.Attempts[0].Nonce {
		r.t.Fatalf("back with the first wallet the attempts are %+v", got.Attempts)
	}
	r.wantSigner(got.Attempts[2], r.old)
	r.settle(s)
	r.wantOnce(3, 3)
}

// A rescue goes on with the new wallet like any other sweep.
func TestRescue_GasRotated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	r := &rotation{world: w, old: w.gas}
	r.transactions(2)
	r.paid = w.paid(10 * money.USD)
	item := chain.SweepItem{
		PaymentID: string(r.paid.ID), Scheme: chain.SchemeTxnID, Address: r.paid.Routes[0].Address,
		Settlement: merchantWallet, Asset: w.profile.Assets[0], Expected: money.UnitsFromUint64(10_000_000),
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := w.sweeper().Rescue(ctx, []chain.SweepItem{item})
		ended <- err
	}()
	for r.first.State != settlement.Sent {
		if list := w.allInFlight(); len(list) > 0 {
			r.first = list[0]
		}
	}
	cancel()
	if err := <-ended; err == nil {
		t.Fatal("the rescue ended before its transaction was in a block")
	}
	w.chain.Rollback()
	r.fresh = newKeyOf(t)
	r.use(r.fresh)
	r.fund(gasFunds)
	r.transactions(5)
	r.oldNeverMined()
}

// On Solana the new wallet signs when the old one's attempt has expired, and not before.
func TestSweeper_SolanaGasRotated(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	p := w.paid(12 * money.USD)
	w.relay.swallows(true)
	w.must(w.sweeper().RunOnce(t.Context()))
	first := w.inFlight()
	w.solGas, _ = wallet.GenerateSolana()
	w.do(w.ledger.FundSOL(w.solGas.PublicKey(), solanago.LAMPORTS_PER_SOL))
	w.relay.swallows(false)
	s := w.sweeper()
	for range 3 {
		w.clock.Pass(61 * time.Second)
		w.must(s.RunOnce(t.Context()))
		if got := w.inFlight(); got.ID != first.ID || len(got.Attempts) != 1 {
			t.Fatalf("while the old wallet's attempt can be included the sweep is %+v", got)
		}
	}
	w.seal(1 + devsol.DefaultFinalDepth)
	w.must(s.RunOnce(t.Context()))
	if done := w.sweepOf(first.ID); done.State != settlement.Confirmed || done.Tx != first.Attempts[0].Tx {
		t.Errorf("the sweep ended as %+v", done)
	}
	w.wantSwept(p, true)
	w.wantHeld(12 * money.USD)
}
