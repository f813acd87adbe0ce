package report

import (
	"cmp"
	"context"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/store/db"
)

// UnderSeed is what lies on Solana deposit addresses in one token: what a thief of the seed could take.
type UnderSeed struct {
	Symbol   string
	Contract chain.Address
	Payments int64 // whose deposit addresses hold it
	Decimals int
	Units    money.Units
}

// UnderSeed returns the tokens that count as payment and were not swept from Solana deposit addresses yet, final or
// not, in the order of their symbols.
func (r *Reader) UnderSeed(ctx context.Context) ([]UnderSeed, error) {
	rows, err := db.All[struct {
		UnderSeed
		PaymentID int64
	}](ctx, r.db.Reader(), `SELECT symbol, contract, units, decimals, payment_id FROM deposits
		WHERE swept_at IS NULL AND state <> 'VANISHED' AND network = ? AND token <> '' ORDER BY contract, payment_id`, chain.Solana)
	if err != nil {
		return nil, db.Wrap(err, "money under the seed")
	}
	var all []UnderSeed
	last := int64(0)
	for _, row := range rows {
		if len(all) == 0 || all[len(all)-1].Contract != row.Contract {
			all = append(all, UnderSeed{Symbol: row.Symbol, Contract: row.Contract, Decimals: row.Decimals})
			last = 0
		}
		sum := &all[len(all)-1]
		sum.Units = sum.Units.Add(row.Units)
		if row.PaymentID != last {
			sum.Payments++
		}
		last = row.PaymentID
	}
	slices.SortFunc(all, func(a, b UnderSeed) int {
		return cmp.Or(cmp.Compare(a.Symbol, b.Symbol), cmp.Compare(a.Contract, b.Contract))
	})
	return all, nil
}
