package store

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/report"
)

const day = 24 * time.Hour

// dayNumber is the expression of whole days since 1970 (UTC) of created_at.
func (s *Store) dayNumber() bun.Safe {
	if s.db.Dialect().ManyWriters {
		return "floor(extract(epoch FROM created_at) / 86400)::bigint"
	}
	return "created_at / 86400000000"
}

// Days sums the completed payments of the keys created since, by day and
// network, the oldest first. Top-ups are not a merchant's income.
func (s *Store) Days(ctx context.Context, keys []int64, since time.Time) ([]report.Day, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	var rows []struct {
		Day      int64
		Network  string
		Payments int64
		Volume   int64
	}
	err := s.reader().NewRaw("SELECT ? AS day, network, count(*) AS payments, CAST(sum(amount) AS bigint) AS volume FROM payments "+
		"WHERE key_id IN (?) AND created_at >= ? AND status = ? AND kind <> ? GROUP BY 1, 2 ORDER BY 1, 2",
		s.dayNumber(), bun.List(keys), db.At(since), string(payment.Completed), string(payment.KindTopUp)).Scan(ctx, &rows)
	if err != nil {
		return nil, wrapIf(err, "payments by day")
	}
	list := make([]report.Day, len(rows))
	for i, r := range rows {
		list[i] = report.Day{
			Day: time.Unix(r.Day*int64(day/time.Second), 0).UTC(), Network: chain.Network(r.Network), Count: r.Payments, Volume: money.Micros(r.Volume),
		}
	}
	return list, nil
}

// Activity tells what the keys have going on; Started counts since the time.
func (s *Store) Activity(ctx context.Context, keys []int64, since time.Time) (report.Activity, error) {
	var a report.Activity
	if len(keys) == 0 {
		return a, nil
	}
	list := bun.List(keys)
	err := s.reader().NewRaw("SELECT "+
		"(SELECT count(*) FROM payments WHERE key_id IN (?) AND status IN ('PENDING', 'STARTED')), "+
		"(SELECT count(*) FROM payments WHERE key_id IN (?) AND created_at >= ? AND started_at IS NOT NULL AND kind <> 'TOPUP'), "+
		"EXISTS (SELECT 1 FROM payments WHERE key_id IN (?) AND kind <> 'TOPUP'), "+
		"EXISTS (SELECT 1 FROM payments WHERE key_id IN (?) AND status = 'COMPLETED' AND kind <> 'TOPUP')",
		list, list, db.At(since), list, list).Scan(ctx, &a.Open, &a.Started, &a.Any, &a.Paid)
	return a, wrapIf(err, "activity")
}

// EveryKeyOfUser returns all API keys the user ever had, revoked ones last: their
// payments are still the user's.
func (s *Store) EveryKeyOfUser(ctx context.Context, userID int64) ([]merchant.Key, error) {
	var list []merchant.Key
	add := func(k merchant.Key) { list = append(list, k) }
	if err := s.db.Read(ctx, readKeys(add, "k.user_id = ? ORDER BY (k.revoked_at IS NOT NULL), k.id", userID)); err != nil {
		return nil, wrapIf(err, "all API keys of user %d", userID)
	}
	return list, nil
}
