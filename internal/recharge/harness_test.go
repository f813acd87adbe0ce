package recharge_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"errors"
	"log/slog"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/oklog/ulid/v2"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"

	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
)

// world is a development chain and a database with a merchant on both.
type world struct {
	t       *testing.T
	clock   *testkit.Clock
	chain   *devchain.Chain
	profile chain.Profile
	asset   chain.Asset
	reader  *evm.Adapter
	remit   sender.Transfers
	store   *store.Store
	key     merchant.Key
	owner   *ecdsa.PrivateKey
	wallet  chain.Address
	private secret.Text
}

// treasury is the operator's wallet.
var treasury = chain.AddressOf(chain.BEP20, common.HexToAddress("0x9858EfFD232B4033E47d90003D41EC34EcaEda94").Bytes()).Address

const patient = 20 * time.Second

// onEach runs a test on both databases, each with a chain of its own.
func onEach(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	for _, d := range storetest.Databases() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, d.Ready(t)))
		})
	}
}

func newWorld(t *testing.T, url string) *world {
	t.Helper()
	w := &world{t: t, clock: testkit.NewClock(time.Now().UTC().Truncate(time.Microsecond))}
	w.startChain()
	var err error
	w.store, err = store.Open(t.Context(), url, storetest.Sealer(1), store.Options{Log: silent()})
	w.must(err)
	t.Cleanup(func() { _ = w.store.Close() })
	w.owner, err = crypto.GenerateKey()
	w.must(err)
	w.private = secret.New(common.Bytes2Hex(crypto.FromECDSA(w.owner)))
	w.wallet = chain.AddressOf(chain.BEP20, w.account().Bytes()).Address
	w.key, err = storetest.Shop{
		User: identity.User{Email: "ada@shop.example"}, Key: merchant.Key{Wallet: w.wallet},
	}.Open(t.Context(), w.store, w.now())
	w.must(err)
	w.fund(1e18, money.USD)
	return w
}

func (w *world) startChain() {
	w.t.Helper()
	var p chain.Profile
	for _, x := range chain.Profiles() {
		if x.Network == chain.BEP20 {
			p = x
		}
	}
	c, err := devchain.Start(devchain.Config{ChainID: p.ChainID, Decimals: 18})
	w.must(err)
	w.t.Cleanup(func() { w.must(c.Close()) })
	w.must(c.Setup(w.t.Context()))
	c.Mine(devchain.DefaultFinalDepth)
	token := c.Tokens().USDT
	w.chain = c
	w.asset = chain.Asset{
		Network: chain.BEP20, Contract: chain.AddressOf(
			chain.BEP20, token.Address[:],
		).Address, Symbol: "USDT", Decimals: 18, Token: money.USDT,
	}
	p.Assets = []chain.Asset{w.asset}
	w.profile = p
	a, err := evm.New(evm.Config{Profile: p, Endpoints: []string{c.URL()}})
	w.must(err)
	w.reader = a
	w.remit = sender.NewTransfers(a, money.UnitsFromUint64(100e9))
}

func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

func newID() string { return ulid.MustNew(ulid.Now(), rand.Reader).String() }

func (w *world) must(err error) {
	w.t.Helper()
	testkit.Must(w.t, err)
}

func (w *world) now() time.Time { return w.clock.Now() }

func (w *world) account() common.Address { return crypto.PubkeyToAddress(w.owner.PublicKey) }

// fund gives the merchant's wallet coins and USDT.
func (w *world) fund(wei int64, usdt money.Micros) {
	w.t.Helper()
	_, err := w.chain.FundNative(w.t.Context(), w.account(), big.NewInt(wei))
	w.must(err)
	_, err = w.chain.Mint(w.t.Context(), w.chain.Tokens().USDT.Address, w.account(), usdt.Units(18).Big())
	w.must(err)
	w.finalize()
}

func (w *world) finalize() { w.chain.Mine(devchain.DefaultFinalDepth + 1) }

// mining makes blocks until the test ends or stop is called.
func (w *world) mining() (stop func()) {
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			w.chain.Commit()
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	return func() { cancel(); <-done }
}

func (w *world) network(c chain.TransferSender) *recharge.Network {
	return &recharge.Network{Chain: c, Asset: w.asset, Treasury: treasury, Ready: func() error { return nil }}
}

func (w *world) service() *recharge.Service {
	return recharge.New(w.store.Settlement(), w.network(w.remit), w.now, silent())
}

func (w *world) request(units int64) recharge.Request {
	return recharge.Request{
		ID: recharge.ID(newID()), KeyID: w.key.ID, Units: units, Wallet: w.wallet, PrivateKey: w.private,
	}
}

// signed stores a recharge and does not broadcast it, like a process that dies in between.
func (w *world) signed(units int64) recharge.Recharge {
	w.t.Helper()
	s := recharge.New(w.store.Settlement(), w.network(noBroadcast{w.remit}), w.now, silent())
	r, err := s.Buy(w.t.Context(), w.request(units), 0, audit.Act{})
	w.must(err)
	if r.State != recharge.Signed || !r.SentAt.IsZero() {
		w.t.Fatalf("signed: %+v", r)
	}
	return r
}

// broadcast stores a recharge and broadcasts it, like a process that dies afterwards.
func (w *world) broadcast(units int64) recharge.Recharge {
	w.t.Helper()
	r := w.signed(units)
	w.must(w.remit.Broadcast(w.t.Context(), r.Bytes))
	return r
}

// asks makes the program ask these endpoints instead, until back is called.
func (w *world) asks(endpoints ...string) (back func()) {
	w.t.Helper()
	a, err := evm.New(evm.Config{Profile: w.profile, Endpoints: endpoints})
	w.must(err)
	before := w.remit
	w.remit = sender.NewTransfers(a, money.UnitsFromUint64(100e9))
	return func() { w.remit = before }
}

// noBroadcast is a sender whose process dies when it broadcasts.
type noBroadcast struct{ chain.TransferSender }

var errDied = errors.New("the process died")

func (noBroadcast) Broadcast(context.Context, chain.SignedTx) error { return errDied }

// round advances the clock until the recharges are due and runs one round of the loop.
func (w *world) round() {
	w.t.Helper()
	w.clock.Pass(15 * time.Second)
	w.must(w.service().RunOnce(w.t.Context()))
}

func (w *world) state(r recharge.Recharge) recharge.State {
	w.t.Helper()
	r, err := w.store.Settlement().Recharge(w.t.Context(), r.ID)
	w.must(err)
	return r.State
}

func (w *world) queries() int64 {
	w.t.Helper()
	b, err := w.store.Merchant().Balance(w.t.Context(), w.key.ID)
	w.must(err)
	return b.Queries
}

// wants fails the test unless the recharge is in the state, and its key has so many query units.
func (w *world) wants(when string, r recharge.Recharge, state recharge.State, queries int64) {
	w.t.Helper()
	if is, has := w.state(r), w.queries(); is != state || has != queries {
		w.t.Errorf("%s: %s, %d queries; want %s, %d", when, is, has, state, queries)
	}
}

// earned is what the treasury holds, in USDT.
func (w *world) earned() string {
	w.t.Helper()
	held, err := w.reader.Balances(w.t.Context(), w.asset, []chain.Address{treasury}, chain.Head{})
	w.must(err)
	return held[0].Format(18)
}

// balanced checks the whole ledger.
func (w *world) balanced() {
	w.t.Helper()
	_, wrong, err := w.store.VerifyLedger(w.t.Context())
	w.must(err)
	if len(wrong) > 0 {
		w.t.Errorf("the ledger does not agree: %v", wrong)
	}
}
