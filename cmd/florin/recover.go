package main

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store"
)

type recovery struct {
	Txnid       string `help:"The payment's txnid."                                                                                         placeholder:"ID"      required:""`
	Settlement  string `help:"The settlement wallet that its money goes to."                                                                placeholder:"ADDRESS" required:""`
	Network     string `help:"Search this network only: bep20, polygon, base or sol."                                                       placeholder:"NAME"`
	Token       string `help:"Only this token: USDT, USDC, native, or a token contract or mint."                                            placeholder:"TOKEN"`
	TrustWallet bool   `help:"Send money to a settlement wallet that is not the same contract on this network: its owner has confirmed it."`
	DryRun      bool   `help:"Only show what would be moved."`
	Yes         bool   `help:"Do not ask before sending."`
}

// Help returns the text that --help adds to the flags.
func (recovery) Help() string {
	return `
Brings money home that lies on the address of a payment which the database does
not know: one of the time that was lost with a disk, or with a restored backup.
The address derives from the txnid and the settlement wallet, on Solana from the
txnid and FLORIN_SOL_SEED; /docs/addresses describes it. The command shows the
address and what lies there, on every network that is on, asks when it is run at
a terminal, and sweeps it. A new database will do. Where a server is running, the
two take turns.

On EVM networks another wallet has another address, so a mistake finds nothing.
On Solana the address does not depend on the wallet: take care that it is the
merchant's. A payment that the database knows goes to its own wallet only.

Examples:

    florin recover --txnid 01JD… --settlement 0x… --dry-run
    florin recover --txnid 01JD… --settlement 0x… --network polygon
    florin recover --txnid 01JD… --settlement HAgk…
`
}

// Run finds the address, and sweeps what lies there.
func (c recovery) Run(ctx context.Context, p *process) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	id, err := chain.ParseTxnID(c.Txnid)
	if err != nil {
		return fault.New(fault.Invalid, "--txnid: %s", err.Error())
	}
	c.Txnid = id.String()
	networks, err := c.networks(cfg)
	if err != nil {
		return err
	}
	return p.withStore(ctx, cfg, func(s *store.Store) error {
		known, err := s.Settlement().DepositAddressesOf(ctx, c.Txnid)
		if err != nil {
			return err
		}
		found := false
		for _, n := range networks {
			did, err := c.on(ctx, p, cfg, n, s, known)
			if err != nil {
				return err
			}
			found = found || did
		}
		if !found {
			return p.say("There is nothing to recover.")
		}
		return nil
	})
}

// networks lists the networks that are on and on which the settlement wallet can be.
func (c recovery) networks(cfg config.Config) ([]config.Network, error) {
	list := cfg.Networks
	if c.Network != "" {
		n, err := network(cfg, c.Network)
		if err != nil {
			return nil, err
		}
		list = []config.Network{n}
	}
	var fit []config.Network
	var why error
	for _, n := range list {
		if _, err := chain.ParseAddress(n.Profile.Network, c.Settlement); err != nil {
			why = fault.New(fault.Invalid, "--settlement: %s", err.Error())
			continue
		}
		fit = append(fit, n)
	}
	switch {
	case len(fit) > 0:
		return fit, nil
	case c.Network != "" || !c.isWallet():
		return nil, why
	}
	return nil, fault.New(fault.Invalid, "no network is on to which the settlement wallet belongs: set its FLORIN_…_RPC")
}

// isWallet reports whether the settlement wallet is an address of any network.
func (c recovery) isWallet() bool {
	for _, n := range chain.Networks() {
		if _, err := chain.ParseAddress(n, c.Settlement); err == nil {
			return true
		}
	}
	return false
}

// on recovers what lies on one network, and reports whether there was anything.
func (c recovery) on(
	ctx context.Context, p *process, cfg config.Config, n config.Network, s *store.Store,
	known []settlement.DepositAddress,
) (bool, error) {
	at, err := c.address(cfg, n.Profile.Network)
	if err != nil {
		return false, err
	}
	for _, k := range known {
		if k.Address.Address == at.Address.Address && k.Settlement != at.Settlement {
			return false, fault.New(
				fault.Conflict, "payment %s is in the database, and settles to %s; `florin sweep --txnid %[1]s` sends its money there",
				c.Txnid, k.Settlement,
			)
		}
	}
	if err := p.say("%s on %s is %s.", c.Txnid, n.Profile.Name, at.Address.Address); err != nil {
		return false, err
	}
	a, err := openReader(cfg, n)
	if err != nil {
		return false, err
	}
	if err := a.Check(ctx); err != nil {
		return false, err
	}
	items, err := rescue{Token: c.Token}.items(ctx, a, n.Profile, at)
	if err != nil || len(items) == 0 {
		return false, err
	}
	if err := c.checkWallet(ctx, cfg, a, n.Profile.Network, at.Settlement); err != nil {
		return false, err
	}
	return true, rescue{DryRun: c.DryRun, ask: !c.Yes}.sweep(ctx, p, cfg, n, s, items)
}

// address derives the deposit address, with the wallet in its canonical form.
func (c recovery) address(cfg config.Config, n chain.Network) (settlement.DepositAddress, error) {
	wallet, err := chain.ParseAddress(n, c.Settlement)
	if err != nil {
		return settlement.DepositAddress{}, err
	}
	var d chain.Depositor = evm.NewDepositor(n)
	if !n.EVM() {
		d = solana.NewDepositor(cfg.SolSeed)
	}
	from := chain.Settlement{Network: n, Wallet: wallet.Address, PaymentID: c.Txnid, Scheme: chain.SchemeTxnID}
	at, err := d.DepositAddress(from)
	if err != nil {
		return settlement.DepositAddress{}, err
	}
	return settlement.DepositAddress{
		PaymentID: c.Txnid, Scheme: from.Scheme, Network: n, Address: at, Settlement: wallet.Address,
	}, nil
}

// checkWallet refuses a wallet that is a contract on another network and not the same one here: it is not known for
// which network the merchant named it. Networks that are off are not asked.
func (c recovery) checkWallet(
	ctx context.Context, cfg config.Config, a networkReader, n chain.Network, wallet chain.Address,
) error {
	reader, isEVM := a.(*evm.Adapter)
	if c.TrustWallet || !isEVM {
		return nil
	}
	code, err := reader.Code(ctx, wallet)
	if err != nil {
		return err
	}
	here := settlement.WalletCode{Network: n, Code: code}
	for _, other := range cfg.Networks {
		if !other.Profile.Network.EVM() || other.Profile.Network == n {
			continue
		}
		away, err := open(other)
		if err != nil {
			return err
		}
		code, err := away.Code(ctx, wallet)
		if err != nil {
			return fmt.Errorf("compare the settlement wallet with %s: %w", other.Profile.Name, err)
		}
		if code == "" {
			continue
		}
		named := []settlement.WalletCode{{Network: other.Profile.Network, Code: code}}
		if err := settlement.CheckWallet(wallet, named, here); err != nil {
			return err
		}
	}
	return nil
}
