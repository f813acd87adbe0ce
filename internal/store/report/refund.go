package report

import (
	"context"
	"strconv"

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

// RefundsToSend counts the refunds of payments of the keys that have an address, and that no wallet was asked to send,
// and names the payment of the oldest.
func (r *Reader) RefundsToSend(ctx context.Context, keys []int64) (n int64, oldest payment.ID, err error) {
	// The signs keep databases from reading all payments of the keys, or all refunds: few stand in refunds_awaited,
	// whose condition is the list of both statuses.
	listed, args := r.db.Dialect().Listed("+p.key_id"), []any{db.Numbers(keys)}
	err = r.db.Read(ctx, db.Query(func(scan db.Scan) error {
		n++
		if oldest != "" {
			var other payment.ID
			return scan(&other)
		}
		return scan(&oldest)
	}, `SELECT p.public_id FROM refunds AS r CROSS JOIN payments AS p
		WHERE p.id = r.payment_id AND r.status IN ('ADDRESS_GIVEN', 'SENT') AND r.status = 'ADDRESS_GIVEN' AND r.asked_at IS NULL AND `+listed+`
		ORDER BY +r.id LIMIT `+strconv.Itoa(MaxAttention), args...))
	return n, oldest, db.Wrap(err, "refunds to be sent")
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
	listed, args := r.db.Dialect().Listed("payment_id"), []any{db.Numbers(numbers)}
	err := r.db.ReadAll(ctx, readRefunds(listed, args, func(number int64, x Refund) {
		of[number] = append(of[number], x)
	}))
	return of, db.Wrap(err, "refunds of %d payments", len(list))
}

// readRefunds passes the refunds for which the condition holds that were not cancelled, the oldest first.
func readRefunds(condition string, args []any, take func(number int64, x Refund)) *db.Stmt {
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
		`+condition+` ORDER BY id`, args...)
}
