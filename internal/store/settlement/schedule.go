package settlement

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// scheduleRow is how long the money of a key may wait.
type scheduleRow struct {
	bun.BaseModel `bun:"table:settlement_schedules,alias:plan"`

	KeyID   int64 `bun:",pk"`
	AtOnce  int64
	WaitUs  int64
	AskedAt db.Instant
}

const selectSchedule = "SELECT at_once, wait_us, asked_at FROM settlement_schedules WHERE key_id = ?"

// Schedule returns how long the key's money waits; the zero schedule where its merchant follows the policy.
func (s *Store) Schedule(ctx context.Context, keyID int64) (settlement.Schedule, error) {
	var rows []scheduleRow
	if err := s.db.Reader().NewRaw(selectSchedule, keyID).Scan(ctx, &rows); err != nil || len(rows) == 0 {
		return settlement.Schedule{}, db.Wrap(err, "schedule of key %d", keyID)
	}
	return rows[0].schedule(), nil
}

func (r scheduleRow) schedule() settlement.Schedule {
	return settlement.Schedule{
		AtOnce: money.Micros(r.AtOnce), Wait: time.Duration(r.WaitUs) * time.Microsecond, AskedAt: r.AskedAt.Time,
	}
}

// Reschedule changes how long the key's money waits, with its audit entries. change may run again.
func (s *Store) Reschedule(
	ctx context.Context, keyID int64, change func(
		settlement.Schedule,
	) (settlement.Schedule, error), trail ...audit.Entry,
) error {
	err := table.WriteAudited(ctx, s.db, nil, audit.Record{Entries: trail},
		func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
			_, err := t.NewRaw("INSERT INTO settlement_schedules (key_id, at_once, wait_us) VALUES (?, 0, 0) "+
				"ON CONFLICT (key_id) DO NOTHING", keyID).Exec(ctx)
			if err != nil {
				return err
			}
			var r scheduleRow
			if err := t.NewRaw(selectSchedule+t.ForUpdate(), keyID).Scan(ctx, &r); err != nil {
				return err
			}
			before := r.schedule()
			after, err := change(before)
			if err != nil {
				return err
			}
			a.Unchanged = after == before
			_, err = t.NewRaw("UPDATE settlement_schedules SET at_once = ?, wait_us = ?, asked_at = ? WHERE key_id = ?",
				int64(after.AtOnce), after.Wait.Microseconds(), db.At(after.AskedAt), keyID).Exec(ctx)
			return err
		})
	return db.Wrap(err, "schedule of key %d", keyID)
}
