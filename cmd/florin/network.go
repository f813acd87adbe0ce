package main

import (
	"context"
	"log/slog"
	"strings"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/sweep"
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

// evmNetworks lists the EVM networks that are on.
func evmNetworks(cfg config.Config) []config.Network {
	var list []config.Network
	for _, n := range cfg.Networks {
		if n.Profile.Network.EVM() {
			list = append(list, n)
		}
	}
	return list
}

// sweeper returns a sweeper of the network, which shares its turns with the
// server's.
func (p *process) sweeper(ctx context.Context, cfg config.Config, n config.Network, a *evm.Adapter, s *store.Store) (*sweep.Sweeper, error) {
	instance, err := s.InstanceID(ctx)
	if err != nil {
		return nil, err
	}
	sender := evm.NewSender(a, evm.SenderConfig{Signer: cfg.EVMGas, Instance: instance, MaxPrice: n.MaxGasPrice})
	holder := string(app.NewSweepID(app.Now()))
	return sweep.New(sender, s, app.SweepPolicy(cfg), holder, app.Now, app.NewSweepID, p.warnings()), nil
}

// warnings returns a logger for what a command runs that is the server's
// otherwise: the command itself tells what it does.
func (p *process) warnings() *slog.Logger {
	return slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
