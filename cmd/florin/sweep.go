package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store"
)

type rescue struct {
	Txnid       string `help:"Sweep everything on the payment's addresses, on every network that is on."                                    placeholder:"ID"`
	Address     string `help:"Sweep this deposit address."                                                                                  placeholder:"ADDRESS"`
	Network     string `help:"Search this network only: bep20, polygon, base or sol."                                                       placeholder:"NAME"`
	Token       string `help:"Only this token: USDT, USDC, native, or a token contract or mint."                                            placeholder:"TOKEN"`
	TrustWallet bool   `help:"Send money to a settlement wallet that is not the same contract on this network: its owner has confirmed it."`
	DryRun      bool   `help:"Only show what would be moved."`

	cfg   config.Config               `kong:"-"`
	ask   bool                        `kong:"-"` // before it sends
	named []settlement.DepositAddress `kong:"-"` // the selected addresses, on every network they were shown for
}

// Help returns the text that --help adds to the flags.
func (rescue) Help() string {
	return `
Sends on money that is not swept automatically: another token, the network's own
coin, or money that was paid on another EVM network than the chosen one. Deposit
addresses are the same on all of those and can pay the merchant's settlement
wallet only. A wallet that is a contract where it was named must be the same
contract on the network in question, or nothing is sent. On Solana it sends on
SOL and tokens of every mint of either token program, from every token account
of the owner, and from those that were made for such an account by mistake.

It takes turns with the sweeps of a running server. The gas wallet pays.

Examples:

    florin sweep --txnid 01JD… --dry-run
    florin sweep --address 0x… --network base --token native
    florin sweep --address 0x… --network bep20 --token 0x55d398326f99059fF775485246999027B3197955
    florin sweep --address HAgk… --network sol --token native
`
}

// rescueFor bounds the wait for the turn and for finality, which takes minutes on Base.
const rescueFor = time.Hour

// Run finds the money and sweeps it.
func (c rescue) Run(ctx context.Context, p *process) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	networks, err := c.networks(cfg)
	if err != nil {
		return err
	}
	if !c.DryRun && len(networks) == 1 {
		if err := needGas(cfg, networks[0].Profile.Network); err != nil {
			return err
		}
	}
	return p.withStore(ctx, cfg, func(s *store.Store) error {
		shown, err := c.shown(ctx, s)
		if err != nil {
			return err
		}
		c.cfg, c.named = cfg, shown
		found := false
		for _, n := range networks {
			did, err := c.on(ctx, p, cfg, n, s, shown)
			if err != nil {
				return err
			}
			found = found || did
		}
		if !found {
			return p.say("There is nothing to sweep.")
		}
		return nil
	})
}

// networks checks the flags and lists the networks to search.
func (c rescue) networks(cfg config.Config) ([]config.Network, error) {
	if (c.Txnid == "") == (c.Address == "") {
		return nil, fault.New(fault.Invalid, "say what to sweep: --txnid, or --address with --network and --token")
	}
	if c.Address != "" && (c.Network == "" || c.Token == "") {
		return nil, fault.New(fault.Invalid, "--address needs --network and --token")
	}
	if c.Network == "" {
		if len(cfg.Networks) == 0 {
			return nil, fault.New(
				fault.Invalid,
				"no network is on: set FLORIN_BEP20_RPC, FLORIN_POLYGON_RPC, FLORIN_BASE_RPC or FLORIN_SOL_RPC",
			)
		}
		return cfg.Networks, nil
	}
	n, err := network(cfg, c.Network)
	if err != nil {
		return nil, err
	}
	return []config.Network{n}, nil
}

// shown lists the selected addresses, with each network they were shown for.
func (c rescue) shown(ctx context.Context, s *store.Store) ([]settlement.DepositAddress, error) {
	var list []settlement.DepositAddress
	var err error
	if c.Txnid != "" {
		if list, err = s.Settlement().DepositAddressesOf(ctx, c.Txnid); err == nil && len(list) == 0 {
			err = fault.New(fault.NotFound, "payment %s is unknown, or has no address yet", c.Txnid)
		}
	} else {
		var at chain.Watched
		if at, err = chain.ParseAddress(chain.Network(strings.ToUpper(c.Network)), c.Address); err != nil {
			return nil, fault.New(fault.Invalid, "--address: %s", err.Error())
		}
		if list, err = s.Settlement().DepositAddressesAt(ctx, at.Address); err == nil && len(list) == 0 {
			err = fault.New(fault.NotFound, "%s was never shown to a payer by this installation", at.Address)
		}
	}
	return list, err
}

