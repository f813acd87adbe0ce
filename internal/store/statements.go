package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// statements keeps statements prepared, by their text.
type statements struct {
	db interface {
		PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
	}
	mu     sync.RWMutex
	byText map[string]*sql.Stmt
}

func (s *statements) prepared(ctx context.Context, text string) (*sql.Stmt, error) {
	s.mu.RLock()
	stmt, ok := s.byText[text]
	s.mu.RUnlock()
	if ok {
		return stmt, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if stmt, ok := s.byText[text]; ok {
		return stmt, nil
	}
	stmt, err := s.db.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	if s.byText == nil {
		s.byText = make(map[string]*sql.Stmt)
	}
	s.byText[text] = stmt
	return stmt, nil
}

// run runs the call; args is a buffer it may reuse.
func (s *statements) run(ctx context.Context, args []any, k *call) error {
	stmt, err := s.prepared(ctx, k.text)
	if err != nil {
		return err
	}
	return runStmt(ctx, stmt, args, k)
}

// exec runs a statement that takes nothing and returns nothing.
func (s *statements) exec(ctx context.Context, text string) error {
	return s.run(ctx, nil, exec(text))
}

func runStmt(ctx context.Context, stmt *sql.Stmt, args []any, k *call) error {
	args = args[:0]
	for _, a := range k.args {
		if i, ok := a.(instant); ok {
			a = i.forSQLite()
		}
		args = append(args, a)
	}
	k.affected = 0
	if k.row == nil {
		res, err := stmt.ExecContext(ctx, args...)
		if err != nil {
			return err
		}
		k.affected, err = res.RowsAffected()
		return err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	return eachRow(rows, k)
}

func (s *statements) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, stmt := range s.byText {
		errs = append(errs, stmt.Close())
	}
	s.byText = nil
	return errors.Join(errs...)
}
