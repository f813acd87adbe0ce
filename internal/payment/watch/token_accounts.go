package watch

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// errUnlisted: money came in a token that is none of the network's.
var errUnlisted = fault.New(fault.Unavailable,
	"another token lies under the key of the address; it is read, so that it is recorded")

// accounts are token accounts by the address whose key controls them.
type accounts map[chain.Address][]chain.TokenAccount

// sum is what lies on the accounts of an address in an asset.
func (all accounts) sum(asset chain.Asset, a chain.Address) (sum money.Units) {
	for _, x := range all[a] {
		if x.Asset.Contract == asset.Contract {
			sum = sum.Add(x.Units)
		}
	}
	return sum
}

// of lists the accounts under the key of the route's address.
func (all accounts) of(r payment.Route) (list []chain.Address) {
	for _, x := range all[r.Address.Address] {
		list = append(list, x.Account)
	}
	return list
}

// assets adds those of the accounts to the network's.
func (all accounts) assets(listed []chain.Asset) []chain.Asset {
	list := slices.Clone(listed)
	for _, of := range all {
		for _, x := range of {
			if !x.Asset.Listed() && !slices.Contains(list, x.Asset) {
				list = append(list, x.Asset)
			}
		}
	}
	return list
}

// listWait is how long after its expiry a payment waits for its token accounts where listing them fails: some providers
// do not allow for it. The daily comparison and look-ups find what lies there, as late money.
const listWait = time.Minute

// listRest is the pause after a list that failed.
const listRest = 20 * time.Second

// listed is what was listed of an address, and when.
type listed struct {
	at       time.Time
	accounts []chain.TokenAccount
}

// tokenAccounts lists what lies under the keys of the payments' addresses beside what balances show, and returns the
// payments that do not wait for it. Those with money there that is recorded are always asked for it all, and of the
// others as many as the allowance lets.
func (e *Expirer) tokenAccounts(ctx context.Context, s scanned) (accounts, []payment.Payment, error) {
	due := s.due
	if _, lists := s.reader.(chain.TokenLister); !lists {
		return nil, due, nil
	}
	maps.DeleteFunc(e.lists, func(_ chain.Address, l listed) bool { return e.now().Sub(l.at) >= earlyEvery })
	var known, others []chain.Address
	for _, p := range due {
		route, _ := p.WatchedOn(s.network)
		switch _, lately := e.lists[route.Address.Address]; {
		case lately:
		case len(p.AccountsOn(route, nil)) > 0:
			known = append(known, route.Address.Address)
		default:
			others = append(others, route.Address.Address)
		}
	}
	allowed := e.Lists[s.network].Take(len(others))
	asked, derived := slices.Concat(known, others[:allowed]), others[allowed:]
	list, err := e.listOwned(ctx, s, asked)
	unread := unreadOf(err, asked)
	due = without(due, s.network, unread, func(p payment.Payment) bool { return e.now().Sub(p.ExpiresAt) < listWait })
	has := func(a chain.Address) bool { return slices.Contains(unread, a) }
	asked, derived = slices.DeleteFunc(asked, has), slices.Concat(unread, derived)
	rest, err := chain.TokenAccounts(ctx, s.reader, derived, chain.ListDerived)
	if err != nil {
		if _, some := errors.AsType[*chain.UnreadError](err); !some {
			return nil, nil, err
		}
		e.log.Warn("token accounts cannot be read", "network", s.network, "error", err)
		due = without(due, s.network, unreadOf(err, nil), func(p payment.Payment) bool {
			e.pauses[repairKey{s.network, unreadKey + p.ID}] = e.now().Add(balancesPause)
			return true
		})
	}
	all := make(accounts)
	for _, x := range slices.Concat(list, rest) {
		all[x.Owner] = append(all[x.Owner], x)
	}
	for _, a := range asked {
		e.lists[a] = listed{e.now(), all[a]}
	}
	for a, l := range e.lists {
		all[a] = l.accounts
	}
	return all, due, nil
}

// unreadOf returns which of the addresses that were asked about could not be read.
func unreadOf(err error, asked []chain.Address) []chain.Address {
	if unread, some := errors.AsType[*chain.UnreadError](err); some {
		return unread.Addresses
	}
	if err != nil {
		return slices.Clone(asked)
	}
	return nil
}

// without returns the payments but those of the addresses for which wait is true.
func without(
	due []payment.Payment, n chain.Network, addresses []chain.Address, wait func(payment.Payment) bool,
) []payment.Payment {
	return slices.DeleteFunc(slices.Clone(due), func(p payment.Payment) bool {
		route, _ := p.WatchedOn(n)
		return slices.Contains(addresses, route.Address.Address) && wait(p)
	})
}

// listOwned asks for all accounts of the owners. Where that failed it is not asked again for a while.
func (e *Expirer) listOwned(ctx context.Context, s scanned, owners []chain.Address) ([]chain.TokenAccount, error) {
	failed := repairKey{s.network, "lists"}
	if _, lately := e.pauses[failed]; lately && len(owners) > 0 {
		return nil, chain.ErrNoEndpoint
	}
	list, err := chain.TokenAccounts(ctx, s.reader, owners, chain.ListOwned)
	if _, some := errors.AsType[*chain.UnreadError](err); err != nil && !some {
		e.pauses[failed] = e.now().Add(listRest)
		e.log.Warn("token accounts cannot be listed", "network", s.network, "error", err)
	}
	return list, err
}
