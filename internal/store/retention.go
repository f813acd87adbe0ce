package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/retention"
	"github.com/florinpay/florin/internal/store/db"
)

// Retained drops what is finished and older than it is kept. What is not finished stays, with all it needs: a webhook
// that did not arrive with its event; the events of a payment that is open, needs its merchant, or has money that is
// not final or not settled. Payments, deposits, settlement and the ledger are never dropped.
type Retained struct {
	db db.Engine
	// rows is how many rows a batch reads: so few that a transaction holds up nothing.
	rows int
}

// batchRows is how many rows a batch reads: one takes some milliseconds.
const batchRows = 200

// DropBatch drops the next batch of the part in one transaction. It is a retention.Drop.
func (s *Retained) DropBatch(
	ctx context.Context, part retention.Part, before time.Time, after int64,
) (b retention.Batch, err error) {
	switch part {
	case retention.Attempts:
		b, err = s.attempts(ctx, before, after)
	case retention.Deliveries:
		b, err = s.deliveries(ctx, before, after)
	case retention.Events:
		b, err = s.events(ctx, before, after)
	case retention.Audit:
		b, err = s.audit(ctx, before, after)
	case retention.Sessions:
		b, err = s.drop(ctx, oldSessions, before)
	case retention.Idempotency:
		b, err = s.drop(ctx, oldAnswers, before)
	default:
		err = fmt.Errorf("nothing drops %q", part)
	}
	return b, db.Wrap(err, "retention")
}

// page reads the next numbers of a table in their order, each once, and reports whether any of them is of a payment of
// before the time. Payments are numbered as they are created, so nothing that follows is older. It reads the table's
// own key: what was dropped costs nothing, and what is kept because it is not finished is read each time.
func (s *Retained) page(
	ctx context.Context, before time.Time, after int64, numbers, payments string,
) (list []int64, old bool, err error) {
	if err := s.db.Reader().NewRaw(numbers, after, s.rows).Scan(ctx, &list); err != nil || len(list) == 0 {
		return nil, false, err
	}
	list = slices.Compact(list)
	var n int64
	err = s.db.Reader().NewRaw(payments, bun.List(list), before).Scan(ctx, &n)
	return list, n > 0, err
}

// attempts drops attempts of deliveries that wait for no other one.
func (s *Retained) attempts(ctx context.Context, before time.Time, after int64) (retention.Batch, error) {
	ids, old, err := s.page(ctx, before, after,
		"SELECT delivery_id FROM delivery_attempts WHERE delivery_id > ? ORDER BY delivery_id, attempt LIMIT ?",
		"SELECT count(*) FROM deliveries AS d JOIN payments AS p ON p.id = d.payment_id WHERE d.id IN (?) AND p.created_at < ?")
	if err != nil || !old {
		return retention.Batch{Done: true}, err
	}
	b := retention.Batch{Through: ids[len(ids)-1]}
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) (err error) {
		b.Dropped, err = affected(ctx, t, `DELETE FROM delivery_attempts WHERE delivery_id IN (?) AND at < ? AND EXISTS (
			SELECT 1 FROM deliveries AS d WHERE d.id = delivery_attempts.delivery_id AND d.state <> 'WAITING')`,
			bun.List(ids), before)
		return err
	})
	return b, err
}

// deliveries drops what arrived, or was overtaken by a later event, with its attempts.
func (s *Retained) deliveries(ctx context.Context, before time.Time, after int64) (retention.Batch, error) {
	ids, old, err := s.page(ctx, before, after,
		"SELECT id FROM deliveries WHERE id > ? ORDER BY id LIMIT ?",
		"SELECT count(*) FROM deliveries AS d JOIN payments AS p ON p.id = d.payment_id WHERE d.id IN (?) AND p.created_at < ?")
	if err != nil || !old {
		return retention.Batch{Done: true}, err
	}
	b := retention.Batch{Through: ids[len(ids)-1]}
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		var ended []int64
		err := t.NewRaw(`SELECT id FROM deliveries
			WHERE id IN (?) AND state IN ('DELIVERED', 'OVERTAKEN') AND due_at < ?`+s.db.Dialect().SkipLocked, bun.List(ids), before).Scan(ctx, &ended)
		b.Dropped = int64(len(ended))
		if err != nil || len(ended) == 0 {
			return err
		}
		return dropDeliveries(ctx, t, "SELECT id FROM deliveries WHERE id IN (?)", ended)
	})
	return b, err
}

// dropDeliveries drops the deliveries that the query finds, with their attempts.
func dropDeliveries(ctx context.Context, t db.Tx, query string, ids []int64) error {
	for _, text := range []string{
		"DELETE FROM delivery_attempts WHERE delivery_id IN (" + query + ")", "DELETE FROM deliveries WHERE id IN (" + query + ")",
	} {
		if _, err := t.NewRaw(text, bun.List(ids)).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// audit drops audit entries.
func (s *Retained) audit(ctx context.Context, before time.Time, after int64) (b retention.Batch, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		var ids []int64
		err := t.NewRaw(`SELECT id FROM (SELECT id, at FROM audit_log WHERE id > ? ORDER BY id LIMIT ?) AS first WHERE at < ?
			ORDER BY id`, after, s.rows, before).Scan(ctx, &ids)
		if b = (retention.Batch{Done: true}); err != nil || len(ids) == 0 {
			return err
		}
		b.Through, b.Done = ids[len(ids)-1], false
		return permitted(ctx, t, "drop audit_log", before, func() error {
			b.Dropped, err = affected(ctx, t, "DELETE FROM audit_log WHERE id IN (?)", bun.List(ids))
			return err
		})
	})
	return b, err
}

// permitted runs body in a transaction that may drop rows of before the time from an append-only table.
func permitted(ctx context.Context, t db.Tx, act string, before time.Time, body func() error) error {
	if _, err := t.NewRaw("INSERT INTO permits (act, older_than) VALUES (?, ?)", act, before).Exec(ctx); err != nil {
		return err
	}
	if err := body(); err != nil {
		return err
	}
	_, err := t.NewRaw("DELETE FROM permits WHERE act = ?", act).Exec(ctx)
	return err
}

// What is dropped by time alone.
var (
	oldSessions = []string{
		"DELETE FROM sessions WHERE token IN (SELECT token FROM sessions WHERE expires_at < ? ORDER BY expires_at LIMIT ?)",
		`DELETE FROM password_resets WHERE token IN (SELECT token FROM password_resets WHERE expires_at < ?
			ORDER BY expires_at LIMIT ?)`,
		"DELETE FROM invitations WHERE token IN (SELECT token FROM invitations WHERE expires_at < ? ORDER BY expires_at LIMIT ?)",
	}
	oldAnswers = []string{
		`DELETE FROM idempotency WHERE (key_id, key) IN (SELECT key_id, key FROM idempotency WHERE created_at < ?
			ORDER BY created_at LIMIT ?)`,
	}
)

// drop runs each statement once, and is done when all have dropped less than a batch.
func (s *Retained) drop(ctx context.Context, texts []string, before time.Time) (b retention.Batch, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		b = retention.Batch{Done: true}
		for _, text := range texts {
			n, err := affected(ctx, t, text, before, s.rows)
			if err != nil {
				return err
			}
			b.Dropped, b.Done = b.Dropped+n, b.Done && n < int64(s.rows)
		}
		return nil
	})
	return b, err
}

func affected(ctx context.Context, t db.Tx, text string, args ...any) (int64, error) {
	res, err := t.NewRaw(text, args...).Exec(ctx)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
