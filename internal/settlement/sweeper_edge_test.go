package settlement_test

import (
	"context"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/oklog/ulid/v2"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/contracts/contractstest"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// A foreign transaction of the gas wallet takes the sweep's nonce. When it is final the sweep is superseded, and the
// next one moves the balances.
func TestSweeper_Replaced(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, url string) {
		w := newWorld(t, chain.Polygon, url)
		p := w.paid(10 * money.USD)
		s := w.sweeper()
		w.once(s)
		first := w.inFlight()
		w.foreign(first.Attempts[0].Nonce)
		w.chain.Mine(1)
		w.once(s)
		w.chain.Mine(1)
		w.once(s)
		if got := w.inFlight(); got.ID != first.ID {
			t.Fatal("the sweep ended before the other transaction was final")
		}
		w.finalize()
		w.once(s)
		if got := w.sweepOf(first.ID); got.State != settlement.Superseded || got.Note == "" || len(got.Moved) != 0 {
			t.Fatalf("after another transaction took its nonce the sweep is %+v", got)
		}
		w.wantSwept(p, false)
		w.settle(s)
		w.wantBalance(merchantWallet, 10*money.USD)
		w.wantSwept(p, true)
		w.wantNonce(2)
	})
}

// foreign sends a transaction of the gas wallet outside the sweeper, at a higher price than the pending one with that
// nonce.
func (w *world) foreign(nonce uint64) { w.foreignAt(nonce, 90e9, 99e9) }

func (w *world) foreignAt(nonce uint64, tip, most int64) {
	w.t.Helper()
	to := common.HexToAddress("0x1111")
	id := new(big.Int).SetUint64(w.profile.ChainID)
	tx, err := w.gas.SignTx(types.NewTx(&types.DynamicFeeTx{
		ChainID: id, Nonce: nonce, To: &to, Value: big.NewInt(1), Gas: 21_000,
		GasTipCap: big.NewInt(tip), GasFeeCap: big.NewInt(most),
	}), id)
	w.must(err)
	w.must(w.chain.Client().SendTransaction(w.t.Context(), tx))
}

// A foreign transaction of the gas wallet that is pending does not stop sweeps. The sweep takes its nonce: either of
// the two is included, and if it is not the sweep, the sweep is planned again.
func TestSweeper_ForeignPending(t *testing.T) {
	t.Parallel()
	t.Run("PaysMore", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, chain.Polygon, storetest.SQLite(t))
		p := w.paid(10 * money.USD)
		w.foreign(w.nonce())
		s := w.sweeper()
		if err := s.RunOnce(t.Context()); err == nil {
			t.Error("the node took a sweep that pays less than the transaction with its nonce")
		}
		first := w.inFlight()
		w.chain.Mine(1)
		w.once(s)
		if got := w.inFlight(); got.ID != first.ID || len(got.Attempts) != 1 {
			t.Errorf("while the other transaction is in a block that is not final: %+v", got)
		}
		w.finalize()
		w.settle(s)
		if got := w.sweepOf(first.ID); got.State != settlement.Superseded {
			t.Errorf("the first sweep is %s", got.State)
		}
		w.wantSwept(p, true)
	})
	t.Run("NeverIncluded", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, chain.Polygon, storetest.SQLite(t))
		p := w.paid(10 * money.USD)
		nonce := w.nonce()
		for i := range uint64(3) {
			w.foreignAt(nonce+i, 1, 1) // below every base fee
		}
		w.settle(w.sweeper())
		w.wantSwept(p, true)
		w.wantBalance(merchantWallet, 10*money.USD)
	})
}

// Another account flushes a forwarder, which any account may do. The money reaches the settlement wallet and counts as
// swept.
func TestSweeper_FlushedByOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	theirs, ours := w.paid(10*money.USD), w.paid(20*money.USD)
	factory := contracts.FactoryAddress()
	flush := contracts.NewForwarderFactory().PackSweep([]contracts.ForwarderFactoryItem{{
		Settlement: common.HexToAddress(string(merchantWallet)),
		Salt:       contracts.Salt(ulid.MustParse(string(theirs.ID))),
		Tokens:     []common.Address{w.chain.Tokens().USDT.Address},
	}})
	w.do(w.chain.Send(t.Context(), devchain.FaucetKey(), devchain.Tx{To: &factory, Gas: 1_000_000, Data: flush}))
	w.finalize()
	w.watch()
	w.settle(w.sweeper())
	w.wantBalance(merchantWallet, 30*money.USD)
	w.wantSwept(theirs, true)
	w.wantSwept(ours, true)
	w.wantReconciled()
}

// A balance that the token's issuer has frozen is listed with its failures. It does not stop the rest of its batch and
// is tried again only after its pause.
func TestSweeper_Frozen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	token := w.freezable()
	frozen, fine := w.started(10*money.USD, merchantWallet), w.started(10*money.USD, merchantWallet)
	binding := contractstest.NewFreezableToken()
	for _, p := range []payment.Payment{frozen, fine} {
		w.call(token, binding.PackMint(addressOf(p), w.units(10*money.USD)))
	}
	w.finalize()
	w.watch()
	w.call(token, binding.PackFreeze(addressOf(frozen), true))
	w.finalize()
	s := w.sweeper()
	w.settleBlocked(s)
	w.wantSwept(fine, true)
	w.wantSwept(frozen, false)
	nonce := w.nonce()
	for range 5 { // nothing is tried during the pause
		w.once(s)
		w.finalize()
		w.clock.Pass(10 * time.Second)
	}
	if w.nonce() != nonce {
		t.Errorf("a frozen token was tried %d more times during its pause", w.nonce()-nonce)
	}
	w.clock.Pass(10 * time.Minute)
	if balances := w.balances(); len(balances) != 1 || balances[0].Failures != 1 ||
		balances[0].PaymentID != string(frozen.ID) {
		t.Fatalf("after its pause the balances are %+v", balances)
	}
	w.settleBlocked(s)
	if balances := w.balances(); len(balances) != 0 || w.nonce() != nonce+1 {
		t.Errorf("after a second failure: %+v, %d more transactions", balances, w.nonce()-nonce)
	}
	w.call(token, binding.PackFreeze(addressOf(frozen), false))
	w.finalize()
	w.clock.Pass(time.Hour)
	w.settle(s)
	w.wantSwept(frozen, true)
}