// checkWallet refuses a wallet that is not on this network what it is where it was
// named.
func (c rescue) checkWallet(ctx context.Context, a networkReader, n chain.Network, x settlement.DepositAddress) error {
	away, isEVM := a.(*evm.Adapter)
	if c.TrustWallet || !isEVM {
		return nil
	}
	var named []settlement.WalletCode
	for _, y := range c.named {
		if y.Address.Address != x.Address.Address {
			continue
		}
		if y.Network == n {
			return nil
		}
		code, err := c.codeOn(ctx, y.Network, x.Settlement)
		if err != nil {
			return err
		}
		named = append(named, settlement.WalletCode{Network: y.Network, Code: code})
	}
	here, err := away.Code(ctx, x.Settlement)
	if err != nil {
		return err
	}
	return settlement.CheckWallet(x.Settlement, named, settlement.WalletCode{Network: n, Code: here})
}

// codeOn reads the code of a wallet on a network where it was named.
func (c rescue) codeOn(ctx context.Context, n chain.Network, wallet chain.Address) (string, error) {
	on, err := network(c.cfg, string(n))
	if err != nil {
		return "", fault.New(fault.Unprocessable, "the settlement wallet %s was named on %s, which is off: turn it on, so that the wallet "+
			"can be compared, or add --trust-wallet if its owner confirms that it is theirs", wallet, n)
	}
	a, err := open(on)
	if err != nil {
		return "", err
	}
	return a.Code(ctx, wallet)
}

// on sweeps the addresses on one network, and reports whether there was anything to sweep.
func (c rescue) on(
	ctx context.Context, p *process, cfg config.Config, n config.Network, s *store.Store,
	shown []settlement.DepositAddress,
) (bool, error) {
	shown = settlement.On(n.Profile.Network, shown)
	if len(shown) == 0 {
		return false, nil
	}
	a, err := openReader(cfg, n)
	if err != nil {
		return false, err
	}
	if err := a.Check(ctx); err != nil {
		return false, err
	}
	var items []chain.SweepItem
	for _, x := range shown {
		found, err := c.items(ctx, a, n.Profile, x)
		if err == nil && len(found) > 0 {
			err = c.checkWallet(ctx, a, n.Profile.Network, x)
		}
		if err != nil {
			return false, err
		}
		items = append(items, found...)
	}
	if len(items) == 0 {
		return false, nil
	}
	if !c.DryRun {
		if err := record(ctx, s, a, items); err != nil {
			return false, err
		}
	}
	return true, c.sweep(ctx, p, cfg, n, s, items)
}

