package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/subscription"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
)

const (
	// socketPayments is how many payments are made, one after another, while a socket is subscribed to.
	socketPayments = 40
	// socketPause is the time between two of them: of more pushes than one a second not every one is read at once.
	socketPause = 1200 * time.Millisecond
	// socketWait bounds what is waited for, on a machine with other work to do.
	socketWait = time.Minute
)

// measureSocket measures by the wall clock how long after its block a payment is seen where a real node, in this
// process, pushes money over a real socket.
func measureSocket(ctx context.Context) (err error) {
	dir, err := tempDir()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := newSocket(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	var seen []time.Duration
	for range socketPayments {
		took, err := s.pay(ctx)
		if err != nil {
			return err
		}
		seen = append(seen, took)
		time.Sleep(socketPause)
	}
	p99 := percentile(seen, 99)
	fmt.Printf("\n%d payments pushed over a socket by a node of %s\n           block to seen: p50 %s, p99 %s\n",
		len(seen), s.networks[chain.Polygon].offered.Profile.Name, percentile(seen, 50), p99)
	if p99 > pushedAfter {
		return fmt.Errorf("socket: seen %s after the block (p99), at most %s", p99, pushedAfter)
	}
	return nil
}

// socket is an installation that reads one real chain, which pushes over a socket.
type socket struct {
	*world

	node  *devchain.Chain
	feed  *subscription.Feed
	asset chain.Asset
	stop  context.CancelFunc
	ended sync.WaitGroup

	mu      sync.Mutex
	watched *chain.WatchSet
}

func newSocket(ctx context.Context, dir string) (*socket, error) {
	profile, ok := profileOf(chain.Polygon)
	if !ok {
		return nil, errors.New("no such network")
	}
	s := &socket{world: &world{ctx: ctx, networks: make(map[chain.Network]*network)}}
	s.agenda.clock = &clock{wall: true}
	var err error
	if s.store, err = openStore(ctx, dir); err != nil {
		return nil, err
	}
	if err := s.openShop(); err != nil {
		return nil, err
	}
	if s.node, err = devchain.Start(devchain.Config{ChainID: profile.ChainID}); err != nil {
		return nil, err
	}
	if err := s.node.Setup(ctx); err != nil {
		return nil, err
	}
	usdc := s.node.Tokens().USDC
	s.asset = chain.Asset{
		Network: profile.Network, Contract: chain.AddressOf(profile.Network, usdc.Address[:]).Address,
		Symbol: usdc.Symbol, Decimals: int(usdc.Decimals), Token: money.USDC,
	}
	profile.Assets = []chain.Asset{s.asset}
	return s, s.open(profile)
}

// open begins to watch the chain.
func (s *socket) open(p chain.Profile) error {
	reader, err := evm.New(evm.Config{Profile: p, Endpoints: []string{s.node.URL()}})
	if err != nil {
		return err
	}
	n := &network{
		offered: payment.OfferedNetwork{Profile: p, Depositor: evm.NewDepositor(p.Network)},
		watcher: watch.NewWatcher(p, reader, s.store, "bench", time.Now, silent()),
	}
	s.networks[p.Network] = n
	s.feed, err = subscription.New(subscription.Config{
		Endpoints: []string{"ws" + strings.TrimPrefix(s.node.URL(), "http")}, Protocol: reader.Subscriptions(),
		News: n.watcher.Pushed, Log: silent(),
	})
	if err != nil {
		return err
	}
	n.watcher.Follow(watch.Feed{Watch: s.watch, Live: s.feed.Live, Doubt: s.feed.Doubt})
	s.service = payment.NewService(s.store, s.store.Merchant(), s.world, payment.Options{
		TTL: ttl, StartTTL: startTTL, MinAmount: 10_000, MaxAmount: 1_000_000 * money.USD,
	}, time.Now, s.newID)
	ctx, stop := context.WithCancel(s.ctx)
	s.stop = stop
	s.ended.Go(func() { _ = n.watcher.Run(ctx) })
	s.ended.Go(func() { _ = s.feed.Run(ctx) })
	s.node.Mine(devchain.DefaultFinalDepth + 1)
	if err := s.await("the network is read", func() (bool, error) { return n.watcher.Health().OK, nil }); err != nil {
		return fmt.Errorf("%w: %s", err, n.watcher.Health().Detail)
	}
	return nil
}

func (s *socket) close() error {
	s.stop()
	s.ended.Wait()
	return errors.Join(s.node.Close(), s.store.Close())
}

// watch passes on for which addresses money is to be pushed.
func (s *socket) watch(set *chain.WatchSet) {
	s.mu.Lock()
	s.watched = set
	s.mu.Unlock()
	s.feed.Watch(set)
}

// subscribed reports whether money to the address would be pushed.
func (s *socket) subscribed(to chain.Watched) bool {
	s.mu.Lock()
	set := s.watched
	s.mu.Unlock()
	if set == nil {
		return false
	}
	_, here := set.Lookup(to.Raw)
	return here && s.feed.Live(set)
}

// pay makes a payment and returns how long after its block it is seen.
func (s *socket) pay(ctx context.Context) (time.Duration, error) {
	n := s.networks[chain.Polygon]
	created, err := s.service.Create(ctx, payment.CreateInput{KeyID: s.key, Amount: "25"})
	if err != nil {
		return 0, err
	}
	p, err := s.service.Start(ctx, string(created.ID), payment.Choice{Network: chain.Polygon, Token: money.USDC})
	if err != nil {
		return 0, err
	}
	n.watcher.Wake()
	to := p.Routes[0].Address
	err = s.await("the address is subscribed to", func() (bool, error) { return s.subscribed(to), nil })
	if err != nil {
		return 0, err
	}
	contract := common.HexToAddress(string(s.asset.Contract))
	units := p.Amount.Units(s.asset.Decimals).Big()
	if _, err := s.node.Mint(ctx, contract, common.Address(to.Raw), units); err != nil {
		return 0, err
	}
	s.node.Mine(1)
	made := time.Now()
	err = s.await("the payment is seen", func() (bool, error) {
		p, err := s.store.Payment(ctx, p.ID)
		return len(p.Deposits) > 0, err
	})
	return time.Since(made), err
}

// await waits until something is so.
func (s *socket) await(what string, so func() (bool, error)) error {
	for deadline := time.Now().Add(socketWait); ; time.Sleep(time.Millisecond) {
		if is, err := so(); is || err != nil {
			return err
		}
		if time.Now().After(deadline) || s.ctx.Err() != nil {
			return fmt.Errorf("socket: not within %s: %s", socketWait, what)
		}
	}
}

func profileOf(n chain.Network) (chain.Profile, bool) {
	for _, p := range chain.Profiles() {
		if p.Network == n {
			return p, true
		}
	}
	return chain.Profile{}, false
}

// openStore makes a database in the directory.
func openStore(ctx context.Context, dir string) (*store.Store, error) {
	sealer, err := secret.NewSealer(make([]byte, secret.KeyLen))
	if err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, "sqlite://"+filepath.Join(dir, "florin.db"), sealer, store.Options{Log: silent()})
	if err != nil {
		return nil, err
	}
	return s, s.Migrate(ctx)
}
