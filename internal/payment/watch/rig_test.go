package watch_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/big"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
)

// rig is a scripted chain read through real HTTP into a real database, under a
// clock that shows the chain's time unless it is set.
type rig struct {
	*testing.T
	chain     *chaintest.EVM
	endpoints []*chaintest.Endpoint
	profile   chain.Profile
	store     *store.Store
	service   *payment.Service
	watcher   *watch.Watcher
	expirer   *watch.Expirer
	key       merchant.Key

	mu    sync.Mutex
	ahead time.Duration // of the chain's newest block
	clock time.Time     // in its place, where there is no such chain
	made  int
}

// unchecked reads a chain that has no forwarder factory.
type unchecked struct{ *evm.Adapter }

func (unchecked) Check(context.Context) error { return nil }

type rigNetworks struct {
	network payment.OfferedNetwork
	watcher *watch.Watcher
}

func (l rigNetworks) Network(n chain.Network) (payment.OfferedNetwork, bool) {
	return l.network, n == l.network.Profile.Network
}
func (l rigNetworks) Health(chain.Network) payment.Health { return l.watcher.Health() }

const (
	rigSafeDepth  = 2 // safe is behind the head, and finalized behind safe
	rigFinalDepth = 3
	rigFinalLimit = 5 * time.Minute // blocks of the rig may be half a minute apart
	rigTTL        = time.Hour
	rigStartTTL   = 30 * time.Minute
	rigWallet     = "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0"
)

func newRig(t *testing.T, endpoints int, adjust ...func(*chain.Profile)) *rig {
	t.Helper()
	r := &rig{T: t}
	for _, p := range chain.Profiles() {
		if p.Network == chain.Polygon {
			r.profile = p
		}
	}
	r.profile.SafeLimit, r.profile.FinalizedLimit = rigFinalLimit, rigFinalLimit
	for _, f := range adjust {
		f(&r.profile)
	}
	r.chain = chaintest.NewEVM(chaintest.EVMConfig{
		ChainID: r.profile.ChainID, Assets: r.profile.Assets, BlockTime: time.Second,
		SafeDepth: rigSafeDepth, FinalDepth: rigFinalDepth,
	})
	r.chain.Mine(rigFinalDepth + 2)
	for range endpoints {
		r.endpoints = append(r.endpoints, r.chain.Endpoint(t))
	}
	r.openStore()
	reader := r.reader()
	r.watcher = watch.NewWatcher(r.profile, reader, r.store, "one", r.now, slog.New(slog.DiscardHandler))
	r.serve(reader, evm.NewDepositor(r.profile.Network))
	return r
}

// openStore makes the database, with a shop.
func (r *rig) openStore() {
	r.Helper()
	var err error
	r.store, err = store.Open(r.Context(), storetest.SQLite(r), storetest.Sealer(1), store.Options{})
	r.must(err)
	r.Cleanup(func() { _ = r.store.Close() })
	r.openShop()
}

// serve makes what works beside the watcher, which makes its first round.
func (r *rig) serve(reader chain.Reader, d chain.Depositor) {
	r.Helper()
	networks := rigNetworks{payment.OfferedNetwork{Profile: r.profile, Depositor: d}, r.watcher}
	r.service = payment.NewService(r.store, r.store.Merchant(), networks, payment.Options{
		MaxWaiting: payment.MaxWaiting, MaxWaitingOfKey: payment.MaxWaitingOfKey,
		TTL: rigTTL, StartTTL: rigStartTTL, MinAmount: 10_000, MaxAmount: 1_000_000 * money.USD,
	}, r.now, r.newID)
	r.expirer = watch.NewExpirer(
		[]chain.Profile{r.profile}, map[chain.Network]chain.Reader{r.profile.Network: reader}, r.store,
		r.store.Settlement(), r.now, slog.New(slog.DiscardHandler),
	)
	r.watch()
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) reader() chain.Reader {
	var urls []string
	for _, e := range r.endpoints {
		urls = append(urls, e.URL)
	}
	a, err := evm.New(evm.Config{Profile: r.profile, Endpoints: urls, Now: r.now, Alone: chain.AloneSmall})
	r.must(err)
	return unchecked{a}
}

// now is the time of the chain's newest block, plus what the test lets pass.
func (r *rig) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.chain == nil {
		return r.clock.Add(r.ahead)
	}
	return r.chain.Head().Time.Add(r.ahead)
}

func (r *rig) pass(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ahead += d
}

// catchUp lets the chain's clock reach ours and makes a block.
func (r *rig) catchUp() {
	r.mu.Lock()
	ahead := r.ahead
	r.ahead = 0
	r.mu.Unlock()
	r.chain.Wait(ahead)
	r.chain.Mine(1)
}

