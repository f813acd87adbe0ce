package settlement

import (
	"context"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

var schedules = db.NewTable[scheduleRow]("settlement_schedules", `
	fixed:   key_id
	changes: at_once wait_us=Wait asked_at`)

// scheduleRow is how long the money of a key may wait.
type scheduleRow struct {
	settlement.Schedule

	KeyID int64
}

const selectSchedule = "SELECT * FROM settlement_schedules WHERE key_id = ?"

// Schedule returns how long the key's money waits; the zero schedule where its merchant follows the policy.
func (s *Store) Schedule(ctx context.Context, keyID int64) (settlement.Schedule, error) {
	row, err := db.First[scheduleRow](ctx, s.db.Reader(), nil, selectSchedule, keyID)
	return row.Schedule, db.Wrap(err, "schedule of key %d", keyID)
}

// UpdateSchedule changes how long the key's money waits, with the record of it. decide may run again.
func (s *Store) UpdateSchedule(
	ctx context.Context, keyID int64, decide func(settlement.Schedule) (settlement.Schedule, audit.Record, error),
) error {
	err := table.WriteAudited(ctx, s.db, nil, audit.Record{},
		func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
			_, err := t.NewRaw(`INSERT INTO settlement_schedules (key_id, at_once, wait_us) VALUES (?, 0, 0)
				ON CONFLICT (key_id) DO NOTHING`, keyID).Exec(ctx)
			if err != nil {
				return err
			}
			r, err := db.First[scheduleRow](ctx, t, nil, selectSchedule+t.ForUpdate(), keyID)
			if err != nil {
				return err
			}
			before := r.Schedule
			if r.Schedule, a.More, err = decide(before); err != nil {
				return err
			}
			a.Unchanged = r.Schedule == before
			_, err = schedules.Into(t, schedules.OnConflict("key_id"), r).Exec(ctx)
			return err
		})
	return db.Wrap(err, "schedule of key %d", keyID)
}
