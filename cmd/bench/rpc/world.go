package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/chain/subscription"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/wallet"
)

// world is one installation of Florin with its networks, under a simulated clock.
type world struct {
	agenda

	ctx      context.Context
	rng      *rand.Rand
	store    *store.Store
	service  *payment.Service
	expirer  *watch.Expirer
	presence *watch.Presence
	networks map[chain.Network]*network
	key      int64
	made     int
	pushed   bool // endpoints push money with its block
	ended    int  // payments that ended on earlier days
	week     bool // endpoints fail, and customers try again
}

// network is a network as the installation reads it.
type network struct {
	offered payment.OfferedNetwork
	chain   *testChain
	hosts   hosts
	watcher *watch.Watcher
	waiting map[payment.ID]*arrival
	seen    []time.Duration // from the block to the deposit seen
	finals  []time.Duration // from final to the event of the webhook
	steps   int
	spent   usage // in the day
	lost    int   // customers who were turned away
	// before is how often each endpoint had been asked when today began.
	today  time.Time
	before map[string]int64
	// subscribed is since when there is a subscription, and heads how many blocks were pushed before.
	subscribed time.Time
	heads      int64
}

// checked reads a network whose contracts need no check.
type checked struct{ chain.Reader }

func (checked) Check(context.Context) error { return nil }

// TokenAccounts and Under are those of the reader (chain.TokenLister).
func (c checked) TokenAccounts(
	ctx context.Context, owners []chain.Address, l chain.Listing,
) ([]chain.TokenAccount, error) {
	return chain.TokenAccounts(ctx, c.Reader, owners, l)
}

func (c checked) Under(owner chain.Address) []chain.Address { return chain.Under(c.Reader, owner) }

// The TTLs and amounts are the defaults of the configuration.
const (
	ttl      = time.Hour
	startTTL = 30 * time.Minute
	credits  = 1 << 40
	wallet1  = chain.Address("0x52908400098527886E0F7030069857D2E4169EE7")
	wallet2  = chain.Address("7KqzuxWhMm7GsfXoHhXq6ZdyQoMXEgt3VFLiXDGKHtRd")
)

// newWorld makes an installation in a directory for a day.
func newWorld(ctx context.Context, dir string, d shopDay) (*world, error) {
	w := &world{
		pushed: d.pushed, ended: d.ended,
		agenda: agenda{clock: testkit.NewClock(begin.Add(-time.Hour))},
		ctx:    ctx, networks: make(map[chain.Network]*network),
		rng: rand.New(rand.NewPCG(1, 2)), //nolint:gosec // it must be repeatable
	}
	var err error
	if w.store, err = openStore(ctx, dir); err != nil {
		return nil, err
	}
	if err := w.openShop(); err != nil {
		return nil, err
	}
	readers := make(map[chain.Network]chain.Reader)
	for _, p := range chain.Profiles() {
		n, reader, err := w.open(p, d)
		if err != nil {
			return nil, err
		}
		w.networks[p.Network], readers[p.Network] = n, reader
	}
	now := w.clock.Now
	watchers := make(map[chain.Network]*watch.Watcher)
	for n, x := range w.networks {
		watchers[n] = x.watcher
	}
	w.presence = watch.NewPresence(w.store, watchers, now)
	w.service = payment.NewService(w.store, w.store.Merchant(), w, payment.Options{
		TTL: ttl, StartTTL: startTTL, MinAmount: 10_000, MaxAmount: 1_000_000 * money.USD,
	}, now, w.newID)
	w.expirer = watch.NewExpirer(chain.Profiles(), readers, w.store, w.store.Settlement(), now, silent())
	return w, nil
}

func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

// open opens a network with its endpoints.
func (w *world) open(p chain.Profile, d shopDay) (*network, chain.Reader, error) {
	n := &network{chain: newChain(p, w.clock), hosts: make(hosts), waiting: make(map[payment.ID]*arrival)}
	var node answerer = evmNode{n.chain, d.ranges}
	if p.Network == chain.Solana {
		node = solanaNode{n.chain}
	}
	var urls []string
	for i := range d.endpoints {
		host := fmt.Sprintf("endpoint%d.example", i+1)
		n.hosts[host] = newCounter(node)
		urls = append(urls, "http://"+host)
	}
	adapter, depositor, err := w.adapter(p, urls, &http.Client{Transport: n.hosts})
	if err != nil {
		return nil, nil, err
	}
	reader := checked{adapter}
	n.offered = payment.OfferedNetwork{Profile: p, Depositor: depositor}
	n.watcher = watch.NewWatcher(p, reader, past{w.store, w.ended}, "bench", w.clock.Now, silent())
	if d.budget > 0 {
		n.watcher.Limit(d.budget, func() int64 { return n.spentToday(w.clock.Now(), d.budget) })
	}
	if w.pushed {
		n.watcher.Follow(watch.Feed{
			Watch: func(set *chain.WatchSet) { n.subscribe(set, w.clock.Now()) },
			Live:  func(*chain.WatchSet) bool { return true },
		})
	}
	return n, reader, nil
}

