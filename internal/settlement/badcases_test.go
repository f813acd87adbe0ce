package settlement_test

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/contracts/contractstest"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/settlement"
)

// once runs one round of the sweeper.
func (w *world) once(s *settlement.Sweeper) {
	w.t.Helper()
	w.must(s.RunOnce(w.t.Context()))
}

// The wallet that is paid is the one recorded when the payment started,
// whatever the merchant changes afterwards: the address can pay no other.
func TestSweeper_SettlementChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.BEP20, sqlite(t))
	before, after := w.started(10*money.USD, merchantWallet), w.started(20*money.USD, anotherSettlement)
	w.pay(before, 10*money.USD)
	w.pay(after, 20*money.USD)
	w.finalize()
	w.watch()
	w.settle(w.sweeper())
	w.wantBalance(merchantWallet, 10*money.USD)
	w.wantBalance(anotherSettlement, 20*money.USD)
}

// Only final money is a reason to sweep.
func TestSweeper_WaitsForFinality(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, sqlite(t))
	p := w.started(10*money.USD, merchantWallet)
	w.pay(p, 10*money.USD)
	w.chain.Mine(2) // seen, not final
	w.watch()
	s := w.sweeper()
	w.once(s)
	if _, busy, err := w.store.InFlight(t.Context(), chain.Polygon); busy || err != nil {
		t.Fatalf("money that is not final is swept: %v", err)
	}
	w.finalize()
	w.watch()
	w.settle(s)
	w.wantBalance(merchantWallet, 10*money.USD)
}

// What is not final when its address is flushed goes along, and counts once.
func TestSweeper_TakesAlongWhatIsNotFinal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, sqlite(t))
	p := w.paid(10 * money.USD)
	s := w.sweeper()
	w.pay(p, 5*money.USD)
	w.chain.Mine(1)
	w.watch()
	w.once(s) // planned with 10, moves 15
	w.settle(s)
	w.wantBalance(merchantWallet, 15*money.USD)
	w.wantSwept(p, true)
	if w.nonce() != 1 {
		t.Errorf("%d transactions, want one", w.nonce())
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
		w.clock.pass(20 * time.Second) // for the same bytes to be sent again
		w.once(s)
		w.settle(s)
		done := w.sweepOf(id)
		if done.State != settlement.Confirmed || len(done.Attempts) != 1 {
			t.Errorf("the sweep ended as %s after %d attempts", done.State, len(done.Attempts))
		}
		w.wantBalance(merchantWallet, 10*money.USD)
		w.wantSwept(p, true)
		if w.nonce() != 1 {
			t.Errorf("%d transactions, want one", w.nonce())
		}
	})
}

// A transaction that is not included is replaced by one that pays at least an
// eighth more, with the same nonce; whichever lands counts.
func TestSweeper_Stuck(t *testing.T) {
	t.Parallel()
	for _, n := range []chain.Network{chain.BEP20, chain.Polygon, chain.Base} {
		t.Run(string(n), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, n, sqlite(t))
			p := w.paid(10 * money.USD)
			s := w.sweeper()
			w.once(s)
			for range 2 {
				w.clock.pass(61 * time.Second)
				w.once(s)
			}
			stuck := w.inFlight()
			if len(stuck.Attempts) != 3 {
				t.Fatalf("%d attempts, want 3", len(stuck.Attempts))
			}
			for i, a := range stuck.Attempts[1:] {
				before := stuck.Attempts[i]
				if a.Nonce != before.Nonce || !eighthMore(a.Fee.Tip, before.Fee.Tip) || !eighthMore(a.Fee.Price, before.Fee.Price) {
					t.Errorf("attempt %d has nonce %d and pays %+v after %+v", a.N, a.Nonce, a.Fee, before.Fee)
				}
			}
			w.settle(s)
			w.wantBalance(merchantWallet, 10*money.USD)
			w.wantSwept(p, true)
			if done := w.sweepOf(stuck.ID); done.State != settlement.Confirmed || done.Tx != stuck.Attempts[2].Tx {
				t.Errorf("it ended as %s by %s", done.State, done.Tx)
			}
		})
	}
}

