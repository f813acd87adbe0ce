package store

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// Waiting lists the payments of the key that strangers started and that have not ended, up to most.
func (s *Store) Waiting(ctx context.Context, keyID int64, most int) ([]payment.Waiting, error) {
	list, err := db.All[payment.Waiting](ctx, s.db.Reader(), `SELECT public_id AS id, campaign_id, link_id, near, started_at, expires_at,
		attended_at, held, length(hash) > 0 AS money FROM payments
		WHERE key_id = ? AND ended_at IS NULL AND started_at IS NOT NULL AND (campaign_id > 0 OR link_id > 0) ORDER BY payments.id LIMIT ?`,
		keyID, most)
	return list, db.Wrap(err, "payments of strangers of key %d", keyID)
}

// Unattended lists payments that hold a credit, for which nothing came, and whose page was last seen open before the
// time given, the longest first.
func (s *Store) Unattended(ctx context.Context, before time.Time, most int) (ids []payment.ID, err error) {
	err = s.db.Reader().NewRaw(`SELECT public_id FROM payments WHERE held AND attended_at < ? AND length(hash) = 0
		ORDER BY attended_at LIMIT ?`, before, most).Scan(ctx, &ids)
	return ids, db.Wrap(err, "holds that nobody looks at")
}
