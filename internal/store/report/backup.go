package report

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/store/db"
)

// Slots lists what a PostgreSQL server keeps of its log for those who receive it; none on SQLite.
func (r *Reader) Slots(ctx context.Context) (list []alert.Slot, err error) {
	if !r.db.Dialect().ManyWriters {
		return nil, nil
	}
	err = r.db.Reader().NewRaw(`SELECT slot_name AS name, active,
		coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::bigint AS lag,
		coalesce(wal_status IN ('unreserved', 'lost'), FALSE) AS lost,
		current_setting('max_slot_wal_keep_size') <> '-1' AS capped
		FROM pg_replication_slots WHERE slot_type = 'physical' AND NOT temporary ORDER BY slot_name`).Scan(ctx, &list)
	return list, db.Wrap(err, "read who receives the changes of the database")
}

// BackedUpAt returns the moment of the newest backup that florin backup, or backup.sh of deploy, has written since
// the database was last restored; zero: none is known. Copies made by other means are not.
func (r *Reader) BackedUpAt(ctx context.Context) (at time.Time, err error) {
	err = r.db.Reader().NewRaw("SELECT backed_up_at FROM instance").Scan(ctx, db.Time(&at))
	return at, db.Wrap(err, "read when the database was backed up")
}
