package settlement_test

import (
	"crypto/rand"
	"log/slog"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/oklog/ulid/v2"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"

	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/store"

	"github.com/florinpay/florin/internal/wallet"
)

// world is a development chain, a database, and the watcher and sender between them.
type world struct {
	t       testing.TB
	clock   *testkit.Clock
	chain   *devchain.Chain
	profile chain.Profile
	adapter *evm.Adapter
	gas     *wallet.EVM
	store   *store.Store
	url     string
	astray  bool // addresses derive from another txnid than the payment\'s
	watcher *watch.Watcher
	sender  *sender.Sweeps
	key     merchant.Key
}

// gasFunds is one native coin, in wei.
var gasFunds = big.NewInt(1e18)

// ceiling is far above what gas costs on a development chain.
var ceiling = money.UnitsFromUint64(100e9)

func newWorld(t testing.TB, n chain.Network, url string) *world {
	t.Helper()
	w := &world{t: t, clock: testkit.NewClock(time.Now().UTC().Truncate(time.Microsecond)), url: url}
	w.startChain(n)
	w.store = w.open()
	w.newGas()
	w.fund(gasFunds)
	w.sender = w.newSender(ceiling)
	w.watcher = watch.NewWatcher(w.profile, w.adapter, w.store, "watcher", w.clock.Now, silent())
	w.key = w.newKey()
	w.watch()
	return w
}

func (w *world) newGas() {
	w.t.Helper()
	var err error
	w.gas, _, err = wallet.GenerateEVM()
	w.must(err)
}

func (w *world) startChain(n chain.Network) { w.startChainAs(n, devchain.Config{}) }

func (w *world) startChainAs(n chain.Network, config devchain.Config) {
	w.t.Helper()
	for _, p := range chain.Profiles() {
		if p.Network == n {
			w.profile = p
		}
	}
	config.ChainID, config.Decimals = w.profile.ChainID, uint8(w.profile.Assets[0].Decimals)
	c, err := devchain.Start(config)
	w.must(err)
	w.t.Cleanup(func() { w.must(c.Close()) })
	w.must(c.Setup(w.t.Context()))
	w.chain = c
	w.profile.Assets = []chain.Asset{
		w.asset(c.Tokens().USDT, money.USDT), w.asset(c.Tokens().USDC, money.USDC), w.asset(c.Tokens().Bridged, ""),
	}
	w.profile.HeadLimit = 365 * 24 * time.Hour // the test's clock runs ahead of the chain's
	w.adapter = w.newAdapter(c.URL())
}

func (w *world) newAdapter(urls ...string) *evm.Adapter {
	w.t.Helper()
	a, err := evm.New(evm.Config{Profile: w.profile, Endpoints: urls})
	w.must(err)
	return a
}

func (w *world) asset(t devchain.Token, counts money.Token) chain.Asset {
	return chain.Asset{
		Network: w.profile.Network, Contract: chain.AddressOf(w.profile.Network, t.Address[:]).Address,
		Symbol: t.Symbol, Decimals: int(t.Decimals), Token: counts,
	}
}

func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

// open opens the database once more, as another process would.
func (w *world) open() *store.Store {
	w.t.Helper()
	s, err := store.Open(w.t.Context(), w.url, storetest.Sealer(1), store.Options{Log: silent()})
	w.must(err)
	w.t.Cleanup(func() { _ = s.Close() })
	return s
}

func (w *world) newSender(most money.Units) *sender.Sweeps {
	return sender.NewSweeps(w.adapter, sender.Config{Signer: w.gas, MaxPrice: most})
}

// eager sweeps everything at once.
func eager() settlement.Policy { return settlement.Policy{Least: 1, Age: time.Hour, Batch: 100} }

func (w *world) newSweeper(sender chain.SweepSender, s settlement.Store, holder string) *settlement.Sweeper {
	return settlement.New(sender, s, eager(), holder, w.clock.Now, newID, silent())
}

// batching returns a sweeper that takes so many deposits at most into one sweep.
func (w *world) batching(sender chain.SweepSender, most int) *settlement.Sweeper {
	policy := eager()
	policy.Batch = most
	return settlement.New(sender, w.store.Settlement(), policy, "sweeper", w.clock.Now, newID, silent())
}

func (w *world) sweeper() *settlement.Sweeper {
	return w.newSweeper(w.sender, w.store.Settlement(), "sweeper")
}

