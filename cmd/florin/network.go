package main

import (
	"cmp"
	"context"
	"log/slog"
	"strings"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/doctor"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store"
)

// network finds the configured network by its name, in upper or lower case.
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

// networkReader reads a network for the commands: deposits, tokens of any contract, and the native coin.
type networkReader interface {
	doctor.Reader
	Token(ctx context.Context, contract, holder chain.Address) (chain.Asset, money.Units, error)
}

var (
	_ networkReader = (*evm.Adapter)(nil)
	_ networkReader = (*solana.Adapter)(nil)
)

// openReader opens a network for reading. On Solana it reads the history of every account, because commands search for
// what the server may have missed.
func openReader(cfg config.Config, n config.Network) (networkReader, error) {
	if n.Profile.Network.EVM() {
		return open(n)
	}
	return openSolana(cfg, n)
}

func openSolana(cfg config.Config, n config.Network) (*solana.Adapter, error) {
	c := solana.Config{
		Profile: n.Profile, Thorough: true, Sweeps: solana.SweepsAddress(cfg.SolSeed),
		Rate: cmp.Or(n.CallRate(), endpoint.UnlimitedRate),
	}
	for _, e := range n.Endpoints() {
		c.Endpoints = append(c.Endpoints, e.Reveal())
	}
	return solana.New(c)
}

// errNoSweepGas: without a gas wallet nothing can be swept on EVM networks.
var errNoSweepGas = fault.New(
	fault.Invalid,
	"FLORIN_EVM_GAS_KEY is not set: the gas wallet pays for sweeps; make one with `florin keygen --evm`",
)

// errNoSolanaGas: without a gas wallet nothing can be swept on Solana.
var errNoSolanaGas = fault.New(
	fault.Invalid,
	"FLORIN_SOL_GAS_KEY is not set: the gas wallet pays for sweeps; make one with `florin keygen --sol`",
)

// needGas fails if the network's gas wallet is not configured.
func needGas(cfg config.Config, n chain.Network) error {
	switch {
	case n.EVM() && cfg.EVMGas == nil:
		return errNoSweepGas
	case !n.EVM() && cfg.SolGas == nil:
		return errNoSolanaGas
	}
	return nil
}

// sweepSender returns the sender that signs and broadcasts the network's sweeps.
func sweepSender(cfg config.Config, n config.Network) (chain.SweepSender, error) {
	if !n.Profile.Network.EVM() {
		a, err := openSolana(cfg, n)
		if err != nil {
			return nil, err
		}
		with := solana.SenderConfig{Gas: cfg.SolGas, Seed: cfg.SolSeed}
		return solana.NewSender(a, with), nil
	}
	a, err := open(n)
	if err != nil {
		return nil, err
	}
	return sender.NewSweeps(a, sender.Config{Signer: cfg.EVMGas, MaxPrice: n.MaxGasPrice}), nil
}

// sweeper returns a sweeper of the network, which takes turns with the server's.
func (p *process) sweeper(cfg config.Config, n config.Network, s *store.Store) (*settlement.Sweeper, error) {
	sender, err := sweepSender(cfg, n)
	if err != nil {
		return nil, err
	}
	holder, policy := string(app.NewSweepID(app.Now())), app.SweepPolicy(cfg)
	return settlement.New(sender, s.Settlement(), policy, holder, app.Now, app.NewSweepID, p.warnings()), nil
}

// warnings returns a logger that drops everything below a warning: the command prints its own progress.
func (p *process) warnings() *slog.Logger {
	return slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
