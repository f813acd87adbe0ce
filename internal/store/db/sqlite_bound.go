package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"reflect"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// mostBound is how many arguments a text has at most to be kept prepared: longer lists seldom repeat.
const mostBound = 64

// boundIDB is bun's view of SQLite that passes arguments beside the text of a query, in which bun would write them. The
// same text is then prepared once, and preparing is half of what a small query costs.
type boundIDB struct {
	bun.IDB

	db   *bun.DB
	kept *keptStmts
	conn bun.IConn // the connection or pool that kept prepares on, as bun sees it
}

// NewRaw returns a query that runs prepared.
func (d boundIDB) NewRaw(text string, args ...any) *bun.RawQuery {
	q := &boundQuery{boundIDB: d}
	all := make([]any, len(args))
	for i, a := range args {
		all[i] = param(func(gen schema.QueryGen, b []byte) ([]byte, error) { return q.append(gen, b, a) })
	}
	return bun.NewRawQuery(d.db, text, all...).Conn(q)
}

// param writes one argument. It is a function, since bun takes a single argument that is a struct for named ones.
type param func(schema.QueryGen, []byte) ([]byte, error)

// AppendQuery writes the argument into the text.
func (p param) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) { return p(gen, b) }

// boundQuery is a query whose text is written with ? for each value, and its connection.
type boundQuery struct {
	boundIDB

	args []any
}

// append writes an argument. Of a query within another one, the outer one has the arguments.
func (q *boundQuery) append(gen schema.QueryGen, b []byte, a any) ([]byte, error) {
	to, within := gen.Dialect().(*boundDialect)
	if !within {
		to = &boundDialect{q.db.Dialect(), &q.args}
		gen = schema.NewQueryGen(to)
	}
	if part, ok := a.(schema.QueryAppender); ok {
		return part.AppendQuery(gen, b)
	}
	if !bindable(a) {
		return gen.Append(b, a), nil
	}
	return to.bind(b, a), nil
}

// bindable reports whether the driver takes the value; bun writes others as JSON.
func bindable(a any) bool {
	switch a.(type) {
	case driver.Valuer, []byte:
		return true
	}
	switch reflect.ValueOf(a).Kind() { //nolint:exhaustive // the rest is JSON
	case reflect.Slice, reflect.Array, reflect.Map, reflect.Struct, reflect.Pointer:
		return false
	}
	return true
}

func (q *boundQuery) QueryContext(ctx context.Context, text string, _ ...any) (rows *sql.Rows, err error) {
	args := q.take()
	if len(args) > mostBound || !q.kept.again(text) {
		return q.conn.QueryContext(ctx, text, args...) //nolint:sqlclosecheck // bun's
	}
	err = q.kept.with(ctx, text, func(stmt *sql.Stmt) error {
		rows, err = stmt.QueryContext(ctx, args...) //nolint:rowserrcheck,sqlclosecheck // bun's
		return err
	})
	return rows, outage(err)
}

func (q *boundQuery) ExecContext(ctx context.Context, text string, _ ...any) (res sql.Result, err error) {
	args := q.take()
	if len(args) > mostBound || !q.kept.again(text) {
		return q.conn.ExecContext(ctx, text, args...)
	}
	err = q.kept.with(ctx, text, func(stmt *sql.Stmt) error {
		res, err = stmt.ExecContext(ctx, args...)
		return err
	})
	return res, outage(err)
}

// take returns the arguments of the text that was written last.
func (q *boundQuery) take() []any {
	args := q.args
	q.args = nil
	return args
}

// boundDialect writes ? for a value and keeps the value.
type boundDialect struct {
	schema.Dialect

	args *[]any
}

func (d *boundDialect) bind(b []byte, a any) []byte {
	*d.args = append(*d.args, a)
	return append(b, '?')
}

// AppendString writes a text.
func (d *boundDialect) AppendString(b []byte, s string) []byte { return d.bind(b, s) }

// AppendTime writes a time.
func (d *boundDialect) AppendTime(b []byte, t time.Time) []byte { return d.bind(b, stored(t, true)) }

// AppendBytes writes bytes.
func (d *boundDialect) AppendBytes(b, v []byte) []byte { return d.bind(b, v) }