func eighthMore(a, b money.Units) bool {
	return new(big.Int).Mul(a.Big(), big.NewInt(8)).Cmp(new(big.Int).Mul(b.Big(), big.NewInt(9))) >= 0
}

// Bumps end at the operator's ceiling; the last bytes are sent again and again.
func TestSweeper_BumpsEndAtTheCeiling(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, sqlite(t))
	w.chain.Mine(20) // the base fee falls to next to nothing
	p := w.paid(10 * money.USD)
	w.sender = w.newSender(money.UnitsFromUint64(32e9)) // Polygon's tip is 25 at least
	s := w.sweeper()
	w.once(s)
	for range 10 {
		w.clock.pass(61 * time.Second)
		w.once(s)
	}
	stuck := w.inFlight()
	last, _ := stuck.Last()
	if len(stuck.Attempts) < 2 || last.Fee.Price.Cmp(money.UnitsFromUint64(32e9)) > 0 || last.SentAt.Before(w.clock.now().Add(-time.Minute)) {
		t.Errorf("%d attempts, the last of which pays %s and was sent at %s", len(stuck.Attempts), last.Fee.Price, last.SentAt)
	}
	w.settle(s)
	w.wantSwept(p, true)
}

// Gas costs a hundred times as much as allowed: the sweep waits, and goes when
// it does not any more.
func TestSweeper_TooExpensive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, sqlite(t))
	p := w.paid(10 * money.USD)
	normal := money.UnitsFromUint64(27e9)
	w.chain.Mine(60)
	price := &pricedProxy{w: w, factor: 100}
	s := w.newSweeper(price.sender(normal), w.store, "sweeper")
	for range 5 {
		if err := s.RunOnce(t.Context()); !errors.Is(err, chain.ErrTooExpensive) {
			t.Fatalf("at a hundred times the price: %v", err)
		}
		w.clock.pass(20 * time.Second)
	}
	if got := w.inFlight(); len(got.Attempts) != 0 {
		t.Fatalf("it was signed all the same: %+v", got.Attempts)
	}
	// A rescue of the same address takes its turn, says what it waits for, and
	// leaves nothing behind when it gives up.
	told := make(chan string, 10)
	helper := w.newSweeper(price.sender(normal), w.store, "sweeper")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	helper.OnWait = func(what string) {
		told <- what
		cancel()
	}
	item := w.inFlight().Items[0]
	if _, err := helper.Rescue(ctx, []chain.SweepItem{item}); !errors.Is(err, settlement.ErrBusy) {
		t.Errorf("a rescue behind a sweep that waits: %v", err)
	}
	if what := <-told; !strings.Contains(what, string(w.inFlight().ID)) || !strings.Contains(what, chain.ErrTooExpensive.Message) {
		t.Errorf("it waits for %q", what)
	}
	price.set(1)
	w.clock.pass(20 * time.Second)
	w.settle(s)
	w.wantSwept(p, true)
	w.wantBalance(merchantWallet, 10*money.USD)
}

// signings counts how often a sweep is signed, or tried to be.
type signings struct {
	chain.SweepSender
	n int
}

func (s *signings) Sign(ctx context.Context, items []chain.SweepItem, previous []chain.Attempt, now time.Time) (chain.Attempt, error) {
	s.n++
	return s.SweepSender.Sign(ctx, items, previous, now)
}

// While gas is too dear, endpoints are not asked for its price every round.
func TestSweeper_Patience(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, sqlite(t))
	p := w.paid(10 * money.USD)
	poor := &signings{SweepSender: w.newSender(money.UnitsFromUint64(1))}
	s := w.newSweeper(poor, w.store, "sweeper")
	for round, want := range []int{1, 1, 1, 2} {
		if err := s.RunOnce(t.Context()); !errors.Is(err, chain.ErrTooExpensive) {
			t.Fatalf("round %d: %v", round, err)
		}
		if poor.n != want {
			t.Errorf("round %d: asked %d times, want %d", round, poor.n, want)
		}
		w.clock.pass(5 * time.Second)
	}
	poor.SweepSender = w.sender
	w.clock.pass(15 * time.Second)
	w.settle(s)
	w.wantSwept(p, true)
}