func (r *rig) newID(time.Time) payment.ID {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.made++
	return payment.ID(fmt.Sprintf("01KAJ%021d", r.made))
}

func (r *rig) openShop() {
	ctx := r.Context()
	user, err := (storetest.People{Store: r.store.Identity()}).CreateUser(
		ctx, identity.User{PublicID: "01KAJ0000000000000000000U1", Email: "shop@example.com", CreatedAt: r.now()},
		audit.Record{},
	)
	r.must(err)
	r.key, err = (storetest.Accounts{Store: r.store.Merchant()}).CreateKey(ctx, merchant.Key{
		PublicID: "01KAJ0000000000000000000K1", UserID: user.ID, Hash: identity.Hash{1}, CreatedAt: r.now(),
	},
		func(id int64) []ledger.Entry {
			return []ledger.Entry{ledger.Grant(id, ledger.Credit, 100, ledger.ReasonSignup, "signup", r.now())}
		}, audit.Record{})
	r.must(err)
	settlement := chain.Address(rigWallet)
	if r.profile.Network == chain.Solana {
		settlement = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk"
	}
	_, err = (storetest.Accounts{Store: r.store.Merchant()}).CreateCustodian(ctx, merchant.Custodian{
		PublicID: "01KAJ0000000000000000000C1", KeyID: r.key.ID, Name: "Shop", CallbackURL: "https://shop.example.com/hook",
		Wallets: map[chain.Network]chain.Address{r.profile.Network: settlement},
		SigningSecrets: []secret.Text{
			secret.New("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
		}, CreatedAt: r.now(), UpdatedAt: r.now(),
	}, nil, audit.Record{})
	r.must(err)
}

// start makes and starts a payment of 10 USDC.
func (r *rig) start() payment.Payment {
	r.Helper()
	p, err := r.service.Create(r.Context(), payment.CreateInput{KeyID: r.key.ID, Amount: "10"}, audit.Act{})
	r.must(err)
	choice := payment.Choice{Network: r.profile.Network, Token: money.USDC}
	p, err = r.service.Start(r.Context(), string(p.ID), choice, audit.Act{})
	r.must(err)
	return p
}

// pay sends the payment's 10 USDC; they wait for the next block.
func (r *rig) pay(p payment.Payment) string {
	route, _ := p.Route()
	asset, _ := r.profile.Asset(money.USDC)
	return r.chain.Send(chaintest.Tx{To: string(asset.Contract), Logs: []chaintest.Log{
		chaintest.TransferLog(string(asset.Contract), "0x00000000000000000000000000000000000000f1", string(route.Address.Address), big.NewInt(tenUSDC)),
	}})
}

// watch makes one round of the watcher, which must succeed.
func (r *rig) watch() {
	r.Helper()
	r.must(r.watcher.RunOnce(r.Context()))
}

// reads has the network read of late, up to its newest block only; false: it is behind.
func (r *rig) reads(n chain.Network, well bool) {
	r.Helper()
	c, _, err := r.store.Cursor(r.Context(), n)
	r.must(err)
	c.UpdatedAt, c.BehindSince = r.now().Add(time.Hour), time.Time{}
	if !well {
		c.BehindSince = r.now()
	}
	r.must(r.store.SaveCursor(r.Context(), n, c))
}

func (r *rig) get(p payment.Payment) payment.Payment {
	r.Helper()
	p, err := r.store.Payment(r.Context(), p.ID)
	r.must(err)
	return p
}

// expect fails unless the payment has the status and has received the units.
func (r *rig) expect(p payment.Payment, status payment.Status, received money.Micros) payment.Payment {
	r.Helper()
	p = r.get(p)
	if p.Status != status || p.Received().Micros() != received {
		r.Fatalf("payment is %s with %s, want %s with %s", p.Status, p.Received().Micros(), status, received)
	}
	return p
}

func (r *rig) cursor() watch.Cursor {
	r.Helper()
	c, ok, err := r.store.Cursor(r.Context(), r.profile.Network)
	if err != nil || !ok {
		r.Fatal(ok, err)
	}
	return c
}

// recorded counts the events of the type in the payment's history.
func (r *rig) recorded(p payment.Payment, want payment.EventType) (n int) {
	r.Helper()
	events, err := r.store.Events(r.Context(), p.ID)
	r.must(err)
	for _, e := range events {
		if e.Type == want {
			n++
		}
	}
	return n
}

func hexNumber(n uint64) string { return fmt.Sprintf("0x%x", n) }
