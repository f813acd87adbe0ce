package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/sandbox/devsol"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
)

// Config says where the sandbox stores its data and how it serves.
type Config struct {
	Dir       string // keeps chains, database and keys between runs
	Listen    string // host:port of the server
	BlockTime time.Duration
	Version   string
	Log       *slog.Logger
	// Environ is added to the server's configuration and overrides it.
	Environ []string
}

// networks are the EVM chains that the sandbox runs, with the decimals that their stablecoins have in
// production.
var networks = []struct {
	network  chain.Network
	chainID  uint64
	decimals uint8
	// safeDepth is by how many blocks the safe label trails the head: enough for a payer to see a payment
	// become final.
	safeDepth uint64
}{
	{chain.BEP20, 56, 18, 0},
	{chain.Polygon, 137, 6, 0},
	{chain.Base, 8453, 6, 2},
}

// Sandbox is the production server with development chains, a demo merchant and a webhook inbox. It is configured
// through the same environment variables, talks JSON-RPC to the chains over loopback, and does not know that it runs in
// a sandbox.
type Sandbox struct {
	App     *app.App
	Demo    Demo
	BaseURL string

	listener net.Listener
	chains   map[chain.Network]*devchain.Chain
	sol      *devsol.Ledger
	inbox    *Inbox
	mails    mailbox
	pages    *pages
	log      *slog.Logger
}

// Start starts the chains and builds the server; Run serves.
func Start(ctx context.Context, c Config) (*Sandbox, error) {
	s := &Sandbox{chains: make(map[chain.Network]*devchain.Chain), log: c.Log}
	if err := s.start(ctx, c); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Sandbox) start(ctx context.Context, c Config) error {
	// First of all: a second sandbox must not touch what the first one uses.
	if err := s.listen(ctx, c.Listen); err != nil {
		return err
	}
	c.Listen = s.listener.Addr().String()
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return fmt.Errorf("make the sandbox's directory: %w", err)
	}
	if err := s.startChains(ctx, c); err != nil {
		return err
	}
	secretKey, err := keptSecret(filepath.Join(c.Dir, "secret.key"))
	if err != nil {
		return err
	}
	gasKey, err := keptSecret(filepath.Join(c.Dir, "gas.key"))
	if err != nil {
		return err
	}
	if err := s.fundGas(ctx, gasKey); err != nil {
		return err
	}
	if err := s.fundDemo(ctx); err != nil {
		return err
	}
	if err := s.setFeeds(ctx, "", feedsNow); err != nil {
		return err
	}
	keys, err := s.startSolana(c)
	if err != nil {
		return err
	}
	cfg, err := config.Load(slices.Concat(s.environ(c, secretKey, gasKey), s.solanaEnviron(keys), c.Environ), "")
	if err != nil {
		return err
	}
	cfg.RateEvery = time.Second // so that a moved feed counts at once
	for i := range cfg.Networks {
		if dev := s.chains[cfg.Networks[i].Profile.Network]; dev != nil {
			cfg.Networks[i].Profile.WalletRPC = dev.URL()
		}
	}
	s.pages = newPages(s)
	if s.App, err = app.New(ctx, cfg, app.Options{
		Version: c.Version, Log: c.Log, Sandbox: s.pages, Listener: s.listener,
		SandboxKey:  func() string { return s.Demo.Key },
		SandboxMail: s.mails.receive,
	}); errors.Is(err, store.ErrOtherSchema) {
		return fmt.Errorf("%w: delete the directory %s, which has test money only", err, c.Dir)
	} else if err != nil {
		return err
	}
	s.Demo, err = loadDemo(ctx, filepath.Join(c.Dir, "demo.json"), s.BaseURL+inboxPath, s.App.Users, s.App.Merchants)
	if err != nil {
		return err
	}
	if err := makeCampaign(ctx, s.App.Campaigns, s.Demo.KeyID); err != nil {
		return err
	}
	s.inbox, err = NewInbox(s.Demo.Signing)
	return err
}

// listen takes the address to serve on, and sets BaseURL to where a browser on this machine finds it.
func (s *Sandbox) listen(ctx context.Context, address string) (err error) {
	if s.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", address); err != nil {
		return fmt.Errorf("listen on %s: %w; is another sandbox running? FLORIN_LISTEN or -listen picks another address",
			address, err)
	}
	host, port, err := net.SplitHostPort(s.listener.Addr().String())
	if err != nil {
		return fmt.Errorf("the address to serve on, %q, is not host:port: %w", address, err)
	}
	if ip := net.ParseIP(host); ip.IsUnspecified() || ip.Equal(net.IPv4(127, 0, 0, 1)) {
		host = "localhost"
	}
	s.BaseURL = "http://" + net.JoinHostPort(host, port)
	return nil
}

func (s *Sandbox) startChains(ctx context.Context, c Config) error {
	for _, n := range networks {
		dev, err := devchain.Start(devchain.Config{
			ChainID: n.chainID, Decimals: n.decimals, BlockTime: c.BlockTime, SafeDepth: n.safeDepth,
			DataDir: filepath.Join(c.Dir, "chains", n.network.Lower()),
		})
		if err != nil {
			return fmt.Errorf("start the development chain of %s: %w", n.network, err)
		}
		s.chains[n.network] = dev
		if err := dev.Setup(ctx); err != nil {
			return fmt.Errorf("set up the development chain of %s: %w", n.network, err)
		}
	}
	return nil
}

