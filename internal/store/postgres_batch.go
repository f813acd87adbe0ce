package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// insertWithEvents creates payments, each with the event of its creation, in
// one statement; it returns nothing of a payment that exists. One that is there
// twice is refused with all others, for its event would be written twice.
var insertWithEvents = "WITH n AS (SELECT * FROM " + table(append(paymentTable(),
	"event_seq bigint", "event_id text", "event_type text", "event_at timestamptz", "event_data text")...) + "), " +
	"p AS (INSERT INTO payments (" + paymentColumns + ") SELECT " + paymentColumns + " FROM n " +
	"ON CONFLICT (public_id) DO NOTHING RETURNING id, public_id), " +
	"e AS (INSERT INTO events (payment_id, seq, event_id, type, at, data) " +
	"SELECT p.id, n.event_seq, n.event_id, n.event_type, n.event_at, n.event_data FROM p JOIN n USING (public_id)) " +
	"SELECT public_id, id FROM p"

// paymentTable is paymentColumns with their types.
func paymentTable() []string {
	columns := strings.Split(paymentColumns, ", ")
	for i, v := range (&paymentRow{}).values() {
		switch v.(type) {
		case string:
			columns[i] += " text"
		case int64:
			columns[i] += " bigint"
		case bool:
			columns[i] += " boolean"
		case instant:
			columns[i] += " timestamptz"
		}
	}
	return columns
}

// create stores a new payment together with those of other callers, or alone
// if it leaves more than the event of its creation.
func (e *postgresEngine) create(ctx context.Context, op *createOp) error {
	err := errAlone
	if len(op.events) == 1 && len(op.lines) == 0 && !op.events[0].Type.Public() {
		err = e.creates.do(ctx, op)
	}
	if !errors.Is(err, errAlone) {
		return err
	}
	return e.hot(ctx, func(ctx context.Context, db conn) error { return insertOne(ctx, db, op) })
}

// createTogether sends all in one batch, which is one transaction by itself.
func (e *postgresEngine) createTogether(ctx context.Context, ops []*createOp) error {
	rows, byID := make([][]any, len(ops)), make(map[string]*createOp, len(ops))
	for i, op := range ops {
		op.row.ID = 0
		byID[op.row.PublicID] = op
		event := op.events[0]
		rows[i] = append(op.row.values(), int64(event.Seq), event.ID, string(event.Type), at(event.At), string(event.Data))
	}
	all := query(func(scan func(...any) error) error {
		var id string
		var number int64
		if err := scan(&id, &number); err != nil {
			return err
		}
		byID[id].row.ID = number
		return nil
	}, insertWithEvents, columnsOf(rows)...)
	if err := (pgxConn{e.pool}).run(ctx, all); err != nil {
		return aloneIfRefused(err)
	}
	for _, op := range ops {
		op.exists = op.row.ID == 0
	}
	return nil
}

// change runs a decision together with those of other callers.
func (e *postgresEngine) change(ctx context.Context, op *changeOp) error {
	return changeIn(ctx, e, e.changes, op)
}

// beginBatch keeps one row that somebody else has locked for long from
// stopping everybody: its operation then waits alone.
var beginBatch = pgx.TxOptions{BeginQuery: "BEGIN; SET LOCAL lock_timeout = '1s'"}

// changeTogether runs the decisions in one transaction, ordered as everybody
// orders them, so that two batches cannot wait for each other. Of several on one
// payment the first is run here, and the others alone.
func (e *postgresEngine) changeTogether(ctx context.Context, ops []*changeOp) error {
	first := distinct(ops)
	err := pgx.BeginTxFunc(ctx, e.pool, beginBatch, func(t pgx.Tx) error {
		return changePayments(ctx, pgxConn{t}, e.dialect(), first)
	})
	return aloneIfRefused(err)
}

// distinct orders the decisions by payment and returns the first on each; the
// others are to run alone.
func distinct(ops []*changeOp) []*changeOp {
	slices.SortStableFunc(ops, func(a, b *changeOp) int { return cmp.Compare(a.id, b.id) })
	first := ops[:0:0]
	for i, op := range ops {
		if i > 0 && op.id == ops[i-1].id {
			op.err = errAlone
			continue
		}
		first = append(first, op)
	}
	return first
}

// aloneIfRefused lets each operation of a batch run alone if the server refused
// one of them, or a decision is not what it must be.
func aloneIfRefused(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) || errors.Is(err, errLost) {
		return errAlone
	}
	return err
}
