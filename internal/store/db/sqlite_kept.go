package db

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// keptTexts is how many statements stay prepared at most.
const keptTexts = 200

// keptStmts are statements of a connection, or of a pool, that stay prepared.
type keptStmts struct {
	on interface {
		PrepareContext(ctx context.Context, text string) (*sql.Stmt, error)
	}
	mu     sync.Mutex
	byText map[string]*keptStmt // nil: the text ran once
}

// keptStmt is a statement and how many use it: its keeper, and callers.
type keptStmt struct {
	stmt *sql.Stmt
	uses int
}

// with runs fn with the statement.
func (k *keptStmts) with(ctx context.Context, text string, fn func(*sql.Stmt) error) error {
	one := k.take(text)
	if one == nil {
		stmt, err := k.on.PrepareContext(ctx, text)
		if err != nil {
			return err
		}
		one = &keptStmt{stmt, 2} // one caller, and who keeps it
		k.keep(text, one)
	}
	defer k.release(one)
	return fn(one.stmt)
}

func (k *keptStmts) take(text string) *keptStmt {
	k.mu.Lock()
	defer k.mu.Unlock()
	one := k.byText[text]
	if one != nil {
		one.uses++
	}
	return one
}

// again reports whether the text ran before: to prepare one for a single run would cost more.
func (k *keptStmts) again(text string) bool {
	k.mu.Lock()
	_, ran := k.byText[text]
	k.mu.Unlock()
	if !ran {
		k.keep(text, nil)
	}
	return ran
}

// keep makes room if needed: any statement may go.
func (k *keptStmts) keep(text string, one *keptStmt) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byText == nil {
		k.byText = make(map[string]*keptStmt)
	}
	_ = k.drop(text) // another caller may have prepared it meanwhile
	for other := range k.byText {
		if len(k.byText) < keptTexts {
			break
		}
		_ = k.drop(other)
	}
	k.byText[text] = one
}

func (k *keptStmts) drop(text string) error {
	one := k.byText[text]
	delete(k.byText, text)
	return one.release()
}

func (k *keptStmts) release(one *keptStmt) {
	k.mu.Lock()
	defer k.mu.Unlock()
	_ = one.release()
}

func (s *keptStmt) release() error {
	if s == nil {
		return nil
	}
	if s.uses--; s.uses > 0 {
		return nil
	}
	return s.stmt.Close()
}

// close closes the statements, which must happen before the connection is closed, or the driver panics.
func (k *keptStmts) close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var errs []error
	for text := range k.byText {
		errs = append(errs, k.drop(text))
	}
	return errors.Join(errs...)
}
