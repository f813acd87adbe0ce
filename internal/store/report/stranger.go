package report

import (
	"context"

	"github.com/florinpay/florin/internal/store/db"
)

// ShopOfStrangers is an API key with payments that strangers started and that have not ended.
type ShopOfStrangers struct {
	KeyID   int64
	Key     string // its name
	Email   string // of its owner
	Waiting int64
}

// mostShops is how many of them an operator is shown, those with the most first.
const mostShops = 20

// ShopsOfStrangers lists the keys with the most such payments.
func (r *Reader) ShopsOfStrangers(ctx context.Context) (list []ShopOfStrangers, err error) {
	err = r.db.Reader().NewRaw(`SELECT w.key_id, CASE WHEN k.label = '' THEN k.public_id ELSE k.label END AS key, u.email,
		w.waiting FROM (SELECT key_id, count(*) AS waiting FROM payments
			WHERE ended_at IS NULL AND started_at IS NOT NULL AND (campaign_id > 0 OR link_id > 0)
			GROUP BY key_id ORDER BY count(*) DESC, key_id LIMIT ?) AS w
		JOIN api_keys AS k ON k.id = w.key_id JOIN users AS u ON u.id = k.user_id
		ORDER BY w.waiting DESC, w.key_id`, mostShops).Scan(ctx, &list)
	return list, db.Wrap(err, "shops with payments of strangers")
}
