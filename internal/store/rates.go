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
				_, err = db.WriteOne(ctx, s.db, "UPDATE rates SET read_at = ?, body = ? WHERE sources = ?", db.At(now),
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
	var row struct {
		BeganAt instant
		ReadAt  instant
		Body    string
	}
	err = s.db.Write(ctx, func(ctx context.Context, t tx) error {
		// A clock that was ahead must not keep everybody from reading.
		res, err := t.NewRaw("INSERT INTO rates (sources, began_at, body) VALUES (?, ?, '{}') ON CONFLICT (sources) "+
			"DO UPDATE SET began_at = excluded.began_at WHERE rates.began_at <= ? OR rates.began_at > ?",
			sources, db.At(now), db.At(now.Add(-within)), db.At(now.Add(within))).Exec(ctx)
		if err != nil {
			return err
		}
		changed, err := res.RowsAffected()
		if err != nil {
			return err
		}
		if mine = changed == 1; mine {
			_, err = t.NewRaw("DELETE FROM rates WHERE began_at < ?", db.At(now.Add(-keepRates))).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return t.NewRaw("SELECT began_at, read_at, body FROM rates WHERE sources = ?", sources).Scan(ctx, &row)
	})
	if err == nil {
		err = json.Unmarshal([]byte(row.Body), &last)
	}
	last.Ended = !row.ReadAt.IsZero() && !row.ReadAt.Before(row.BeganAt.Time)
	return mine, last, err
}