// A token that refuses a transfer is asked whom it refuses, and what it says is what the merchant reads: the settlement
// wallet, the deposit address, or everybody. Once the token takes it, the money is swept a minute after the failure.
func TestSweeper_Refused(t *testing.T) {
	t.Parallel()
	binding := contractstest.NewFreezableToken()
	for name, row := range map[string]struct {
		refuse func(p payment.Payment, on bool) []byte
		reason string
	}{
		"Settlement": {func(_ payment.Payment, on bool) []byte {
			return binding.PackFreeze(common.HexToAddress(string(merchantWallet)), on)
		}, "refuses the settlement wallet " + string(merchantWallet)},
		"Deposit": {func(p payment.Payment, on bool) []byte {
			return binding.PackFreeze(addressOf(p), on)
		}, "refuses the deposit address"},
		"Paused": {func(_ payment.Payment, on bool) []byte { return binding.PackPause(on) }, "the token paused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, chain.Polygon, storetest.SQLite(t))
			token := w.freezable()
			p := w.started(10*money.USD, merchantWallet)
			w.call(token, binding.PackMint(addressOf(p), w.units(10*money.USD)))
			w.finalize()
			w.watch()
			w.call(token, row.refuse(p, true))
			w.finalize()
			s := w.sweeper()
			w.once(s)
			id := w.inFlight().ID
			w.settleBlocked(s)
			w.wantSwept(p, false)
			if done := w.sweepOf(id); len(done.Unmoved) != 1 || !strings.Contains(done.Unmoved[0].Reason, row.reason) {
				t.Errorf("the sweep ended as %+v, want %q", done.Unmoved, row.reason)
			}
			w.call(token, row.refuse(p, false))
			w.finalize()
			w.clock.Pass(time.Minute)
			w.settle(s)
			w.wantSwept(p, true)
		})
	}
}

// freezable makes a token whose accounts can be frozen the network's USDT.
func (w *world) freezable() common.Address {
	w.t.Helper()
	return w.deploy(common.FromHex(contractstest.FreezableTokenMetaData.Bin), 0, w.profile.Assets[0])
}

// call sends a call of a contract from the faucet.
func (w *world) call(to common.Address, data []byte) {
	w.t.Helper()
	w.do(w.chain.Send(w.t.Context(), devchain.FaucetKey(), devchain.Tx{To: &to, Data: data, Gas: 500_000}))
}

// settleBlocked runs the sweeper until nothing is in flight and no unblocked balance is due.
func (w *world) settleBlocked(s *settlement.Sweeper) {
	w.t.Helper()
	for range 10 {
		w.once(s)
		w.finalize()
		if len(w.allInFlight()) == 0 && len(w.balances()) == 0 {
			return
		}
	}
	w.t.Fatal("sweeping does not end")
}

// Three instances sweep at once without a lease: every deposit balance is swept once and no nonce is skipped.
func TestSweeper_ConcurrentInstances(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, url string) {
		w := newWorld(t, chain.Polygon, url)
		var paid []payment.Payment
		for range 10 {
			p := w.started(5*money.USD, merchantWallet)
			w.pay(p, 5*money.USD)
			paid = append(paid, p)
		}
		w.finalize()
		w.watch()
		policy := eager()
		policy.Batch = 3
		ctx := t.Context()
		var all sync.WaitGroup
		for _, holder := range []string{"one", "two", "three"} {
			// Without a lease, only the store's constraints keep them apart.
			s := settlement.New(
				w.newSender(ceiling), leaseless{w.open().Settlement()}, policy, holder, w.clock.Now, newID, silent(),
			)
			all.Go(func() {
				for range 40 {
					_ = s.RunOnce(ctx)
				}
			})
		}
		stop := make(chan struct{})
		go func() {
			for {
				select {
				case <-stop:
					return
				default:
					w.chain.Mine(1)
				}
			}
		}()
		all.Wait()
		close(stop)
		w.settle(w.sweeper())
		for _, p := range paid {
			w.wantSwept(p, true)
		}
		w.wantBalance(merchantWallet, 50*money.USD)
		w.nonce()
		w.wantReconciled()
	})
}

// leaseless grants the lease to every holder.
type leaseless struct{ settlement.Store }

func (leaseless) Lease(context.Context, string, string, time.Time, time.Time) (bool, error) {
	return true, nil
}

// wantReconciled checks that the chain and the records agree.
func (w *world) wantReconciled() {
	w.t.Helper()
	found, err := w.reconciler().Run(w.t.Context())
	w.must(err)
	for _, d := range found {
		w.t.Errorf("difference: %s", d)
	}
}

func (w *world) reconciler() settlement.Reconciler {
	return settlement.Reconciler{
		Records: w.store.Settlement(), Networks: []settlement.ReconciledNetwork{
			{Profile: w.profile, Reader: w.adapter, Coins: w.adapter.Coins},
		},
		Wait: func(context.Context) error { return nil }, Progress: func(int) {},
	}
}
