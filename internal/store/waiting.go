package store

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// Waiting lists the payments of the key that strangers started and that have not ended, up to most.
func (s *Store) Waiting(ctx context.Context, keyID int64, most int) ([]payment.Waiting, error) {
	var rows []struct {
		PublicID              string
		CampaignID, LinkID    int64
		Near                  string
		StartedAt, AttendedAt instant
		ExpiresAt             instant
		Held, Money           bool
	}
	err := s.db.Reader().NewRaw(`SELECT public_id, campaign_id, link_id, near, started_at, expires_at, attended_at, held,
		length(hash) > 0 AS money FROM payments
		WHERE key_id = ? AND ended_at IS NULL AND started_at IS NOT NULL AND (campaign_id > 0 OR link_id > 0) ORDER BY id LIMIT ?`,
		keyID, most).Scan(ctx, &rows)
	list := make([]payment.Waiting, len(rows))
	for i, r := range rows {
		list[i] = payment.Waiting{
			ID: payment.ID(r.PublicID), CampaignID: r.CampaignID, LinkID: r.LinkID, Near: r.Near,
			StartedAt: r.StartedAt.Time, ExpiresAt: r.ExpiresAt.Time, AttendedAt: r.AttendedAt.Time,
			Held: r.Held, Money: r.Money,
		}
	}
	return list, db.Wrap(err, "payments of strangers of key %d", keyID)
}

// Unattended lists payments that hold a credit, for which nothing came, and whose page was last seen open before the
// time given, the longest first.
func (s *Store) Unattended(ctx context.Context, before time.Time, most int) (ids []payment.ID, err error) {
	err = s.db.Reader().NewRaw(`SELECT public_id FROM payments WHERE held AND attended_at < ? AND length(hash) = 0
		ORDER BY attended_at LIMIT ?`, db.At(before), most).Scan(ctx, &ids)
	return ids, db.Wrap(err, "holds that nobody looks at")
}