// Where the operator credits by seconds, which is a bet on small amounts, a
// sweep of many is done only when the chain itself is certain.
func TestSweeper_FinalByDepth(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, sqlite(t))
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
		t.Errorf("it ended as %s", done.State)
	}
	w.wantSwept(p, true)
}

// The gas wallet is empty: payments complete, the sweep waits, the status says
// so, and it goes when there are coins.
func TestSweeper_NoGas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Base, sqlite(t))
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
		if err := s.RunOnce(t.Context()); !errors.Is(err, chain.ErrNoGas) || !strings.Contains(err.Error(), string(poor.Wallet())) {
			t.Fatalf("without gas: %v", err)
		}
		w.clock.pass(20 * time.Second)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Run(ctx) }()
	for s.Status().Waiting == "" {
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	w.must(<-done)
	if st := s.Status(); st.Runway.Level != settlement.LevelAlarm || st.Runway.Days != 0 || st.Runway.Wallet.Address != poor.Wallet() ||
		st.Waiting != chain.ErrNoGas.Message {
		t.Errorf("the status is %+v", st)
	}
	w.fund(gasFunds)
	w.clock.pass(20 * time.Second)
	w.settle(s)
	w.wantSwept(p, true)
}

// A transaction of the gas wallet that is none of ours takes the nonce: that
// is noticed when it is final, and the pots are swept by the next.
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
			t.Fatal("it was given up before the other transaction is final")
		}
		w.finalize()
		w.once(s)
		if got := w.sweepOf(first.ID); got.State != settlement.Superseded || got.Note == "" || len(got.Moved) != 0 {
			t.Fatalf("after another transaction took its place it is %+v", got)
		}
		w.wantSwept(p, false)
		w.settle(s)
		w.wantBalance(merchantWallet, 10*money.USD)
		w.wantSwept(p, true)
		if w.nonce() != 2 {
			t.Errorf("%d transactions, want two", w.nonce())
		}
	})
}

// foreign sends a transaction of the gas wallet beside the sweeper, paying
// more than what waits with that nonce.
func (w *world) foreign(nonce uint64) {
	w.t.Helper()
	to := common.HexToAddress("0x1111")
	id := new(big.Int).SetUint64(w.profile.ChainID)
	tx, err := w.gas.SignTx(types.NewTx(&types.DynamicFeeTx{
		ChainID: id, Nonce: nonce, To: &to, Value: big.NewInt(1), Gas: 21_000, GasTipCap: big.NewInt(90e9), GasFeeCap: big.NewInt(99e9),
	}), id)
	w.must(err)
	w.must(w.chain.Client().SendTransaction(w.t.Context(), tx))
}

// While something else of the gas wallet waits, nothing is signed: it would
// replace it.
func TestSweeper_WaitsForForeign(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, sqlite(t))
	p := w.paid(10 * money.USD)
	w.foreign(w.nonce())
	s := w.sweeper()
	if err := s.RunOnce(t.Context()); err == nil {
		t.Error("a sweep was signed beside a transaction that waits")
	}
	w.finalize()
	w.settle(s)
	w.wantSwept(p, true)
}

// Somebody else flushes a forwarder, as anybody may: the money is where it
// should be, and counts as swept.
func TestSweeper_FlushedByOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, sqlite(t))
	theirs, ours := w.paid(10*money.USD), w.paid(20*money.USD)
	factory := contracts.FactoryAddress()
	_, err := w.chain.Send(t.Context(), devchain.FaucetKey(), devchain.Tx{To: &factory, Gas: 1_000_000, Data: contracts.NewForwarderFactory().PackSweep(
		[]contracts.ForwarderFactoryItem{{
			Settlement: common.HexToAddress(string(merchantWallet)), Salt: contracts.Salt(uint64(theirs.Number), w.instance),
			Tokens: []common.Address{w.chain.Tokens().USDT.Address},
		}})})
	w.must(err)
	w.finalize()
	w.watch()
	w.settle(w.sweeper())
	w.wantBalance(merchantWallet, 30*money.USD)
	w.wantSwept(theirs, true)
	w.wantSwept(ours, true)
	w.wantEven()
}

