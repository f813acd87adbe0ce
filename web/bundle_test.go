package web

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/oklog/ulid/v2"

	"github.com/florinpay/florin/graph"
	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/metrics"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/lookup"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/wallet"
)

type (
	users     = identity.Service
	merchants = merchant.Service
)

// cheapHashing is the least that argon2id takes: hundreds of sign-ins are not what these tests are about.
var cheapHashing = &argon2id.Params{Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// services joins the services of users and merchants, as the surfaces take them.
type services struct {
	*users
	*merchants
}

func newServices(
	users identity.Store, merchants merchant.Store, now func() time.Time, o identity.Options, m merchant.Options,
) services {
	o.Hashing = cheapHashing
	o.Mail, m.Mail = cmp.Or(o.Mail, newWriter(testBaseURL)), cmp.Or(m.Mail, newWriter(testBaseURL))
	u := identity.New(users, now, o)
	return services{u, merchant.New(merchants, u, now, m)}
}

// bundle is a whole server on a database of its own, with scripted chains.
type bundle struct {
	t         *testing.T
	server    *Server
	store     *store.Store
	sealer    *secret.Sealer
	accounts  services
	payments  *payment.Service
	campaigns *campaign.Service
	networks  *testNetworks
	clock     *testClock
	log       *logBuffer
	path      string        // of the SQLite database
	euro      exchange.Rate // what its sources say; 0: the usual
	logger    *slog.Logger
	// recharges sells nothing until sellQueries.
	recharges *testRecharges
	seen      atomic.Uint64 // blocks of the test chain
	orders    atomic.Uint64 // of newPaymentOf
	metrics   *metrics.Metrics
	mails     *mailbox
}

const (
	merchantWallet = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	solanaWallet   = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk"
	testBaseURL    = "https://pay.example"
)

// testWaiting is how many donations to a campaign may wait for money at once.
const testWaiting = 20

func newBundle(t *testing.T) *bundle { return newBundleWith(t, usual(testBaseURL)) }

func newBundleWith(t *testing.T, o Options) *bundle {
	t.Helper()
	return newBundleOn(t, storetest.SQLite(t), o)
}

// onEach runs a check of what requests do at once on both databases.
func onEach(t *testing.T, check func(t *testing.T, b *bundle)) {
	t.Helper()
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		check(t, newBundle(t))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		check(t, newBundleOn(t, storetest.PostgreSQL(t), usual(testBaseURL)))
	})
}

func newBundleOn(t *testing.T, url string, o Options, change ...func(*payment.Options)) *bundle {
	t.Helper()
	b := openBundle(t, url, identity.Options{}, merchant.Options{})
	b.recharges = &testRecharges{recharge.New(b.store.Settlement(), nil, b.clock.Now, b.logger)}
	b.metrics = metrics.New("test", b.clock.Now, b.logger)
	b.mails = b.newMailbox()
	b.store.OnStored(b.metrics.Stored)
	b.sells(testBaseURL, func(o *payment.Options) {
		o.MaxWaiting = testWaiting
		o.Refused = func(ctx context.Context, keyID int64) { must(t, b.accounts.SaleRefused(ctx, keyID)) }
		o.Crowded = func(ctx context.Context, keyID int64) { must(t, b.accounts.Crowded(ctx, keyID)) }
		for _, c := range change {
			c(o)
		}
	})
	o.Answered = b.metrics.Answered
	d := b.deps()
	d.Recharges = b.recharges
	b.serves(d, o)
	return b
}

// openBundle returns a bundle with its database and accounts, which sells and serves nothing yet.
func openBundle(t *testing.T, url string, users identity.Options, merchants merchant.Options) *bundle {
	t.Helper()
	log := &logBuffer{}
	logger := slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	sealer := storetest.Sealer(1)
	st, err := store.Open(t.Context(), url, sealer, store.Options{Log: logger})
	must(t, err)
	t.Cleanup(func() { must(t, st.Close()) })
	b := &bundle{
		t: t, store: st, sealer: sealer, networks: newTestNetworks(), log: log, logger: logger,
		clock: &testClock{now: time.Now().UTC().Truncate(time.Millisecond)}, path: strings.TrimPrefix(url, "sqlite://"),
	}
	b.accounts = newServices(st.Identity(), st.Merchant(), b.clock.Now, users, merchants)
	return b
}

