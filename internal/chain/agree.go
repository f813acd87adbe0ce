package chain

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/money"
)

// Larger returns, entry by entry, the larger of two answers about the same
// balances: an address holds nothing only if both say so.
func Larger(a, b []money.Units) []money.Units {
	larger := slices.Clone(a)
	for i, units := range b {
		if units.Cmp(larger[i]) > 0 {
			larger[i] = units
		}
	}
	return larger
}

// SearchAll scans through every one of the endpoints and returns what any of
// them reports, each transfer once, by block. That there are none needs so many
// answers: one endpoint alone may leave transfers out.
func SearchAll[E any](endpoints []E, needed int, scan func(E) ([]Transfer, error)) ([]Transfer, error) {
	var all []Transfer
	var failed []error
	known := make(map[TransferID]bool)
	for _, e := range endpoints {
		transfers, err := scan(e)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		for _, t := range transfers {
			if !known[t.ID()] {
				known[t.ID()] = true
				all = append(all, t)
			}
		}
	}
	if answers := len(endpoints) - len(failed); answers < needed && len(all) == 0 {
		return nil, fmt.Errorf(
			"%w: %d of %d answers to a search: %w", ErrNoEndpoint, answers, needed, errors.Join(failed...),
		)
	}
	slices.SortStableFunc(all, func(a, b Transfer) int { return cmp.Compare(a.Block.Number, b.Block.Number) })
	return all, nil
}
