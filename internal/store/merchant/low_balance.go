package merchant

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// RecordSales stores a mail about sales of the key, unless one of that kind waits, or the last one ended less than
// merchant.RefusedEvery ago.
func (s *Store) RecordSales(ctx context.Context, kind mail.Kind, keyID int64, now time.Time) error {
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		return table.RareMail(ctx, t, kind, keyID, now, now.Add(-merchant.RefusedEvery))
	})
	return db.Wrap(err, "record for key %d: %s", keyID, kind)
}

// Key returns a key, revoked or not.
func (s *Store) Key(ctx context.Context, keyID int64) (merchant.Key, error) {
	k, err := keys.First(ctx, s.db.Reader(), selectKeys+"k.id = ?", keyID)
	return k, db.Wrap(err, "key %d", keyID)
}
