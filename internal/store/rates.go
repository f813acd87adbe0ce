package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/store/db"
)

// Rates shares what instances with the same sources of rates read. Others, whose settings differ, share something else.
func (s *Store) Rates(sources string) exchange.Shared {
	return exchange.Shared{
		Begin: func(ctx context.Context, now time.Time, within time.Duration) (bool, exchange.Snapshot, error) {
			mine, last, err := s.beginReading(ctx, sources, now, within)
			return mine, last, db.Wrap(err, "begin to read rates")
		},
		Save: func(ctx context.Context, now time.Time, read exchange.Snapshot) error {
			body, err := json.Marshal(read)
			if err == nil {
				_, err = db.WriteOne(ctx, s.db, "UPDATE rates SET read_at = ?, body = ? WHERE sources = ?", now,
					string(body), sources)
			}
			return db.Wrap(err, "save rates")
		},
	}
}

// keepRates is for how long what nobody reads any more is kept.
const keepRates = 24 * time.Hour

func (s *Store) beginReading(
	ctx context.Context, sources string, now time.Time, within time.Duration,
) (mine bool, last exchange.Snapshot, err error) {
	type row struct {
		BeganAt, ReadAt time.Time
		Body            string
	}
	var r row
	err = s.db.Write(ctx, func(ctx context.Context, t tx) error {
		// A clock that was ahead must not keep everybody from reading.
		res, err := t.NewRaw(`INSERT INTO rates (sources, began_at, body) VALUES (?, ?, '{}') ON CONFLICT (sources)
			DO UPDATE SET began_at = excluded.began_at WHERE rates.began_at <= ? OR rates.began_at > ?`,
			sources, now, now.Add(-within), now.Add(within)).Exec(ctx)
		if err != nil {
			return err
		}
		changed, err := res.RowsAffected()
		if err != nil {
			return err
		}
		if mine = changed == 1; mine {
			_, err = t.NewRaw("DELETE FROM rates WHERE began_at < ?", now.Add(-keepRates)).Exec(ctx)
			if err != nil {
				return err
			}
		}
		r, err = db.First[row](ctx, t, nil, "SELECT began_at, read_at, body FROM rates WHERE sources = ?", sources)
		return err
	})
	if err == nil {
		err = json.Unmarshal([]byte(r.Body), &last)
	}
	last.Ended = !r.ReadAt.IsZero() && !r.ReadAt.Before(r.BeganAt)
	return mine, last, err
}
