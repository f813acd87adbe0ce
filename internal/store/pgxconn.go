package store

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// pgxConn runs calls as prepared statements of PostgreSQL, several in one
// round trip, and those with a form for many in one statement. Unless it is in
// a transaction, they are one.
type pgxConn struct {
	db interface {
		Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
		Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
		SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
	}
}

func (pgxConn) forUpdate() string { return rowLock }

func (c pgxConn) run(ctx context.Context, calls ...*call) error {
	switch len(calls) {
	case 0:
		return nil
	case 1:
		return c.one(ctx, calls[0])
	}
	groups := grouped(calls)
	var batch pgx.Batch
	for _, g := range groups {
		batch.Queue(numbered(g.one.text), forPostgres(g.one.args)...)
	}
	results := c.db.SendBatch(ctx, &batch)
	// Whatever reading a row does, a panic included, the pool gets its
	// connection back. Closing again is nothing.
	defer func() { _ = results.Close() }()
	for _, g := range groups {
		if err := takeResult(results, g.one); err != nil {
			return err
		}
		g.done()
	}
	return results.Close()
}

func (c pgxConn) one(ctx context.Context, k *call) error {
	if k.row == nil {
		tag, err := c.db.Exec(ctx, numbered(k.text), forPostgres(k.args)...)
		k.affected = tag.RowsAffected()
		return err
	}
	rows, err := c.db.Query(ctx, numbered(k.text), forPostgres(k.args)...)
	if err != nil {
		return err
	}
	return takeRows(rows, k)
}

func takeResult(results pgx.BatchResults, k *call) error {
	if k.row == nil {
		tag, err := results.Exec()
		k.affected = tag.RowsAffected()
		return err
	}
	rows, err := results.Query()
	if err != nil {
		return err
	}
	return takeRows(rows, k)
}

func takeRows(rows pgx.Rows, k *call) error {
	defer rows.Close()
	k.affected = 0
	for rows.Next() {
		if err := k.row(rows.Scan); err != nil {
			return err
		}
		k.affected++
	}
	return rows.Err()
}

func forPostgres(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		if t, ok := a.(instant); ok {
			a = t.forPostgres()
		}
		out[i] = a
	}
	return out
}

// numberedTexts maps statements with ? to those with $1, $2, …: a few dozen.
var numberedTexts sync.Map

func numbered(text string) string {
	if known, ok := numberedTexts.Load(text); ok {
		return known.(string) //nolint:forcetypeassert // nothing else is stored below
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
