package store

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// insertWithEvent creates a payment and the event of its creation in one
// statement; it returns nothing if the payment exists.
const insertWithEvent = "WITH p AS (" + insertPayment + ") " +
	"INSERT INTO events (payment_id, seq, event_id, type, at, data) SELECT p.id, ?, ?, ?, ?, ? FROM p RETURNING payment_id"

// create stores a new payment together with those of other callers.
func (e *postgresEngine) create(ctx context.Context, op *createOp) error {
	err := errAlone
	if len(op.events) == 1 && !op.events[0].Type.Public() {
		err = e.creates.do(ctx, op)
	}
	if !errors.Is(err, errAlone) {
		return err
	}
	return e.hot(ctx, func(ctx context.Context, db conn) error { return insertOne(ctx, db, op) })
}

// createTogether sends all in one batch, which is one transaction by itself.
func (e *postgresEngine) createTogether(ctx context.Context, ops []*createOp) error {
	calls := make([]*call, len(ops))
	for i, op := range ops {
		op.row.ID = 0
		event := op.events[0]
		calls[i] = query(func(scan func(...any) error) error { return scan(&op.row.ID) }, insertWithEvent,
			append(op.row.values(), int64(event.Seq), event.ID, string(event.Type), at(event.At), string(event.Data))...)
	}
	if err := (pgxConn{e.pool}).run(ctx, calls...); err != nil {
		return aloneIfRefused(err)
	}
	for _, op := range ops {
		op.exists = op.row.ID == 0
	}
	return nil
}

// change runs a decision together with those of other callers.
func (e *postgresEngine) change(ctx context.Context, op *changeOp) error {
	err := e.changes.do(ctx, op)
	if err == nil {
		err = op.err
	}
	if errors.Is(err, errAlone) {
		err = e.hot(ctx, func(ctx context.Context, db conn) error { return changeOne(ctx, db, e.dialect(), op) })
	}
	repanic(err)
	return err
}

// beginBatch keeps one row that somebody else has locked for long from
// stopping everybody: its operation then waits alone.
var beginBatch = pgx.TxOptions{BeginQuery: "BEGIN; SET LOCAL lock_timeout = '1s'"}

// changeTogether runs the decisions in one transaction, ordered as everybody
// orders them, so that two batches cannot wait for each other. Of several on one
// payment the first is run here, and the others alone.
func (e *postgresEngine) changeTogether(ctx context.Context, ops []*changeOp) error {
	slices.SortStableFunc(ops, func(a, b *changeOp) int { return cmp.Compare(a.id, b.id) })
	first := ops[:0:0]
	for i, op := range ops {
		if i > 0 && op.id == ops[i-1].id {
			op.err = errAlone
			continue
		}
		first = append(first, op)
	}
	err := pgx.BeginTxFunc(ctx, e.pool, beginBatch, func(t pgx.Tx) error {
		return changePayments(ctx, pgxConn{t}, e.dialect(), first)
	})
	return aloneIfRefused(err)
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
