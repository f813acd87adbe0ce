package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/store/db"
)

var _ exchange.Store = (*Store)(nil)

// BeginReading reports whether no instance has begun to read the sources of rates within the time before now, and records
// that this one has. It returns what was read last.
func (s *Store) BeginReading(
	ctx context.Context, now time.Time, within time.Duration,
) (mine bool, last exchange.Snapshot, err error) {
	var row struct {
		BeganAt instant
		ReadAt  instant
		Body    string
	}
	err = s.db.Write(ctx, func(ctx context.Context, t tx) error {
		res, err := t.NewRaw("INSERT INTO rates (only_row, began_at, body) VALUES (1, ?, '{}') ON CONFLICT (only_row) "+
			"DO UPDATE SET began_at = excluded.began_at WHERE rates.began_at <= ? OR rates.began_at > ?",
			db.At(now), db.At(now.Add(-within)), db.At(now.Add(within))).Exec(ctx)
		if err != nil {
			return err
		}
		changed, err := res.RowsAffected()
		if err != nil {
			return err
		}
		mine = changed == 1
		return t.NewRaw("SELECT began_at, read_at, body FROM rates WHERE only_row = 1").Scan(ctx, &row)
	})
	if err == nil {
		err = json.Unmarshal([]byte(row.Body), &last)
	}
	last.Ended = !row.ReadAt.IsZero() && !row.ReadAt.Before(row.BeganAt.Time)
	return mine, last, db.Wrap(err, "begin to read rates")
}

// SaveReading stores what the sources of rates have said.
func (s *Store) SaveReading(ctx context.Context, now time.Time, read exchange.Snapshot) error {
	body, err := json.Marshal(read)
	if err == nil {
		_, err = db.WriteOne(ctx, s.db, "UPDATE rates SET read_at = ?, body = ? WHERE only_row = 1", db.At(now), string(body))
	}
	return db.Wrap(err, "save rates")
}
