package store

import (
	"time"

	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// quarterHour is what sales are summed by.
const quarterHour = 15 * time.Minute

// sale is what a payment adds to the sums of its key and quarter of an hour.
type sale struct {
	keyID, quarter int64
	network        string
	volume         money.Micros
	price          exchange.Sum
}

// saleOf returns the sale that a payment is; ok is false if it is none, or none yet.
func saleOf(p payment.Payment) (s sale, ok bool) {
	if p.Status != payment.Completed || p.Kind == payment.KindTopUp {
		return sale{}, false
	}
	quarter := p.EndedAt.Unix() / int64(quarterHour/time.Second)
	return sale{p.KeyID, quarter, string(p.Choice.Network), p.Amount, p.Price.Sum}, true
}

// The rows are ordered, so that two transactions cannot wait for each other.
var addSale = db.ForRows(`
	INSERT INTO sales (key_id, day, quarter, network, currency, payments, volume, price)
	SELECT n.key_id, n.quarter / 96, n.quarter, n.network, n.currency, CAST(sum(n.payments) AS bigint), CAST(sum(n.volume) AS bigint),
		CAST(sum(n.price) AS bigint)
	FROM {rows} GROUP BY n.key_id, n.quarter, n.network, n.currency
	ORDER BY n.key_id, n.quarter, n.network, n.currency
	ON CONFLICT (key_id, day, network, currency, quarter) DO UPDATE SET payments = sales.payments + excluded.payments,
		volume = sales.volume + excluded.volume, price = sales.price + excluded.price`,
	"key_id bigint", "quarter bigint", "network text", "currency text", "payments bigint", "volume bigint",
	"price bigint")

// saveSale returns the statements that keep the sums of a payment's key and quarter of an hour.
func saveSale(before, after payment.Payment) (all []*db.Stmt) {
	was, sold := saleOf(before)
	is, sells := saleOf(after)
	if was == is {
		return nil
	}
	add := func(s sale, n int64) {
		all = append(all, addSale.With(
			s.keyID, s.quarter, s.network, string(s.price.Currency), n, n*int64(s.volume), n*s.price.Units,
		).AnyNumber())
	}
	if sold {
		add(was, -1)
	}
	if sells {
		add(is, 1)
	}
	return all
}
