package db

import (
	"context"
	"database/sql"
	"errors"
)

// sqliteConn runs statements on one connection to SQLite and keeps them
// prepared, by their text. It is not safe for concurrent use, as the connection
// is not.
type sqliteConn struct {
	conn   *sql.Conn
	byText map[string]*sql.Stmt
	args   []any // buffer
}

func newSQLiteConn(conn *sql.Conn) sqliteConn {
	return sqliteConn{conn: conn, byText: make(map[string]*sql.Stmt)}
}

func (c *sqliteConn) prepared(ctx context.Context, text string) (*sql.Stmt, error) {
	if stmt, ok := c.byText[text]; ok {
		return stmt, nil
	}
	stmt, err := c.conn.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	c.byText[text] = stmt
	return stmt, nil
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
	stmt, err := c.prepared(ctx, s.text) //nolint:sqlclosecheck // it stays prepared until close
	if err != nil {
		return err
	}
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

// exec runs a statement without arguments and rows.
func (c *sqliteConn) exec(ctx context.Context, text string) error {
	return c.one(ctx, Exec(text))
}

func (c *sqliteConn) close() error {
	var errs []error
	for _, stmt := range c.byText {
		errs = append(errs, stmt.Close())
	}
	clear(c.byText)
	return errors.Join(append(errs, ignoreDone(c.conn.Close()))...)
}

// ignoreDone drops the error of closing what the driver has closed already.
func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrConnDone) {
		return nil
	}
	return err
}