func newID(t time.Time) settlement.ID {
	return settlement.ID(ulid.MustNew(ulid.Timestamp(t), rand.Reader).String())
}

// must fails the test for an error.
func (w *world) must(err error) {
	w.t.Helper()
	testkit.Must(w.t, err)
}

// do fails the test for the error of a call whose result is of no matter.
func (w *world) do(_ any, err error) {
	w.t.Helper()
	w.must(err)
}

func (w *world) fund(wei *big.Int) {
	w.t.Helper()
	w.do(w.chain.FundNative(w.t.Context(), w.gas.Address(), wei))
	w.finalize()
}

func (w *world) newKey() merchant.Key {
	w.t.Helper()
	k, err := storetest.Shop{Credits: 100_000}.Open(w.t.Context(), w.store, w.clock.Now())
	w.must(err)
	return k
}

// merchantWallet is where the first merchant's money goes, anotherSettlement the second's.
const (
	merchantWallet    = chain.Address("0x52908400098527886E0F7030069857D2E4169EE7")
	anotherSettlement = chain.Address("0x8617E340B3D01FA5F11F306F4090FD50E238070D")
)

// started makes a payment of the amount and starts it in USDT.
func (w *world) started(amount money.Micros, to chain.Address) payment.Payment {
	w.t.Helper()
	return w.startedAt(evm.NewDepositor(w.profile.Network), amount, to, 24*time.Hour)
}

// startedAt makes a payment that lasts so long and starts it in USDT, at an address of the depositor's.
func (w *world) startedAt(
	d chain.Depositor, amount money.Micros, to chain.Address, lasts time.Duration,
) payment.Payment {
	w.t.Helper()
	ctx, now := w.t.Context(), w.clock.Now()
	p, err := w.store.CreatePayment(ctx, payment.New(payment.Request{
		ID: payment.ID(newID(now)), KeyID: w.key.ID, Kind: payment.KindMerchant, Amount: amount, ValidFor: lasts,
	}, now))
	w.must(err)
	n := w.profile.Network
	from := string(p.ID)
	if w.astray {
		from = string(newID(now))
	}
	p, err = w.store.UpdatePayment(ctx, p.ID, func(p payment.Payment) (payment.Change, error) {
		of := chain.Settlement{Network: n, Wallet: to, PaymentID: from, Scheme: chain.SchemeTxnID}
		at, err := d.DepositAddress(of)
		if err != nil {
			return payment.Change{}, err
		}
		route := payment.Route{Address: at, Settlement: to, Scheme: chain.SchemeTxnID}
		return p.Start(payment.Choice{Network: n, Token: money.USDT}, route, lasts, now)
	})
	w.must(err)
	return p
}

func addressOf(p payment.Payment) common.Address { return common.Address(p.Routes[0].Address.Raw) }

func (w *world) units(m money.Micros) *big.Int { return m.Units(w.profile.Assets[0].Decimals).Big() }

// pay sends USDT to the payment's address; it is in no block yet.
func (w *world) pay(p payment.Payment, amount money.Micros) {
	w.t.Helper()
	w.payIn(w.chain.Tokens().USDT, p, amount)
}

func (w *world) payIn(token devchain.Token, p payment.Payment, amount money.Micros) {
	w.t.Helper()
	w.do(w.chain.Mint(w.t.Context(), token.Address, addressOf(p), w.units(amount)))
}

// finalize makes a block and lets it become final.
func (w *world) finalize() { w.chain.Mine(1 + devchain.DefaultFinalDepth) }

// watch runs one round of the watcher.
func (w *world) watch() {
	w.t.Helper()
	w.must(w.watcher.RunOnce(w.t.Context()))
}

// paid makes a payment that is paid in full, final and completed.
func (w *world) paid(amount money.Micros) payment.Payment {
	w.t.Helper()
	p := w.started(amount, merchantWallet)
	w.pay(p, amount)
	w.finalize()
	w.watch()
	return p
}

// settle runs the sweeper, with final blocks between its rounds, until nothing
// is in flight and nothing is due.
func (w *world) settle(s *settlement.Sweeper) {
	w.t.Helper()
	for range 20 {
		w.must(s.RunOnce(w.t.Context()))
		w.finalize()
		w.watch()
		if w.idle() {
			return
		}
	}
	w.t.Fatal("sweeping does not end")
}

