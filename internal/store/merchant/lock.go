package merchant

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

const selectWaiting = `SELECT public_id, token, merchant_id, key_id, kind, subject, body, changes, author_id, actor,
	created_at, due_at, next_at, attempts, state, ended_at FROM waiting_changes WHERE state = 'WAITING' AND `

// openWaiting returns the changes of rows, without their input.
func openWaiting(rows []table.WaitingRow) ([]merchant.Waiting, error) {
	var list []merchant.Waiting
	for _, r := range rows {
		w, err := r.Open()
		if err != nil {
			return nil, err
		}
		list = append(list, w)
	}
	return list, nil
}

// waitingRows returns the rows of changes; that of a new one has its input.
func (s *Store) waitingRows(list []merchant.Waiting) ([]table.WaitingRow, error) {
	rows := make([]table.WaitingRow, len(list))
	for i, w := range list {
		lines, err := json.Marshal(w.Changes)
		if err != nil {
			return nil, err
		}
		rows[i] = table.WaitingRow{
			Waiting: w, Of: sql.NullInt64{Int64: w.KeyID, Valid: w.KeyID != 0}, Lines: string(lines),
			Sealed: s.sealer.Seal(table.WaitingPlace(w.ID), w.Body),
		}
	}
	return rows, nil
}

// Locked reports whether the owners locked where the merchant's money goes.
func (s *Store) Locked(ctx context.Context, merchantID int64) (bool, error) {
	var n int
	err := s.db.Reader().NewRaw("SELECT count(*) FROM wallet_locks WHERE merchant_id = ?", merchantID).Scan(ctx, &n)
	return n > 0, db.Wrap(err, "lock of merchant %d", merchantID)
}

// DueWaiting returns changes that are due at now, the longest due first, with their input, or with why it cannot be
// read.
func (s *Store) DueWaiting(ctx context.Context, now time.Time, limit int) ([]merchant.Waiting, error) {
	rows, err := db.All[table.WaitingRow](ctx, s.db.Reader(), selectWaiting+"next_at <= ? ORDER BY next_at, id LIMIT ?",
		now, limit)
	if err != nil {
		return nil, db.Wrap(err, "changes that are due")
	}
	due := make([]merchant.Waiting, len(rows))
	for i, r := range rows {
		w, err := r.Open()
		if err == nil {
			w.Body, err = s.sealer.Open(table.WaitingPlace(r.ID), r.Sealed)
		}
		w.Unread = db.Wrap(err, "input of the change %s", r.ID)
		due[i] = w
	}
	return due, nil
}
