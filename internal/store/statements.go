package store

import (
	"context"
	"database/sql"
	"errors"
)

// statements keeps the statements of one connection to SQLite prepared, by
// their text. It is not safe for concurrent use, as the connection is not.
type statements struct {
	conn   *sql.Conn
	byText map[string]*sql.Stmt
	args   []any // buffer for arguments
}

func newStatements(conn *sql.Conn) statements {
	return statements{conn: conn, byText: make(map[string]*sql.Stmt)}
}

func (s *statements) prepared(ctx context.Context, text string) (*sql.Stmt, error) {
	if stmt, ok := s.byText[text]; ok {
		return stmt, nil
	}
	stmt, err := s.conn.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	s.byText[text] = stmt
	return stmt, nil
}

// forUpdate is empty: SQLite's writer holds the whole database.
func (*statements) forUpdate() string { return "" }

// run runs the calls in order.
func (s *statements) run(ctx context.Context, calls ...*call) error {
	for _, k := range calls {
		if err := s.one(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

func (s *statements) one(ctx context.Context, k *call) error {
	stmt, err := s.prepared(ctx, k.text) //nolint:sqlclosecheck // it stays prepared until close
	if err != nil {
		return err
	}
	s.args = s.args[:0]
	for _, a := range k.args {
		if i, ok := a.(instant); ok {
			a = i.forSQLite()
		}
		s.args = append(s.args, a)
	}
	k.affected = 0
	if k.row == nil {
		res, err := stmt.ExecContext(ctx, s.args...)
		if err != nil {
			return err
		}
		if k.affected, err = res.RowsAffected(); err != nil {
			return err
		}
		k.number, err = res.LastInsertId()
		return err
	}
	rows, err := stmt.QueryContext(ctx, s.args...)
	if err != nil {
		return err
	}
	return eachRow(rows, k)
}

// exec runs a statement that takes nothing and returns nothing.
func (s *statements) exec(ctx context.Context, text string) error {
	return s.one(ctx, statement(text))
}

func (s *statements) close() error {
	var errs []error
	for _, stmt := range s.byText {
		errs = append(errs, stmt.Close())
	}
	clear(s.byText)
	return errors.Join(append(errs, ignoreDone(s.conn.Close()))...)
}

// ignoreDone drops the error of closing what the driver had closed already.
func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrConnDone) {
		return nil
	}
	return err
}
