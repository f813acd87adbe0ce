package store

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// Summarize stores the mails about the day before the one that began at midnight, once: who does it has the lease of
// summaries until the day after.
func (s *Store) Summarize(
	ctx context.Context, holder string, midnight, now time.Time, letter func(merchant.Daily) mail.Mail,
) error {
	const day = 24 * time.Hour
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		if mine, err := table.Take(ctx, t, "summaries", holder, now, midnight.Add(day)); err != nil || !mine {
			return err
		}
		list, err := db.All[merchant.Daily](ctx, t, `SELECT k.user_id AS merchant_id, count(*) AS payments,
			CAST(sum(p.amount) AS bigint) AS volume, (SELECT count(*) FROM payments AS w JOIN api_keys AS o ON o.id = w.key_id
				WHERE o.user_id = k.user_id AND w.attention <> '') AS waiting
			FROM payments AS p JOIN api_keys AS k ON k.id = p.key_id
			WHERE p.ended_at >= ? AND p.ended_at < ? AND p.started_at IS NOT NULL AND p.status = 'COMPLETED' AND p.kind <> 'TOPUP'
			GROUP BY k.user_id ORDER BY k.user_id`, midnight.Add(-day), midnight)
		mails := make([]mail.Mail, 0, len(list))
		for _, d := range list {
			mails = append(mails, letter(d))
		}
		if err != nil {
			return err
		}
		return table.AddMails(ctx, t, s.sealer, mails)
	})
	return db.Wrap(err, "daily summaries")
}
