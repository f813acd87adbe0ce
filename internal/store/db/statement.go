package db

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/uptrace/bun"
)

// Scan reads the columns of one row into dest.
type Scan = func(dest ...any) error

// Stmt is one execution of a prepared statement: a text with ? for each
// argument, in order, and none elsewhere. Texts are constants of the program,
// so that each is prepared once for a connection.
type Stmt struct {
	text string
	args []any
	// row reads one row; nil for a statement that returns none.
	row func(Scan) error
	// many is the text that runs several executions at once on PostgreSQL, where
	// another row costs much less than another statement: it takes the arguments
	// of all as arrays. A row it returns must say which execution it belongs to,
	// for the row function of any of them may get it. Empty: there is none.
	many string
	// affected is how many rows it wrote or read.
	affected int64
	// number gets the id of the inserted row; nil: it is not needed.
	number *int64
	// anyNumber: it may write any number of rows, not just one.
	anyNumber bool
}

// Exec returns a statement that returns no rows.
func Exec(text string, args ...any) *Stmt { return &Stmt{text: text, args: args} }

// Query returns a statement that passes each row it reads to row.
func Query(row func(Scan) error, text string, args ...any) *Stmt {
	return &Stmt{text: text, args: args, row: row}
}

// AnyNumber allows the statement to write no row, or many.
func (s *Stmt) AnyNumber() *Stmt {
	s.anyNumber = true
	return s
}

// Affected returns how many rows the statement wrote or read.
func (s *Stmt) Affected() int64 { return s.affected }

// returning makes PostgreSQL return the id of the inserted row. SQLite reads it
// from the connection, which costs less.
func (s *Stmt) returning() {
	if s.number == nil || s.row != nil {
		return
	}
	s.text += " RETURNING id"
	s.row = func(scan Scan) error { return scan(s.number) }
}

// Conn runs prepared statements in a transaction.
type Conn interface {
	// Run runs the statements in order: on PostgreSQL in one round trip.
	Run(ctx context.Context, all ...*Stmt) error
	// ForUpdate is the clause that locks the rows a SELECT returns. It is empty
	// on SQLite, whose writer holds the whole database.
	ForUpdate() string
}

// RunEach runs the statements and fails with ErrLost unless each wrote one row,
// AnyNumber excepted.
func RunEach(ctx context.Context, c Conn, all []*Stmt) error {
	if err := c.Run(ctx, all...); err != nil {
		return err
	}
	for _, s := range all {
		if s.affected != 1 && !s.anyNumber {
			return fmt.Errorf("%w: %d rows by %.40s…", ErrLost, s.affected, s.text)
		}
	}
	return nil
}

// rowLock is PostgreSQL's lock of the rows that a SELECT returns. No update
// changes a key, so rows that refer to a locked one can still be written.
const rowLock = " FOR NO KEY UPDATE"

// Tx is one open transaction: bun for most queries, Conn for statements that
// the hot paths run as well.
type Tx struct {
	bun.IDB
	Conn
}

// bunConn runs statements on bun's connection to PostgreSQL.
type bunConn struct{ db bun.IDB }

func (bunConn) ForUpdate() string { return rowLock }

func (c bunConn) Run(ctx context.Context, all ...*Stmt) error {
	for _, s := range all {
		if err := c.one(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (c bunConn) one(ctx context.Context, s *Stmt) error {
	s.returning()
	if s.row == nil {
		res, err := c.db.ExecContext(ctx, s.text, s.args...)
		if err != nil {
			return err
		}
		s.affected, err = res.RowsAffected()
		return err
	}
	rows, err := c.db.QueryContext(ctx, s.text, s.args...)
	if err != nil {
		return err
	}
	return eachRow(rows, s)
}

// eachRow passes every row to the statement and closes rows.
func eachRow(rows *sql.Rows, s *Stmt) error {
	defer rows.Close()
	s.affected = 0
	for rows.Next() {
		if err := s.row(rows.Scan); err != nil {
			return err
		}
		s.affected++
	}
	return rows.Err()
}
