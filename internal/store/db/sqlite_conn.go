package db

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"
)

// sqliteConn runs statements on one connection to SQLite and keeps them
// prepared. It is not safe for concurrent use, as the connection is not.
type sqliteConn struct {
	keptStmts

	conn *sql.Conn
	args []any // buffer
}

func newSQLiteConn(conn *sql.Conn) *sqliteConn {
	return &sqliteConn{keptStmts: keptStmts{on: conn}, conn: conn}
}

// ForUpdate is empty: SQLite's writer holds the whole database.
func (*sqliteConn) ForUpdate() string { return "" }

// Run runs the statements in order.
func (c *sqliteConn) Run(ctx context.Context, all ...*Stmt) error {
	for _, s := range all {
		if err := c.one(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (c *sqliteConn) one(ctx context.Context, s *Stmt) error {
	return c.with(ctx, s.text, func(stmt *sql.Stmt) error { return c.run(ctx, stmt, s) })
}

func (c *sqliteConn) run(ctx context.Context, stmt *sql.Stmt, s *Stmt) error {
	c.args = c.args[:0]
	for _, a := range s.args {
		c.args = append(c.args, stored(a, true))
	}
	if s.row != nil {
		rows, err := stmt.QueryContext(ctx, c.args...)
		if err != nil {
			return err
		}
		return eachRow(rows, s)
	}
	res, err := stmt.ExecContext(ctx, c.args...)
	if err != nil {
		return err
	}
	if s.affected, err = res.RowsAffected(); err != nil {
		return err
	}
	if s.number != nil {
		*s.number, err = res.LastInsertId()
	}
	return err
}

// tx returns the transaction on the connection.
func (c *sqliteConn) tx(db *bun.DB, inner bun.Conn) Tx {
	return Tx{IDB: boundIDB{inner, db, &c.keptStmts, c.conn}, Conn: c}
}

// exec runs a statement without arguments and rows.
func (c *sqliteConn) exec(ctx context.Context, text string) error {
	return c.one(ctx, Exec(text))
}

func (c *sqliteConn) close() error {
	return errors.Join(c.keptStmts.close(), ignoreDone(c.conn.Close()))
}

// ignoreDone drops the error of closing what the driver has closed already.
func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrConnDone) {
		return nil
	}
	return err
}