// spentToday returns what part of its day's budget the busiest endpoint has spent, in hundredths of a per cent.
func (x *network) spentToday(now time.Time, budget int64) int64 {
	if today := now.Truncate(24 * time.Hour); !today.Equal(x.today) {
		x.today, x.before = today, x.hosts.each()
	}
	var calls []int64
	for host, n := range x.hosts.each() {
		calls = append(calls, n-x.before[host])
	}
	return chain.Budgets{budget}.Spent(calls)
}

// unhurried is a rate that holds no call back: the simulated time does not pass while one waits.
const unhurried = 1e9

// notification is the method of what a subscription pushes: the blocks, of which providers count every one.
const notification = "eth_subscription"

// subscribe begins or ends the subscription. While it lasts, other addresses change nothing about the blocks.
func (x *network) subscribe(set *chain.WatchSet, now time.Time) {
	wanted := set != nil && set.Len() > 0
	if wanted == !x.subscribed.IsZero() {
		return
	}
	x.heads, x.subscribed = x.notified(now), time.Time{}
	if wanted {
		x.subscribed = now
	}
}

// notified returns how many blocks were pushed in the day. Where they come fast they are not wanted for long.
func (x *network) notified(now time.Time) int64 {
	if x.subscribed.IsZero() || now.Before(begin) {
		return x.heads
	}
	since := x.subscribed
	if since.Before(begin) {
		since = begin
	}
	pushed := int64(now.Sub(since) / x.chain.pace.block)
	if x.chain.pace.block < subscription.HeadPace {
		pushed = min(pushed, subscription.HeadsKept+1)
	}
	return x.heads + pushed
}

// adapter returns the real adapter of a network.
func (w *world) adapter(p chain.Profile, urls []string, client *http.Client) (chain.Reader, chain.Depositor, error) {
	if p.Network.EVM() {
		a, err := evm.New(evm.Config{
			Profile: p, Endpoints: urls, Client: client, Now: w.clock.Now, Alone: chain.AloneSmall,
		})
		return a, evm.NewDepositor(p.Network), err
	}
	seed, _, err := wallet.GenerateSeed()
	if err != nil {
		return nil, nil, err
	}
	a, err := solana.New(solana.Config{
		Profile: p, Endpoints: urls, Client: client, Now: w.clock.Now,
		Sweeps: solana.SweepsAddress(seed), Rate: unhurried, Alone: chain.AloneSmall,
	})
	return a, solana.NewDepositor(seed), err
}

// Network returns a network as the service offers it.
func (w *world) Network(n chain.Network) (payment.OfferedNetwork, bool) {
	x, ok := w.networks[n]
	if !ok {
		return payment.OfferedNetwork{}, false
	}
	return x.offered, true
}

// Health returns the health of a network.
func (w *world) Health(n chain.Network) payment.Health {
	return w.networks[n].watcher.Health().AsOf(w.clock.Now())
}

func (w *world) newID(time.Time) payment.ID {
	w.made++
	return payment.ID(fmt.Sprintf("01KAJ%021d", w.made))
}

// openShop makes the merchant with a key, credits and settlement wallets.
func (w *world) openShop() error {
	wallets := make(map[chain.Network]chain.Address)
	for _, n := range chain.Networks() {
		if wallets[n] = wallet1; n == chain.Solana {
			wallets[n] = wallet2
		}
	}
	key, err := storetest.Shop{
		Key: merchant.Key{Wallet: wallet1}, Credits: credits, Queries: credits,
		Custodian: merchant.Custodian{
			Name: "Shop", Wallets: wallets, LateFor: 20 * time.Minute,
			SigningSecrets: []secret.Text{secret.New("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")},
		},
	}.Open(w.ctx, w.store, w.clock.Now())
	w.key = key.ID
	return err
}

// openStore makes a database in the directory.
func openStore(ctx context.Context, dir string) (*store.Store, error) {
	url := "sqlite://" + filepath.Join(dir, "florin.db")
	s, err := store.Open(ctx, url, storetest.Sealer(1), store.Options{Log: silent()})
	if err != nil {
		return nil, err
	}
	return s, s.Migrate(ctx)
}

// tempDir returns a directory in memory where there is one: what is measured is calls, not disks.
func tempDir() (string, error) {
	for _, dir := range []string{"/dev/shm", ""} {
		if made, err := os.MkdirTemp(dir, "florin-bench-rpc-"); err == nil {
			return made, nil
		} else if dir == "" {
			return "", err
		}
	}
	return "", os.ErrNotExist
}