// gasFunds is the balance that a wallet that pays gas receives on a chain: 100 coins.
var gasFunds = new(big.Int).Mul(big.NewInt(100), big.NewInt(1e18))

// fundGas gives the gas wallet coins on every chain.
func (s *Sandbox) fundGas(ctx context.Context, key []byte) error {
	k, err := crypto.ToECDSA(key)
	if err != nil {
		return fmt.Errorf("the sandbox's gas key: %w", err)
	}
	wallet := crypto.PubkeyToAddress(k.PublicKey)
	for n, dev := range s.chains {
		if _, err := fund(ctx, dev, wallet); err != nil {
			return fmt.Errorf("the gas wallet on %s: %w", n, err)
		}
	}
	return nil
}

// demoUSDT is the balance that the demo wallet receives, in dollars.
const demoUSDT = 1_000 * money.USD

// fundDemo gives the demo merchant's wallet coins and USDT on BNB Smart Chain, so that it can buy query
// units.
func (s *Sandbox) fundDemo(ctx context.Context) error {
	dev, wallet := s.chains[chain.BEP20], common.HexToAddress(demoWallet)
	poor, err := fund(ctx, dev, wallet)
	if err != nil {
		return fmt.Errorf("the demo merchant's wallet: %w", err)
	}
	if !poor {
		return nil
	}
	usdt := dev.Tokens().USDT
	if _, err := dev.Mint(ctx, usdt.Address, wallet, demoUSDT.Units(int(usdt.Decimals)).Big()); err != nil {
		return fmt.Errorf("give the demo merchant's wallet USDT: %w", err)
	}
	dev.Commit()
	return nil
}

// fund gives a wallet coins if it has less than a tenth of gasFunds, and reports whether it did.
func fund(ctx context.Context, dev *devchain.Chain, wallet common.Address) (poor bool, err error) {
	has, err := dev.Client().BalanceAt(ctx, wallet, nil)
	if err != nil {
		return false, fmt.Errorf("read its coins: %w", err)
	}
	if has.Cmp(new(big.Int).Div(gasFunds, big.NewInt(10))) >= 0 {
		return false, nil
	}
	if _, err := dev.FundNative(ctx, wallet, gasFunds); err != nil {
		return false, fmt.Errorf("give it coins: %w", err)
	}
	dev.Commit()
	return true, nil
}

// treasury receives the sandbox's top-ups: the first account of the well-known test mnemonic "abandon …
// about".
var treasury = common.HexToAddress("0x9858EfFD232B4033E47d90003D41EC34EcaEda94")

const (
	// sweepWait is short, so that a user of the sandbox sees the money settle.
	sweepWait = "3s"
)

// environ is the server's configuration, as an operator would write it.
func (s *Sandbox) environ(c Config, secretKey, gasKey []byte) []string {
	env := []string{
		"FLORIN_LISTEN=" + c.Listen,
		"FLORIN_BASE_URL=" + s.BaseURL,
		"FLORIN_CHECKOUT_URL=" + s.BaseURL,
		"FLORIN_DATABASE_URL=sqlite://" + filepath.Join(c.Dir, "florin.db"),
		"FLORIN_SECRET_KEY=" + base64.StdEncoding.EncodeToString(secretKey),
		"FLORIN_EVM_GAS_KEY=0x" + hex.EncodeToString(gasKey),
		"FLORIN_ALLOW_PRIVATE_CALLBACKS=true",
		"FLORIN_INTROSPECTION=true",
		"FLORIN_SWEEP_WAIT=" + sweepWait,
		"FLORIN_DRAIN_WAIT=0s", // Ctrl-C ends it
		"FLORIN_RATE_FENCE=" + s.BaseURL + referencePath,
	}
	for n, dev := range s.chains {
		prefix, tokens := "FLORIN_"+string(n)+"_", dev.Tokens()
		env = append(env,
			prefix+"RPC="+dev.URL(),
			prefix+"USDT="+tokens.USDT.Address.Hex(),
			prefix+"USDC="+tokens.USDC.Address.Hex(),
			prefix+"TREASURY="+treasury.Hex(),
			prefix+"RATE_FEEDS="+feedSettings(),
			prefix+"EXPLORER="+s.BaseURL+"/sandbox/explorer/"+n.Lower(),
		)
	}
	return env
}

// Run serves until ctx ends, then stops everything.
func (s *Sandbox) Run(ctx context.Context) error {
	err := s.App.Run(ctx)
	s.App = nil
	return errors.Join(err, s.Close())
}

// Close stops the chains, and the server if it never ran.
func (s *Sandbox) Close() error {
	var errs []error
	if s.App != nil {
		errs = append(errs, s.App.Close())
		s.App = nil
	}
	for n, dev := range s.chains {
		errs = append(errs, dev.Close())
		delete(s.chains, n)
	}
	if s.sol != nil {
		errs = append(errs, s.sol.Close())
	}
	if s.listener != nil {
		if err := s.listener.Close(); !errors.Is(err, net.ErrClosed) { // the server closes it too
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// keptSecret returns the 32 random bytes stored in the file, creating it if there is none.
func keptSecret(path string) ([]byte, error) {
	key, err := keptText(path, func() (secret.Text, error) {
		random := make([]byte, 32)
		_, _ = rand.Read(random) // never fails
		return secret.New(string(random)), nil
	})
	if err == nil && len(key.Reveal()) != 32 {
		err = errDamaged(path)
	}
	return []byte(key.Reveal()), err
}

func errDamaged(path string) error {
	return fmt.Errorf("%s is damaged; delete the sandbox's directory to start again", path)
}
