package main

import (
	"context"
	"errors"
	"strings"

	"golang.org/x/term"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/fault"
)

var errNoGasKey = fault.New(fault.Invalid,
	"FLORIN_EVM_GAS_KEY is not set: the gas wallet pays for the deployment; make one with `florin keygen --evm`")

// coinDecimals is the scale of the native coin on every EVM network.
const coinDecimals = 18

type deploy struct {
	Network string `help:"bep20, polygon or base."       placeholder:"NAME" required:""`
	Plan    bool   `help:"Only show what it would take."`
	Yes     bool   `help:"Do not ask before spending."`
}

// Help returns the text that --help adds to the flags.
func (deploy) Help() string {
	return `
Puts the contract that makes deposit addresses on a network, once for each
network, at the same address everywhere. The gas wallet (FLORIN_EVM_GAS_KEY)
pays. Contracts that exist are not deployed again, so the command may be stopped
and repeated at any point.

Examples:

    florin deploy --network base --plan
    florin deploy --network base
`
}

// Run deploys.
func (c deploy) Run(ctx context.Context, p *process) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	n, err := c.network(cfg)
	if err != nil {
		return err
	}
	if cfg.EVMGas == nil {
		return errNoGasKey
	}
	adapter, err := open(n)
	if err != nil {
		return err
	}
	plan, err := sender.NewDeployer(adapter).Plan(ctx, cfg.EVMGas.Address())
	if err != nil {
		return err
	}
	if err := c.show(p, n.Profile, plan); err != nil || len(plan.Steps) == 0 || c.Plan {
		return err
	}
	if err := c.agree(p); err != nil {
		return err
	}
	record := func(_ context.Context, tx sender.SignedStep) error { return p.say("sending %s: %s", tx.Tx, tx.Step) }
	if err := sender.NewDeployer(adapter).Deploy(ctx, plan, cfg.EVMGas, record); err != nil {
		return err
	}
	return p.say("The factory is at %s on %s.", plan.Factory, n.Profile.Name)
}

func (c deploy) network(cfg config.Config) (config.Network, error) {
	name := strings.ToUpper(c.Network)
	network, err := chain.ParseNetwork(name)
	if err != nil || !network.EVM() {
		return config.Network{}, fault.New(
			fault.Invalid, "--network must be bep20, polygon or base; Solana needs no deployment",
		)
	}
	n, on := cfg.Network(network)
	if !on {
		return config.Network{}, fault.New(fault.Invalid, "%s is off: set FLORIN_%s_RPC", name, name)
	}
	return n, nil
}

func open(n config.Network) (*evm.Adapter, error) {
	var endpoints []string
	for _, e := range n.Endpoints() {
		endpoints = append(endpoints, e.Reveal())
	}
	return evm.New(evm.Config{Profile: n.Profile, Endpoints: endpoints, Rate: n.CallRate()})
}

// show prints the steps of the plan and the most they cost.
func (c deploy) show(p *process, n chain.Profile, plan sender.DeployPlan) error {
	if len(plan.Steps) == 0 {
		return p.say("The factory is already at %s on %s.", plan.Factory, n.Name)
	}
	balance := plan.Balance.Format(coinDecimals)
	if err := p.say("On %s, paid by %s, which holds %s %s:", n.Name, plan.Wallet, balance, n.Coin); err != nil {
		return err
	}
	if err := p.say("The factory will be at %s.", plan.Factory); err != nil {
		return err
	}
	for _, s := range plan.Steps {
		if err := p.say("  %s, at most %s %s", s.Name, s.Cost.Format(coinDecimals), n.Coin); err != nil {
			return err
		}
	}
	if plan.Affordable() {
		return nil
	}
	return fault.New(fault.PaymentRequired, "the gas wallet %s cannot pay for it: it holds %s of %s %s",
		plan.Wallet, plan.Balance.Format(coinDecimals), plan.Cost().Format(coinDecimals), n.Coin)
}

// agree asks the operator to confirm, unless --yes is set.
func (c deploy) agree(p *process) error {
	if c.Yes {
		return nil
	}
	if !term.IsTerminal(int(p.stdin.Fd())) {
		return errors.New("there is no terminal to confirm on; repeat with --yes")
	}
	if err := p.say("Go ahead? Type yes:"); err != nil {
		return err
	}
	answer, err := p.readLine()
	if err == nil && answer != "yes" {
		err = errors.New("nothing was deployed")
	}
	return err
}
