package chain

import (
	"context"

	"github.com/florinpay/florin/internal/money"
)

// TokenAccount is a token account under the key of an owner that is not the associated one of a listed asset: another
// one, one of another token, or one that was made for a token account as if that were a wallet.
type TokenAccount struct {
	Owner   Address
	Account Address
	Asset   Asset
	Units   money.Units
	// Disputed: the endpoints differ about it.
	Disputed bool
}

// Listing is how thoroughly token accounts are looked for.
type Listing int

// The listings. Each includes those before it.
const (
	// ListDerived asks for those whose addresses follow from the owner's, a hundred a call.
	ListDerived Listing = iota
	// ListOwned asks each owner for its accounts, in ListCalls calls to an endpoint.
	ListOwned
	// ListAll asks for those of the owner's associated accounts, too.
	ListAll
)

// ListCalls is how many calls to an endpoint ListOwned takes for one owner.
const ListCalls = 2

// TokenLister lists what lies under the keys of owners on other token accounts than those that Reader.Balances counts.
// Readers of networks with token accounts are one.
type TokenLister interface {
	// TokenAccounts lists those that hold something, with the most that as many voices as Quorum report of each. With
	// an UnreadError it lists those of the other owners.
	TokenAccounts(ctx context.Context, owners []Address, l Listing) ([]TokenAccount, error)
	// Under lists the owner's own accounts that a wallet may take for a wallet, and pay.
	Under(owner Address) []Address
}

// TokenAccounts is that of the reader, if it is a TokenLister; otherwise there are none.
func TokenAccounts(ctx context.Context, r any, owners []Address, l Listing) ([]TokenAccount, error) {
	if lister, ok := r.(TokenLister); ok && len(owners) > 0 {
		return lister.TokenAccounts(ctx, owners, l)
	}
	return nil, nil
}

// Under is that of the reader, if it is a TokenLister.
func Under(r any, owner Address) []Address {
	if lister, ok := r.(TokenLister); ok {
		return lister.Under(owner)
	}
	return nil
}
