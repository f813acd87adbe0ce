package db

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// pgxConn runs prepared statements of PostgreSQL, several in one round trip,
// and executions of one text for many rows as one statement. On a pool, one
// call of Run is one transaction.
type pgxConn struct {
	db interface {
		Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
		Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
		SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
	}
}

func (pgxConn) ForUpdate() string { return rowLock }

func (c pgxConn) Run(ctx context.Context, all ...*Stmt) error {
	switch len(all) {
	case 0:
		return nil
	case 1:
		return c.one(ctx, all[0])
	}
	for _, s := range all {
		s.returning()
	}
	groups := grouped(all)
	var batch pgx.Batch
	for _, g := range groups {
		batch.Queue(numbered(g.one.text), forPostgres(g.one.args)...)
	}
	results := c.db.SendBatch(ctx, &batch)
	// Even if reading a row panics, the pool gets its connection back. Closing a
	// second time has no effect.
	defer func() { _ = results.Close() }()
	for _, g := range groups {
		if err := takeResult(results, g.one); err != nil {
			return err
		}
		g.done()
	}
	return results.Close()
}

func (c pgxConn) one(ctx context.Context, s *Stmt) error {
	s.returning()
	if s.row == nil {
		tag, err := c.db.Exec(ctx, numbered(s.text), forPostgres(s.args)...)
		s.affected = tag.RowsAffected()
		return err
	}
	rows, err := c.db.Query(ctx, numbered(s.text), forPostgres(s.args)...)
	if err != nil {
		return err
	}
	return takeRows(rows, s)
}

func takeResult(results pgx.BatchResults, s *Stmt) error {
	if s.row == nil {
		tag, err := results.Exec()
		s.affected = tag.RowsAffected()
		return err
	}
	rows, err := results.Query()
	if err != nil {
		return err
	}
	return takeRows(rows, s)
}

func takeRows(rows pgx.Rows, s *Stmt) error {
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

func forPostgres(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = stored(a, false)
	}
	return out
}

// numberedTexts maps statements with ? to those with $1, $2, …: a few dozen.
var numberedTexts sync.Map

func numbered(text string) string {
	if known, ok := numberedTexts.Load(text); ok {
		return known.(string) //nolint:forcetypeassert // only strings are stored below
	}
	var b strings.Builder
	n := 0
	for _, r := range text {
		if r != '?' {
			b.WriteRune(r)
			continue
		}
		n++
		b.WriteString("$" + strconv.Itoa(n))
	}
	numberedTexts.Store(text, b.String())
	return b.String()
}
