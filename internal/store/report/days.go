package report

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// Day is the volume of the completed payments that were created on one day (UTC) on
// one network.
type Day struct {
	Day     time.Time
	Network chain.Network
	Count   int64
	Volume  money.Micros
}

// Activity counts the payments of a merchant.
type Activity struct {
	Open    int64 // payments that have not ended
	Started int64 // payments started since the given time
	Any     bool  // there is at least one payment
	Paid    bool  // there is at least one completed payment
}

const day = 24 * time.Hour

// dayNumber is the expression of whole days since 1970 (UTC) of created_at.
func (r *Reader) dayNumber() bun.Safe {
	if r.db.Dialect().ManyWriters {
		return "floor(extract(epoch FROM created_at) / 86400)::bigint"
	}
	return "created_at / 86400000000"
}

// Days sums the completed payments of the keys created since, by day and
// network, the oldest first. Top-ups are not a merchant's income.
func (r *Reader) Days(ctx context.Context, keys []int64, since time.Time) ([]Day, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	var rows []struct {
		Day      int64
		Network  string
		Payments int64
		Volume   int64
	}
	err := r.db.Reader().NewRaw("SELECT ? AS day, network, count(*) AS payments, CAST(sum(amount) AS bigint) AS volume FROM payments "+
		"WHERE key_id IN (?) AND created_at >= ? AND status = ? AND kind <> ? GROUP BY 1, 2 ORDER BY 1, 2",
		r.dayNumber(), bun.List(
			keys,
		), db.At(since), string(payment.Completed), string(payment.KindTopUp)).Scan(ctx, &rows)
	if err != nil {
		return nil, db.Wrap(err, "payments by day")
	}
	list := make([]Day, len(rows))
	for i, row := range rows {
		list[i] = Day{
			Day: time.Unix(
				row.Day*int64(day/time.Second), 0,
			).UTC(), Network: chain.Network(row.Network), Count: row.Payments,
			Volume: money.Micros(row.Volume),
		}
	}
	return list, nil
}

// Funnel counts how far the payments created since a time have come. Top-ups are not
// sales.
type Funnel struct {
	Created int64
	Started int64 // the payer chose how to pay
	Seen    int64 // money was seen
	Paid    int64
	Expired int64 // ended without enough money
}

// Funnel counts the payments of the keys created since.
func (r *Reader) Funnel(ctx context.Context, keys []int64, since time.Time) (f Funnel, err error) {
	if len(keys) == 0 {
		return f, nil
	}
	err = r.db.Reader().NewRaw("SELECT count(*), count(started_at), "+
		"count(CASE WHEN hash <> '' OR status = ? THEN 1 END), count(CASE WHEN status = ? THEN 1 END), "+
		"count(CASE WHEN status = ? THEN 1 END) FROM payments WHERE key_id IN (?) AND created_at >= ? AND kind <> ?",
		string(payment.Completed), string(payment.Completed), string(payment.Expired), bun.List(keys), db.At(since),
		string(payment.KindTopUp)).Scan(ctx, &f.Created, &f.Started, &f.Seen, &f.Paid, &f.Expired)
	return f, db.Wrap(err, "funnel")
}

// Activity counts the payments of the keys; Started counts those since the time.
func (r *Reader) Activity(ctx context.Context, keys []int64, since time.Time) (Activity, error) {
	var a Activity
	if len(keys) == 0 {
		return a, nil
	}
	list := bun.List(keys)
	err := r.db.Reader().NewRaw("SELECT "+
		"(SELECT count(*) FROM payments WHERE key_id IN (?) AND status IN ('PENDING', 'STARTED')), "+
		"(SELECT count(*) FROM payments WHERE key_id IN (?) AND created_at >= ? AND started_at IS NOT NULL AND kind <> 'TOPUP'), "+
		"EXISTS (SELECT 1 FROM payments WHERE key_id IN (?) AND kind <> 'TOPUP'), "+
		"EXISTS (SELECT 1 FROM payments WHERE key_id IN (?) AND status = 'COMPLETED' AND kind <> 'TOPUP')",
		list, list, db.At(since), list, list).Scan(ctx, &a.Open, &a.Started, &a.Any, &a.Paid)
	return a, db.Wrap(err, "activity")
}
