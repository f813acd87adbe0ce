package main

import (
	"context"
	"log/slog"
	"strings"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store"
)

// network finds the configured network of a name as people type it.
func network(cfg config.Config, name string) (config.Network, error) {
	name = strings.ToUpper(name)
	n, err := chain.ParseNetwork(name)
	if err != nil {
		return config.Network{}, fault.New(fault.Invalid, "--network must be bep20, polygon, base or sol")
	}
	x, on := cfg.Network(n)
	if !on {
		return config.Network{}, fault.New(fault.Invalid, "%s is off: set FLORIN_%[1]s_RPC", name)
	}
	return x, nil
}

// home is a network that is read, and whose addresses' money is told: tokens
// of any contract, and the native coin.
type home interface {
	chain.Reader
	Token(ctx context.Context, contract, holder chain.Address) (chain.Asset, money.Units, error)
	Coins(ctx context.Context, addresses []chain.Address, at chain.Head) ([]money.Units, error)
	Coin() chain.Asset
}

var (
	_ home = (*evm.Adapter)(nil)
	_ home = (*solana.Adapter)(nil)
)

// openHome opens a network for reading. On Solana it reads every history: what
// a command looks into is what the server may have missed.
func openHome(cfg config.Config, n config.Network) (home, error) {
	if n.Profile.Network.EVM() {
		return open(n)
	}
	return openSolana(cfg, n)
}

func openSolana(cfg config.Config, n config.Network) (*solana.Adapter, error) {
	c := solana.Config{Profile: n.Profile, Thorough: true}
	for _, e := range n.RPC {
		c.Endpoints = append(c.Endpoints, e.Reveal())
	}
	if cfg.SolGas != nil {
		c.Gas = cfg.SolGas.Wallet()
	}
	return solana.New(c)
}

// errNoSweepGas: nothing can be swept on EVM networks without a gas wallet.
var errNoSweepGas = fault.New(
	fault.Invalid,
	"FLORIN_EVM_GAS_KEY is not set: the gas wallet pays for sweeps; make one with `florin keygen --evm`",
)

// errNoSolanaGas is the same on Solana.
var errNoSolanaGas = fault.New(
	fault.Invalid,
	"FLORIN_SOL_GAS_KEY is not set: the gas wallet pays for sweeps; make one with `florin keygen --sol`",
)

// needGas fails where the network's gas wallet is not configured.
func needGas(cfg config.Config, n chain.Network) error {
	switch {
	case n.EVM() && cfg.EVMGas == nil:
		return errNoSweepGas
	case !n.EVM() && cfg.SolGas == nil:
		return errNoSolanaGas
	}
	return nil
}

// sender returns what signs and sends the network's sweeps.
func (p *process) sender(
	ctx context.Context, cfg config.Config, n config.Network, s *store.Store,
) (chain.SweepSender, error) {
	if !n.Profile.Network.EVM() {
		a, err := openSolana(cfg, n)
		if err != nil {
			return nil, err
		}
		return solana.NewSender(
			a, solana.SenderConfig{Gas: cfg.SolGas, Seed: cfg.SolSeed, MaxPrice: n.MaxPriorityFee},
		), nil
	}
	a, err := open(n)
	if err != nil {
		return nil, err
	}
	instance, err := s.InstanceID(ctx)
	if err != nil {
		return nil, err
	}
	return sender.NewSweeps(a, sender.Config{Signer: cfg.EVMGas, Instance: instance, MaxPrice: n.MaxGasPrice}), nil
}

// sweeper returns a sweeper of the network, which shares its turns with the
// server's.
func (p *process) sweeper(
	ctx context.Context, cfg config.Config, n config.Network, s *store.Store,
) (*settlement.Sweeper, error) {
	sender, err := p.sender(ctx, cfg, n, s)
	if err != nil {
		return nil, err
	}
	holder := string(app.NewSweepID(app.Now()))
	return settlement.New(sender, s, app.SweepPolicy(cfg), holder, app.Now, app.NewSweepID, p.warnings()), nil
}

// warnings returns a logger for what a command runs that is the server's
// otherwise: the command itself tells what it does.
func (p *process) warnings() *slog.Logger {
	return slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
