package solana

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	node "github.com/florinpay/florin/internal/chain/endpoint"
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
// network's assets, as as many voices as a quorum report. An account that only one of them shows is disputed. Owners
// that fewer voices can read are named by a chain.UnreadError, and nothing of theirs is listed.
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
	var answers []owned
	var failed []error
	for _, e := range a.pool.voices() {
		if len(owners) == 0 || len(answers) > 0 && len(shortOf(a.Quorum(), owners, answers)) == 0 {
			break
		}
		answer, err := a.ownedOn(ctx, e, keys, l)
		if gaveUp(ctx) {
			return nil, ctx.Err()
		}
		if err != nil {
			failed = append(failed, e.named(err))
			continue
		}
		answers = append(answers, answer)
	}
	if len(answers) < a.Quorum() && len(owners) > 0 {
		failed = append(failed, chain.ErrNoEndpoint)
		return nil, fmt.Errorf("token accounts on %s: %w", a.profile.Network, errors.Join(failed...))
	}
	list := mostOf(answers)
	short := shortOf(a.Quorum(), owners, answers)
	if len(short) == 0 {
		return list, nil
	}
	return slices.DeleteFunc(list, func(x chain.TokenAccount) bool { return slices.Contains(short, x.Owner) }),
		&chain.UnreadError{Addresses: short, Reason: reasonOf(short[0], answers)}
}

// owned is what one endpoint lists, and why it cannot for some owners.
type owned struct {
	accounts []chain.TokenAccount
	unread   map[chain.Address]error
}

// ownedOn asks one endpoint. An owner for which it fails is found among the others.
func (a *Adapter) ownedOn(
	ctx context.Context, e *endpoint, owners []solanago.PublicKey, l chain.Listing,
) (answer owned, err error) {
	answer.unread = make(map[chain.Address]error)
	var mu sync.Mutex
	list := func(ctx context.Context, part []solanago.PublicKey) error {
		more, err := a.tokenAccounts(ctx, e, part, l)
		if err != nil {
			return rpc.NotTheNodes(err)
		}
		mu.Lock()
		defer mu.Unlock()
		answer.accounts = append(answer.accounts, more...)
		return nil
	}
	err = a.pool.try(ctx, e, func(ctx context.Context, e *endpoint) error {
		err := rpc.Isolated(ctx, new(rpc.Isolation), owners, list, func(key solanago.PublicKey, err error) error {
			answer.unread[chain.Address(key.String())] = e.named(err)
			return nil
		})
		if l > chain.ListDerived { // some providers refuse to list for anybody, and answer all else
			err = node.OfItem(err, rpc.Answered(err))
		}
		return err
	})
	return answer, err
}

// shortOf returns the owners that fewer answers than the quorum have read.
func shortOf(quorum int, owners []chain.Address, answers []owned) (short []chain.Address) {
	for _, owner := range owners {
		n := 0
		for _, answer := range answers {
			if answer.unread[owner] == nil {
				n++
			}
		}
		if n < quorum {
			short = append(short, owner)
		}
	}
	return short
}

// reasonOf says why an owner could not be read.
func reasonOf(owner chain.Address, answers []owned) string {
	for _, answer := range answers {
		if err := answer.unread[owner]; err != nil {
			return err.Error()
		}
	}
	return "too few endpoints answer"
}

// mostOf returns the accounts of all answers, each with the most that one of them shows.
func mostOf(answers []owned) []chain.TokenAccount {
	var list []chain.TokenAccount
	for _, answer := range answers {
		for _, x := range answer.accounts {
			if slices.ContainsFunc(list, func(o chain.TokenAccount) bool { return o.Account == x.Account }) {
				continue
			}
			list = append(list, most(x, answers))
		}
	}
	return list
}

// most returns the account with the most that an answer shows of it.
func most(x chain.TokenAccount, answers []owned) chain.TokenAccount {
	first := x.Units
	for _, answer := range answers {
		if answer.unread[x.Owner] != nil {
			continue
		}
		at := slices.IndexFunc(answer.accounts, func(o chain.TokenAccount) bool { return o.Account == x.Account })
		if at < 0 || answer.accounts[at].Units.Cmp(first) != 0 {
			x.Disputed = true
		}
		if at >= 0 && answer.accounts[at].Units.Cmp(x.Units) > 0 {
			x.Units = answer.accounts[at].Units
		}
	}
	return x
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