func (w *world) idle() bool {
	w.t.Helper()
	w.must(w.store.Settlement().SettleCovered(w.t.Context(), w.profile.Network, w.clock.Now()))
	return len(w.allInFlight()) == 0 && len(w.balances()) == 0
}

func (w *world) balances() []settlement.DepositBalance {
	w.t.Helper()
	balances, err := w.store.Settlement().DepositBalances(
		w.t.Context(), w.profile.Network, settlement.Query{Now: w.clock.Now(), Limit: 1000},
	)
	w.must(err)
	return balances
}

// allInFlight returns the sweeps in flight.
func (w *world) allInFlight() []settlement.Sweep {
	w.t.Helper()
	list, err := w.store.Settlement().InFlight(w.t.Context(), w.profile.Network)
	w.must(err)
	return list
}

// inFlight returns the one sweep in flight.
func (w *world) inFlight() settlement.Sweep {
	w.t.Helper()
	list := w.allInFlight()
	if len(list) != 1 {
		w.t.Fatalf("%d sweeps are in flight, want 1", len(list))
	}
	return list[0]
}

func (w *world) sweepOf(id settlement.ID) settlement.Sweep {
	w.t.Helper()
	s, err := w.store.Settlement().Sweep(w.t.Context(), id)
	w.must(err)
	return s
}

// balance returns what an account holds of USDT.
func (w *world) balance(of chain.Address) *big.Int {
	w.t.Helper()
	heads, err := w.adapter.Heads(w.t.Context())
	w.must(err)
	b, err := w.adapter.Balances(w.t.Context(), w.profile.Assets[0], []chain.Address{of}, heads.Latest)
	w.must(err)
	return b[0].Big()
}

func (w *world) wantBalance(of chain.Address, want money.Micros) {
	w.t.Helper()
	if got := w.balance(of); got.Cmp(w.units(want)) != 0 {
		w.t.Errorf("%s holds %s, want %s", of, got, w.units(want))
	}
}

// wantSwept checks that every deposit of the payment is swept, or none is.
func (w *world) wantSwept(p payment.Payment, want bool) {
	w.t.Helper()
	p, err := w.store.Payment(w.t.Context(), p.ID)
	w.must(err)
	if len(p.Deposits) == 0 {
		w.t.Errorf("payment %d has no deposit", p.Number)
	}
	for _, d := range p.Deposits {
		if d.Swept != want {
			w.t.Errorf("deposit %s of payment %d: swept is %t, want %t", d.Transfer.Units, p.Number, d.Swept, want)
		}
	}
}

// nonce returns how many transactions the gas wallet has in blocks.
func (w *world) nonce() uint64 {
	w.t.Helper()
	n, err := w.chain.Client().NonceAt(w.t.Context(), w.gas.Address(), nil)
	w.must(err)
	pending, err := w.chain.Client().PendingNonceAt(w.t.Context(), w.gas.Address())
	w.must(err)
	if pending != n {
		w.t.Errorf("the gas wallet has %d transactions in blocks and %d with those that wait", n, pending)
	}
	return n
}

// wantNonce checks how many transactions the gas wallet has made.
func (w *world) wantNonce(want uint64) {
	w.t.Helper()
	if got := w.nonce(); got != want {
		w.t.Errorf("the gas wallet has made %d transactions, want %d", got, want)
	}
}

// deploy deploys a token from the faucet and makes it the network's asset at that place.
func (w *world) deploy(code []byte, place int, a chain.Asset) common.Address {
	w.t.Helper()
	tx, err := w.chain.Send(w.t.Context(), devchain.FaucetKey(), devchain.Tx{Data: code, Gas: 3_000_000})
	w.must(err)
	w.chain.Mine(1)
	r, err := w.chain.WaitReceipt(w.t.Context(), tx)
	w.must(err)
	a.Network, a.Contract = w.profile.Network, chain.AddressOf(w.profile.Network, r.ContractAddress[:]).Address
	a.Decimals = 18
	w.profile.Assets = slices.Clone(w.profile.Assets)
	w.profile.Assets[place] = a
	w.adapter = w.newAdapter(w.chain.URL())
	w.sender = w.newSender(ceiling)
	w.watcher = watch.NewWatcher(w.profile, w.adapter, w.store, "watcher", w.clock.Now, silent())
	w.watch()
	return r.ContractAddress
}

// onEach runs a test on each kind of database.
func onEach(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	for _, d := range storetest.Databases() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			test(t, d.Ready(t))
		})
	}
}