// sells adds payments, with options other than the usual ones, and campaigns.
func (b *bundle) sells(baseURL string, change func(*payment.Options)) {
	o := payment.Options{
		MaxWaiting: payment.MaxWaiting, MaxWaitingOfKey: payment.MaxWaitingOfKey,
		TTL: time.Hour, StartTTL: 30 * time.Minute, MinAmount: money.USD / 100, MaxAmount: 1_000_000 * money.USD,
		Rates: b.rate, Currencies: []exchange.Currency{"EUR", "JPY"},
	}
	change(&o)
	b.payments = payment.NewService(b.store, b.store.Merchant(), b.networks, o, b.clock.Now, testID)
	b.accounts.CompleteBy(b.payments.CompleteWaiting)
	b.campaigns = campaign.NewService(b.store, b.payments, b.clock.Now, newWriter(baseURL))
}

func (b *bundle) deps() Deps {
	return Deps{
		Payments: b.payments, Campaigns: b.campaigns, Users: b.accounts.users, Merchants: b.accounts.merchants,
		Store: b.store, Ping: b.store.Ping, Sealer: b.sealer, Wallets: testWallets, Refunds: b.refunds(),
		Lookup: lookup.New(b.payments, b.networks.readers(), b.store, b.clock.Now),
		Now:    b.clock.Now, NewID: testID, Log: b.logger,
	}
}

// usual are the options of a server that has no others.
func usual(baseURL string) Options {
	return Options{
		BaseURL: baseURL, CheckoutURL: baseURL, Version: "test", SignUp: true,
		GraphQL: graph.Options{Introspection: true}, NewKeys: operation.NewKeys{Credits: 20, Queries: 5},
	}
}

func (b *bundle) serves(d Deps, o Options) {
	b.server = New(d, o)
	b.store.OnChange(b.server.Changed)
}

func testID(t time.Time) payment.ID {
	return payment.ID(ulid.MustNew(ulid.Timestamp(t), rand.Reader).String())
}

// people makes single changes of users.
func (b *bundle) people() storetest.People { return storetest.People{Store: b.store.Identity()} }

// shops makes single changes of merchant accounts.
func (b *bundle) shops() storetest.Accounts { return storetest.Accounts{Store: b.store.Merchant()} }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// seller is a user with a key.
type seller struct {
	key  merchant.Key
	text string
}

// newKey makes a user with a key that has the credits, and no custodian.
func (b *bundle) newKey(credits, queries int64) seller {
	b.t.Helper()
	ctx := b.t.Context()
	// Hashing a password is slow, and this user never signs in.
	user, err := (storetest.People{Store: b.store.Identity()}).CreateUser(ctx, identity.User{
		PublicID:     string(testID(b.clock.Now())),
		Email:        strings.ToLower(string(testID(b.clock.Now()))) + "@shop.example",
		PasswordHash: "none", FirstName: "Ada", LastName: "Byron", CreatedAt: b.clock.Now(),
	}, audit.Record{})
	must(b.t, err)
	key, text, err := b.accounts.CreateKey(ctx, user,
		merchant.NewKey{Wallet: merchantWallet, Credits: credits, Queries: queries}, audit.Act{})
	must(b.t, err)
	return seller{key, text.Reveal()}
}

// newMerchant makes a key that takes payments on every network but Solana.
func (b *bundle) newMerchant(credits int64) seller {
	b.t.Helper()
	m := b.newKey(credits+1, 5)
	name, callback, own := "Nordlicht", "https://shop.example/hook", secret.New("callback-canary")
	_, _, err := b.accounts.CreateCustodian(b.t.Context(), m.key, merchant.CustodianInput{
		Name: &name, CallbackURL: &callback, Secret: &own,
		Wallets: map[chain.Network]string{
			chain.BEP20: merchantWallet, chain.Polygon: merchantWallet,
			chain.Base: merchantWallet,
		},
	}, audit.Act{})
	must(b.t, err)
	return m
}

