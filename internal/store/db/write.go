package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/fault"
)

// Wrap says what failed; nil stays nil.
func Wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}

// storable reports whether a query can be asked with the arguments.
func storable(args []any) bool {
	return !slices.ContainsFunc(args, func(a any) bool {
		v := reflect.ValueOf(a)
		return v.Kind() == reflect.String && !Storable(v.String())
	})
}

// CheckTexts refuses a text that cannot be stored. what names the input.
func CheckTexts(what string, texts ...string) error {
	if slices.ContainsFunc(texts, func(t string) bool { return !Storable(t) }) {
		return fault.New(fault.Invalid, "%s must be valid UTF-8 without NUL characters", what)
	}
	return nil
}

// Shown returns what can be stored of a text from outside that is only shown.
func Shown(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD")
}

// WriteOne runs a statement in a transaction and reports whether it changed a row.
func WriteOne(ctx context.Context, e Engine, text string, args ...any) (changed bool, err error) {
	err = e.Write(ctx, func(ctx context.Context, t Tx) (err error) {
		changed, err = Changed(t.NewRaw(text, args...).Exec(ctx))
		return err
	})
	return changed && err == nil, Wrap(err, "%.24s…", text)
}

// All returns the rows of a query.
func All[T any](ctx context.Context, from bun.IDB, text string, args ...any) (list []T, err error) {
	err = from.NewRaw(text, args...).Scan(ctx, &list)
	return list, err
}

// First returns the first row of a query, or fails with missing, as for a text that no column holds.
func First[T any](ctx context.Context, from bun.IDB, missing error, text string, args ...any) (row T, err error) {
	if !storable(args) {
		return row, missing
	}
	err = from.NewRaw(text, args...).Scan(ctx, &row)
	return row, Missing(err, missing)
}

// Missing returns missing for the error of a query that found no row.
func Missing(err, missing error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return missing
	}
	return err
}

// One runs a statement that changes one row, and fails with missing if there is none such.
func One(ctx context.Context, t bun.IDB, missing error, text string, args ...any) error {
	return OneOf(ctx, missing, t.NewRaw(text, args...))
}

// OneOf is One of a query.
func OneOf(ctx context.Context, missing error, q *bun.RawQuery) error {
	changed, err := Changed(q.Exec(ctx))
	if err == nil && !changed {
		return missing
	}
	return err
}

// Changed reports whether a statement changed one row.
func Changed(res sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// Merge returns the first rows of all ranges together. Each range is ordered in
// the same way and ends after limit rows, so that a page costs the same whatever
// is stored.
func Merge(db bun.IDB, ranges []*bun.SelectQuery, order string, limit int) *bun.RawQuery {
	var text strings.Builder
	var args []any
	for i, q := range ranges {
		if i > 0 {
			text.WriteString(" UNION ALL ")
		}
		fmt.Fprintf(&text, "SELECT * FROM (?) AS r%d", i)
		args = append(args, q)
	}
	text.WriteString(" ORDER BY " + order + " LIMIT ?")
	return db.NewRaw(text.String(), append(args, limit)...)
}