// A token its issuer has frozen stays where it is, visibly, without stopping
// the rest of its batch and without being tried all the time.
func TestSweeper_Frozen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, sqlite(t))
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
	for range 5 { // within the pause nothing is tried
		w.once(s)
		w.finalize()
		w.clock.pass(time.Minute)
	}
	if w.nonce() != nonce {
		t.Errorf("a frozen token was tried %d more times within minutes", w.nonce()-nonce)
	}
	w.clock.pass(10 * time.Minute)
	if pots := w.pots(); len(pots) != 1 || pots[0].Failures != 1 || pots[0].PaymentID != string(frozen.ID) {
		t.Fatalf("after its pause the pots are %+v", pots)
	}
	w.settleBlocked(s)
	if pots := w.pots(); len(pots) != 0 || w.nonce() != nonce+1 {
		t.Errorf("after a second failure: %+v, %d more transactions", pots, w.nonce()-nonce)
	}
	w.call(token, binding.PackFreeze(addressOf(frozen), false))
	w.finalize()
	w.clock.pass(time.Hour)
	w.settle(s)
	w.wantSwept(frozen, true)
}

// freezable makes a token whose accounts can be frozen the network's USDT.
func (w *world) freezable() common.Address {
	w.t.Helper()
	tx, err := w.chain.Send(w.t.Context(), devchain.FaucetKey(), devchain.Tx{Data: common.FromHex(contractstest.FreezableTokenMetaData.Bin), Gas: 3_000_000})
	w.must(err)
	w.chain.Mine(1)
	r, err := w.chain.WaitReceipt(w.t.Context(), tx)
	w.must(err)
	w.profile.Assets = slices.Clone(w.profile.Assets)
	w.profile.Assets[0].Contract = chain.AddressOf(w.profile.Network, r.ContractAddress[:]).Address
	w.profile.Assets[0].Decimals = 18
	w.adapter = w.newAdapter(w.chain.URL())
	w.sender = w.newSender(ceiling)
	w.watcher = payment.NewWatcher(w.profile, w.adapter, w.store, "watcher", w.clock.now, silent())
	w.watch()
	return r.ContractAddress
}

// call sends a call of a contract from the faucet.
func (w *world) call(to common.Address, data []byte) {
	w.t.Helper()
	_, err := w.chain.Send(w.t.Context(), devchain.FaucetKey(), devchain.Tx{To: &to, Data: data, Gas: 500_000})
	w.must(err)
}

// settleBlocked runs the sweeper until nothing is in flight any more.
func (w *world) settleBlocked(s *settlement.Sweeper) {
	w.t.Helper()
	for range 10 {
		w.once(s)
		w.finalize()
		if _, busy, err := w.store.InFlight(w.t.Context(), w.profile.Network); err != nil || !busy && len(w.pots()) == 0 {
			w.must(err)
			return
		}
	}
	w.t.Fatal("sweeping does not end")
}

// Two instances work at once, on databases that allow it: every pot is swept
// once and no nonce is left out.
func TestSweeper_TwoInstances(t *testing.T) {
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
			// No lease keeps them apart: only the store does.
			s := settlement.New(w.newSender(ceiling), leaseless{w.open()}, policy, holder, w.clock.now, newID, silent())
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
		w.wantEven()
	})
}

// leaseless gives everybody the lease.
type leaseless struct{ settlement.Store }

func (leaseless) Lease(context.Context, string, string, time.Time, time.Time) (bool, error) {
	return true, nil
}

// wantEven reconciles chain and books.
func (w *world) wantEven() {
	w.t.Helper()
	found, err := w.reconciler().Run(w.t.Context())
	w.must(err)
	for _, d := range found {
		w.t.Errorf("difference: %s", d)
	}
}

func (w *world) reconciler() settlement.Reconciler {
	return settlement.Reconciler{
		Records: w.store, Networks: []settlement.ReconciledNetwork{{Profile: w.profile, Reader: w.adapter, Coins: w.adapter.Coins}},
		Wait: func(context.Context) error { return nil }, Progress: func(int) {},
	}
}