func (b *bundle) newPayment(m seller) payment.Payment { return b.newPaymentOf(m, "49.90") }

func (b *bundle) newPaymentOf(m seller, amount string) payment.Payment {
	b.t.Helper()
	p, err := b.payments.Create(b.t.Context(),
		payment.CreateInput{KeyID: m.key.ID, Amount: amount, Details: payment.Details{
			Reference: fmt.Sprintf("NL-%d", 1042+b.orders.Add(1)-1), SuccessURL: "https://shop.example/thanks?cart=7",
		}}, audit.Act{})
	must(b.t, err)
	return p
}

// start starts the payment in USDC.
func (b *bundle) start(p payment.Payment, n chain.Network) payment.Payment {
	b.t.Helper()
	p, err := b.payments.Start(b.t.Context(), string(p.ID), payment.Choice{Network: n, Token: money.USDC}, audit.Act{})
	must(b.t, err)
	return p
}

// deposit sends tokens (in Micros) to the payment's address and observes them as
// the watcher does.
func (b *bundle) deposit(p payment.Payment, amount money.Micros, final bool) payment.Payment {
	b.t.Helper()
	route, ok := p.Route()
	if !ok {
		b.t.Fatal("deposit before start")
	}
	asset, _ := profileOf(route.Network).Asset(p.Choice.Token)
	number := 100 + b.seen.Add(1)
	transfer := chain.Transfer{
		Key: chain.Key{Network: route.Network, Tx: testHash(number)}, Asset: asset, From: merchantWallet,
		To: route.Address.Address, Units: amount.Units(asset.Decimals),
		Block: chain.Head{Number: number, Hash: string(testHash(number)), Time: b.clock.Now()}, Source: "test",
	}
	return b.observe(p, transfer, final)
}

func (b *bundle) observe(p payment.Payment, t chain.Transfer, final bool) payment.Payment {
	b.t.Helper()
	v := payment.View{Network: t.Network, From: t.Block.Number, To: t.Block.Number, Transfers: []chain.Transfer{t}}
	if final {
		v.Final, v.Finalized = t.Block, t.Block
	}
	p, err := b.store.UpdatePayment(b.t.Context(), p.ID, func(p payment.Payment) (payment.Change, error) {
		return p.Observe(v, b.clock.Now())
	})
	must(b.t, err)
	return p
}

func (b *bundle) expire(p payment.Payment) payment.Payment {
	b.t.Helper()
	at := p.ExpiresAt.Add(time.Minute)
	seen := payment.Coverage{}
	for _, n := range chain.Networks() {
		seen[n] = at
	}
	p, err := b.store.UpdatePayment(b.t.Context(), p.ID,
		func(p payment.Payment) (payment.Change, error) { return p.Expire(seen, at) })
	must(b.t, err)
	return p
}

func (b *bundle) balance(m seller) int64 {
	b.t.Helper()
	balance, err := b.accounts.Balance(b.t.Context(), m.key.ID)
	must(b.t, err)
	return balance.Credits
}

// testClock changes only when it is advanced.
type testClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *testClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *testClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// testRecharges can be given another service while the server runs.
type testRecharges struct{ *recharge.Service }

// testWallets reads private keys as the program does.
var testWallets = operation.Wallets{
	SignerOf: wallet.SignerOf,
	WalletOf: func(privateKey secret.Text) (chain.Address, error) {
		k, err := wallet.ParseEVM(privateKey)
		if err != nil {
			return "", err
		}
		return k.Wallet(), nil
	},
}

// logBuffer keeps what was logged.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func custodianOf(wallets map[chain.Network]string) merchant.CustodianInput {
	return merchant.CustodianInput{Wallets: wallets}
}
