package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/uptrace/bun"
)

// call is one prepared statement to run. Its text has ? for each argument, in
// order, and none elsewhere; texts are constants, so that each is prepared
// once for a connection.
type call struct {
	text string
	args []any
	// row reads one row; nil for a statement that returns none.
	row func(scan func(...any) error) error
	// affected is how many rows it wrote or read.
	affected int64
	// anyNumber: it may write any number of rows, not one alone.
	anyNumber bool
	// many is the statement for several calls of this text at once on
	// PostgreSQL, where a row more costs much less than a statement more: it
	// takes the arguments of all as a table. A row it returns says whose it is,
	// and row may be that of any of them. Empty: there is no such statement.
	many string
	// number is what SQLite has numbered the row that was written.
	number int64
}

// runAll runs calls and fails unless each has written one row, where it is to.
func runAll(ctx context.Context, c conn, calls []*call) error {
	if err := c.run(ctx, calls...); err != nil {
		return err
	}
	for _, k := range calls {
		if k.affected != 1 && !k.anyNumber {
			return fmt.Errorf("%w: %d rows by %.40s…", errLost, k.affected, k.text)
		}
	}
	return nil
}

// statement returns a call that writes.
func statement(text string, args ...any) *call { return &call{text: text, args: args} }

// query returns a call that reads, giving each row to row.
func query(row func(scan func(...any) error) error, text string, args ...any) *call {
	return &call{text: text, args: args, row: row}
}

// conn runs prepared statements in a transaction.
type conn interface {
	// run runs the calls in order: on PostgreSQL in one round trip.
	run(ctx context.Context, calls ...*call) error
	// forUpdate is what locks the rows that a SELECT returns. SQLite needs
	// nothing: its writer holds the whole database.
	forUpdate() string
}

// rowLock is PostgreSQL's lock of the rows that a SELECT returns. No update
// here changes a key, so rows that refer to a locked one can still be written.
const rowLock = " FOR NO KEY UPDATE"

// tx is one open transaction: bun for most, conn for what is also run by
// prepared statements.
type tx struct {
	bun.IDB
	conn
}

// bunConn runs calls on bun's connection to PostgreSQL.
type bunConn struct{ db bun.IDB }

func (bunConn) forUpdate() string { return rowLock }

func (c bunConn) run(ctx context.Context, calls ...*call) error {
	for _, k := range calls {
		if err := c.one(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

func (c bunConn) one(ctx context.Context, k *call) error {
	if k.row == nil {
		res, err := c.db.ExecContext(ctx, k.text, k.args...)
		if err != nil {
			return err
		}
		k.affected, err = res.RowsAffected()
		return err
	}
	rows, err := c.db.QueryContext(ctx, k.text, k.args...)
	if err != nil {
		return err
	}
	return eachRow(rows, k)
}

// eachRow gives every row to the call and closes rows.
func eachRow(rows *sql.Rows, k *call) error {
	defer rows.Close()
	for rows.Next() {
		if err := k.row(rows.Scan); err != nil {
			return err
		}
		k.affected++
	}
	return rows.Err()
}
