package report

import (
	"context"

	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/internal/store/db"
)

// Refund is what lists show of a refund.
type Refund struct {
	Units    money.Units
	Decimals int
	Symbol   string
	Status   refund.Status
}

// Text is the refund in a few words: 2 USDC FINAL.
func (r Refund) Text() string {
	return r.Units.Format(r.Decimals) + " " + r.Symbol + " " + string(r.Status)
}

// Refunds returns the refunds of the payments that were not cancelled, the oldest first, by the number of the payment.
func (r *Reader) Refunds(ctx context.Context, list []payment.Payment) (map[int64][]Refund, error) {
	of := make(map[int64][]Refund)
	if len(list) == 0 {
		return of, nil
	}
	numbers := make([]int64, len(list))
	for i, p := range list {
		numbers[i] = p.Number
	}
	err := r.db.ReadAll(ctx, readRefunds(r.db.Dialect(), numbers, func(number int64, x Refund) {
		of[number] = append(of[number], x)
	}))
	return of, db.Wrap(err, "refunds of %d payments", len(list))
}

// readRefunds passes the refunds of the payments of the numbers that were not cancelled, the oldest first.
func readRefunds(d db.Dialect, numbers []int64, take func(number int64, x Refund)) *db.Stmt {
	return db.Query(func(scan db.Scan) error {
		var x Refund
		var units, status string
		var number, decimals int64
		if err := scan(&number, &units, &decimals, &x.Symbol, &status); err != nil {
			return err
		}
		var err error
		x.Units, err = money.ParseUnits(units)
		x.Decimals, x.Status = int(decimals), refund.Status(status)
		take(number, x)
		return err
	}, `SELECT payment_id, units, decimals, symbol, status FROM refunds WHERE status <> 'CANCELLED' AND
		`+d.Listed("payment_id")+` ORDER BY id`, db.Numbers(numbers))
}
