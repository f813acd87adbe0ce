package store

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/webhook"
)

// abandoned is what an instance held that has given no sign of life since ?1, and whose attempts have ended (?2).
const abandoned = " WHERE state = 'WAITING' AND holder IS NOT NULL AND due_at > ?0 AND due_at <= ?2 " +
	"AND NOT EXISTS (SELECT 1 FROM sealers AS s WHERE s.holder = d.holder AND s.seen_at > ?1)"

// FreeAbandoned makes due at once the webhooks and mails that dead instances held.
func (s *Store) FreeAbandoned(ctx context.Context, now time.Time) error {
	args := []any{now, now.Add(-webhook.PresentFor), webhook.Abandoned(now)}
	for _, table := range []bun.Safe{"deliveries", "mails"} {
		var any bool
		find := "SELECT EXISTS (SELECT 1 FROM ?3 AS d" + abandoned + ")"
		err := s.db.Reader().NewRaw(find, append(args, table)...).Scan(ctx, &any)
		if err == nil && any {
			err = s.db.Write(ctx, func(ctx context.Context, t tx) error {
				free := "UPDATE ?3 AS d SET holder = NULL, due_at = ?0" + abandoned
				_, err := t.NewRaw(free, append(args, table)...).Exec(ctx)
				return err
			})
		}
		if err != nil {
			return db.Wrap(err, "free what dead instances hold")
		}
	}
	return nil
}
