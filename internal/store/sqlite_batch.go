package store

import (
	"context"
	"errors"
)

// create stores a new payment together with those of other callers.
func (e *sqliteEngine) create(ctx context.Context, op *createOp) error {
	err := e.creates.do(ctx, op)
	if errors.Is(err, errAlone) {
		err = e.hot(ctx, func(ctx context.Context, db conn) error { return insertNumbered(ctx, db, op) })
	}
	return err
}

func (e *sqliteEngine) createTogether(ctx context.Context, ops []*createOp) error {
	return aloneUnlessLost(e.hot(ctx, func(ctx context.Context, db conn) error {
		for _, op := range ops {
			if err := insertNumbered(ctx, db, op); err != nil {
				return err
			}
		}
		return nil
	}))
}

// insertNumbered is insertOne that learns the number of the payment from the
// connection, which costs SQLite less than a row that is returned.
func insertNumbered(ctx context.Context, db conn, op *createOp) error {
	insert := statement(insertPayment, op.row.values()...)
	if err := db.run(ctx, insert); err != nil {
		return err
	}
	op.exists, op.row.ID = insert.affected == 0, insert.number
	if op.exists {
		return nil
	}
	return runAll(ctx, db, op.parts())
}

// change runs a decision together with those of other callers.
func (e *sqliteEngine) change(ctx context.Context, op *changeOp) error {
	return changeIn(ctx, e, e.changes, op)
}

func (e *sqliteEngine) changeTogether(ctx context.Context, ops []*changeOp) error {
	first := distinct(ops)
	return aloneUnlessLost(e.hot(ctx, func(ctx context.Context, db conn) error { return changePayments(ctx, db, e.dialect(), first) }))
}

// aloneUnlessLost lets each operation of a batch run alone if it failed, unless
// for another process, which all of them would meet again.
func aloneUnlessLost(err error) error {
	if err == nil || lostAgainstAnother(err) || errors.Is(err, errClosed) {
		return err
	}
	return errAlone
}
