package solana

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
	"github.com/florinpay/florin/internal/money"
)

// A payer is shown the owner, and most wallets pay the owner's associated account. Some make another account for the
// owner, or pay in a mint of Token-2022; and a payer who copies the address of a token account from an explorer makes
// the wallet create the associated account of that account, which is called nested. All of these are under the owner's
// key: the owner signs for its accounts, and for nested ones by RecoverNested of the Associated Token Account program.

var _ chain.TokenLister = (*Adapter)(nil)

// parents lists whose token accounts are under the owner's key: the owner, and its associated accounts, which are the
// parents of nested ones.
func parents(addresses *rpc.Accounts, owner solanago.PublicKey, mints []mint) []solanago.PublicKey {
	list := []solanago.PublicKey{owner}
	for _, m := range mints {
		list = append(list, addresses.Of(owner, m.key))
	}
	return list
}

// under returns whether the owner of a token account is a parent.
func under(addresses *rpc.Accounts, owner solanago.PublicKey, mints []mint) func(string) bool {
	list := parents(addresses, owner, mints)
	return func(text string) bool {
		return slices.ContainsFunc(list, func(k solanago.PublicKey) bool { return k.String() == text })
	}
}

// Under lists the owner's associated accounts.
func (a *Adapter) Under(owner chain.Address) (list []chain.Address) {
	key, err := parseKey(string(owner))
	if err != nil {
		return nil
	}
	for _, k := range parents(a.addresses, key, a.mints)[1:] {
		list = append(list, chain.Address(k.String()))
	}
	return list
}

// assetOf returns the asset of what changed. One that is not of the network is named by its address.
func (a *Adapter) assetOf(c rpc.Change) chain.Asset {
	asset := rpc.AssetOf(a.profile, c.Mint)
	if asset.Symbol == "" {
		asset.Symbol, asset.Decimals = c.Mint, c.Decimals
	}
	return asset
}

// TokenAccounts lists what lies under the keys of the owners on other accounts than the associated ones of the
// network's assets, as as many voices as a quorum report. An account that only one of them shows is disputed.
func (a *Adapter) TokenAccounts(
	ctx context.Context, owners []chain.Address, l chain.Listing,
) ([]chain.TokenAccount, error) {
	keys := make([]solanago.PublicKey, len(owners))
	for i, text := range owners {
		var err error
		if keys[i], err = parseKey(string(text)); err != nil {
			return nil, err
		}
	}
	var answers [][]chain.TokenAccount
	var failed []error
	for _, e := range a.pool.voices() {
		if len(answers) == a.Quorum() {
			break
		}
		var list []chain.TokenAccount
		err := a.pool.try(ctx, e, func(ctx context.Context, e *endpoint) (err error) {
			list, err = a.tokenAccounts(ctx, e, keys, l)
			return rpc.NotTheNodes(err)
		})
		if gaveUp(ctx) {
			return nil, ctx.Err()
		}
		if err != nil {
			failed = append(failed, e.named(err))
			continue
		}
		answers = append(answers, list)
	}
	if len(answers) < a.Quorum() {
		failed = append(failed, chain.ErrNoEndpoint)
		return nil, fmt.Errorf("token accounts on %s: %w", a.profile.Network, errors.Join(failed...))
	}
	return mostOf(answers), nil
}

// mostOf returns the accounts of all answers, each with the most that one of them shows.
func mostOf(answers [][]chain.TokenAccount) []chain.TokenAccount {
	var list []chain.TokenAccount
	for _, x := range slices.Concat(answers...) {
		if slices.ContainsFunc(list, func(o chain.TokenAccount) bool { return o.Account == x.Account }) {
			continue
		}
		first := x.Units
		for _, answer := range answers {
			at := slices.IndexFunc(answer, func(o chain.TokenAccount) bool { return o.Account == x.Account })
			if at < 0 || answer[at].Units.Cmp(first) != 0 {
				x.Disputed = true
			}
			if at >= 0 && answer[at].Units.Cmp(x.Units) > 0 {
				x.Units = answer[at].Units
			}
		}
		list = append(list, x)
	}
	return list
}

// listing is what one endpoint is asked.
type listing struct {
	ownerOf    map[solanago.PublicKey]solanago.PublicKey // of parents
	associated map[solanago.PublicKey]bool               // accounts that Balances counts
	derived    []solanago.PublicKey                      // accounts of the associated ones
	asked      []solanago.PublicKey                      // parents that are asked for their accounts
}

