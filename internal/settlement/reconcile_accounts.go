package settlement

import (
	"context"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// addAccounts adds to the holdings what lies on other token accounts under the keys of the addresses, in whatever
// token, and returns these accounts by address. Every address is asked for those that follow from it, and one that
// differs without them, or is to be listed, for all. It fails with chain.ErrDisagree where the endpoints differ.
func (r Reconciler) addAccounts(
	ctx context.Context, n ReconciledNetwork, page []DepositAddress, holdings map[chain.Asset][]money.Units,
	records map[recordKey]Record,
) (map[chain.Address][]chain.Address, error) {
	var listed, derived []chain.Address
	at := make(map[chain.Address]int, len(page))
	for i, a := range page {
		at[a.Address.Address] = i
		differs := false
		for asset, balances := range holdings {
			record := records[recordKey{n.Profile.Network, a.Address.Address, asset.Contract}]
			differs = differs || len(record.differences(asset, balances[i])) > 0
		}
		if differs || r.Listed != nil && r.Listed(a) {
			listed = append(listed, a.Address.Address)
		} else {
			derived = append(derived, a.Address.Address)
		}
	}
	more, err := chain.TokenAccounts(ctx, n.Reader, listed, chain.ListOwned)
	if err != nil {
		more, derived = nil, append(derived, listed...) // some providers do not list
	}
	all, err := chain.TokenAccounts(ctx, n.Reader, derived, chain.ListDerived)
	if err != nil {
		return nil, err
	}
	others := make(map[chain.Address][]chain.Address)
	for _, x := range append(all, more...) {
		if x.Disputed {
			return nil, chain.ErrDisagree
		}
		if holdings[x.Asset] == nil {
			holdings[x.Asset] = make([]money.Units, len(page))
		}
		i := at[x.Owner]
		holdings[x.Asset][i] = holdings[x.Asset][i].Add(x.Units)
		others[x.Owner] = append(others[x.Owner], x.Account)
	}
	return others, nil
}