// sweep names the items, and moves them unless it is a dry run.
func (c rescue) sweep(
	ctx context.Context, p *process, cfg config.Config, n config.Network, s *store.Store, items []chain.SweepItem,
) error {
	would := "Sweeping"
	if c.DryRun || c.ask {
		would = "Would sweep"
	}
	for _, i := range items {
		from := []string{string(i.Address.Address)}
		for _, account := range i.Accounts {
			from = append(from, "token account "+string(account))
		}
		if err := p.say("%s %s %s on %s from %s to %s", would, i.Expected.Format(i.Asset.Decimals),
			i.Asset.Symbol, n.Profile.Name,
			strings.Join(from, ", "), i.Settlement); err != nil {
			return err
		}
	}
	if c.DryRun {
		return nil
	}
	if yes, err := p.confirmed(!c.ask); !yes || err != nil {
		return err
	}
	if err := needGas(cfg, n.Profile.Network); err != nil {
		return err
	}
	w, err := p.sweeper(cfg, n, s)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, rescueFor)
	defer cancel()
	w.OnWait = func(what string) { _ = p.say("Waiting: %s", what) }
	most := len(items)
	if !n.Profile.Network.EVM() {
		most = 1 // few fit a transaction, and one that cannot be moved keeps no other
	}
	var failed []error
	for part := range slices.Chunk(items, most) {
		done, err := w.Rescue(ctx, part)
		if err == nil {
			err = printOutcome(p, n.Profile, done)
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// errRescued: what a rescue moves of other token accounts may not be recorded.
var errRescued = fault.New(fault.Unavailable, "money on another token account is swept; it is read, so that it is recorded")

// record has the other token accounts of the items read by the server: no scan does by itself.
func record(ctx context.Context, s *store.Store, r chain.Reader, items []chain.SweepItem) error {
	for _, i := range items {
		if len(i.Accounts) == 0 {
			continue
		}
		if err := watch.RepairSince(
			ctx, s, r, payment.ID(i.PaymentID), time.Time{}, errRescued, time.Now(), i.Accounts...); err != nil {
			return err
		}
	}
	return nil
}

// items lists what an address holds of the selected assets.
func (c rescue) items(
	ctx context.Context, a networkReader, p chain.Profile, x settlement.DepositAddress,
) ([]chain.SweepItem, error) {
	var items []chain.SweepItem
	others, err := chain.TokenAccounts(ctx, a, []chain.Address{x.Address.Address}, chain.ListAll)
	if err != nil {
		return nil, err
	}
	for _, asset := range c.assets(p, others) {
		known, units, err := a.Token(ctx, asset, x.Address.Address)
		if err != nil {
			return nil, err
		}
		item := withAccounts(x.Item(known, units), others)
		if !item.Expected.IsZero() {
			items = append(items, item)
		}
	}
	if c.Token != "" && !strings.EqualFold(c.Token, "native") {
		return items, nil
	}
	coins, err := a.Coins(ctx, []chain.Address{x.Address.Address}, chain.Head{})
	if err != nil {
		return nil, err
	}
	if !coins[0].IsZero() {
		items = append(items, x.Item(p.CoinAsset(), coins[0]))
	}
	return items, nil
}

// withAccounts adds to the item what lies on other token accounts. Those of a mint that is not listed are all of its
// accounts.
func withAccounts(i chain.SweepItem, others []chain.TokenAccount) chain.SweepItem {
	for _, x := range others {
		if x.Asset.Contract != i.Asset.Contract {
			continue
		}
		if len(i.Accounts) == 0 && !x.Asset.Listed() {
			i.Expected = money.Units{}
		}
		i.Expected, i.Accounts = i.Expected.Add(x.Units), append(i.Accounts, x.Account)
	}
	return i
}

// assets lists the selected contracts, without a selection also those of the other accounts.
func (c rescue) assets(p chain.Profile, others []chain.TokenAccount) []chain.Address {
	if strings.EqualFold(c.Token, "native") {
		return nil
	}
	var list []chain.Address
	for _, a := range p.Assets {
		if c.Token == "" || strings.EqualFold(c.Token, string(a.Token)) {
			list = append(list, a.Contract)
		}
	}
	if c.Token != "" && len(list) == 0 {
		list = append(list, chain.Address(c.Token))
	}
	for _, x := range others {
		if c.Token == "" && !slices.Contains(list, x.Asset.Contract) {
			list = append(list, x.Asset.Contract)
		}
	}
	return list
}

// printOutcome prints how a sweep ended.
func printOutcome(p *process, n chain.Profile, done settlement.Sweep) error {
	if done.State == settlement.Failed {
		return errors.New("the transaction " + string(done.Tx) + " failed; nothing was moved")
	}
	if done.State != settlement.Confirmed {
		return errors.New("nothing was moved: " + done.Note)
	}
	for _, m := range done.Moved {
		for _, i := range done.Items {
			if i.Address.Address == m.Address && i.Asset.Contract == m.Contract {
				amount := m.Units.Format(i.Asset.Decimals)
				err := p.say("Moved %s %s to %s in %s", amount, i.Asset.Symbol, i.Settlement, n.TxURL(done.Tx))
				if err != nil {
					return err
				}
			}
		}
	}
	if len(done.Unmoved) > 0 {
		u := done.Unmoved[0]
		return fault.New(
			fault.Unprocessable, "%d could not be moved; %s from %s: %s", len(done.Unmoved), u.Contract,
			u.Address, u.Reason,
		)
	}
	if len(done.Moved) == 0 {
		return errors.New("the address was empty when it was swept; another instance may have swept it")
	}
	return nil
}