func (a *Adapter) listing(owners []solanago.PublicKey, l chain.Listing) listing {
	x := listing{
		ownerOf:    make(map[solanago.PublicKey]solanago.PublicKey),
		associated: make(map[solanago.PublicKey]bool),
	}
	for _, owner := range owners {
		for i, parent := range parents(a.addresses, owner, a.mints) {
			x.ownerOf[parent] = owner
			if i == 0 && l >= chain.ListOwned || i > 0 && l >= chain.ListAll {
				x.asked = append(x.asked, parent)
			}
			for _, m := range a.mints {
				if key := a.addresses.Of(parent, m.key); i == 0 {
					x.associated[key] = true
				} else {
					x.derived = append(x.derived, key)
				}
			}
		}
	}
	return x
}

// read asks one endpoint for the accounts.
func (x listing) read(ctx context.Context, e *endpoint) (found []rpc.Owned, err error) {
	held, err := e.Holdings(ctx, x.derived, 0)
	if err != nil {
		return nil, err
	}
	for i, h := range held {
		if h.Valid {
			found = append(found, rpc.Owned{Key: x.derived[i], Holding: h})
		}
	}
	listed := make([][]rpc.Owned, chain.ListCalls*len(x.asked))
	err = rpc.Each(ctx, x.asked, 1, func(ctx context.Context, one []solanago.PublicKey, at int) (err error) {
		for i, program := range []solanago.PublicKey{solanago.TokenProgramID, solanago.Token2022ProgramID} {
			if listed[chain.ListCalls*at+i], err = e.TokenAccountsOf(ctx, one[0], program); err != nil {
				return err
			}
		}
		return nil
	})
	return slices.Concat(found, slices.Concat(listed...)), err
}

// tokenAccounts is TokenAccounts through one endpoint.
func (a *Adapter) tokenAccounts(
	ctx context.Context, e *endpoint, owners []solanago.PublicKey, l chain.Listing,
) (list []chain.TokenAccount, err error) {
	x := a.listing(owners, l)
	found, err := x.read(ctx, e)
	if err != nil {
		return nil, err
	}
	seen := make(map[solanago.PublicKey]bool)
	for _, f := range found {
		owner, ours := x.ownerOf[f.Owner]
		if !ours || x.associated[f.Key] || seen[f.Key] || f.Amount == 0 {
			continue
		}
		seen[f.Key] = true
		list = append(list, chain.TokenAccount{
			Owner: chain.Address(owner.String()), Account: chain.Address(f.Key.String()),
			Asset: a.assetOf(rpc.Change{Mint: f.Mint.String()}), Units: money.UnitsFromUint64(f.Amount),
		})
	}
	slices.SortFunc(list, func(a, b chain.TokenAccount) int {
		if a.Asset.Listed() != b.Asset.Listed() {
			if a.Asset.Listed() {
				return -1
			}
			return 1
		}
		return cmp.Or(b.Units.Cmp(a.Units), cmp.Compare(a.Account, b.Account))
	})
	list = mostPerOwner(list)
	return list, a.addDecimals(ctx, e, list)
}

// accountsPerOwner bounds what is listed of one owner: anyone can make accounts. Those of listed assets come first, the
// largest before the others.
const accountsPerOwner = 32

func mostPerOwner(list []chain.TokenAccount) []chain.TokenAccount {
	counts := make(map[chain.Address]int)
	return slices.DeleteFunc(list, func(x chain.TokenAccount) bool {
		counts[x.Owner]++
		return counts[x.Owner] > accountsPerOwner
	})
}

// addDecimals reads the decimals of the mints that are not assets of the network.
func (a *Adapter) addDecimals(ctx context.Context, e *endpoint, list []chain.TokenAccount) error {
	var keys []solanago.PublicKey
	for _, x := range list {
		key, err := parseKey(string(x.Asset.Contract))
		if err == nil && !x.Asset.Listed() && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	mints, err := e.Mints(ctx, keys)
	if err != nil {
		return err
	}
	for i := range list {
		asset := &list[i].Asset
		at := slices.IndexFunc(keys, func(k solanago.PublicKey) bool { return k.String() == string(asset.Contract) })
		if at >= 0 {
			asset.Decimals = int(mints[at].Decimals)
		}
	}
	return nil
}
