package db

import (
	"encoding/json"
	"time"

	sqldialect "github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/schema"
)

// value is an argument that the two databases take in different forms.
type value interface {
	stored(sqlite bool) any
}

// stored returns an argument as a database takes it. A time is whole microseconds in UTC, and NULL for the zero time:
// PostgreSQL keeps it as timestamptz, SQLite as an integer of microseconds since 1970, which sorts and compares without
// parsing.
func stored(a any, sqlite bool) any {
	switch v := a.(type) {
	case value:
		return v.stored(sqlite)
	case time.Time:
		switch {
		case v.IsZero():
			return nil
		case sqlite:
			return v.UnixMicro()
		}
		return At(v)
	}
	return a
}

// At returns t as it will be read back.
func At(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Microsecond)
}

// From returns t as the beginning of a range. The zero time, which is stored as
// NULL and compares with nothing, becomes 1970.
func From(t time.Time) time.Time {
	if t.IsZero() {
		t = time.Unix(0, 0)
	}
	return At(t)
}

// List is a list as one argument, for Listed.
type List[T string | int64] []T

// Texts is a list of texts.
type Texts = List[string]

// Numbers is a list of row numbers.
type Numbers = List[int64]

// Listed returns the condition that a column holds one of the List that is the argument.
func (d Dialect) Listed(column string) string {
	if d.ManyWriters {
		return column + " = ANY(?)"
	}
	return column + " IN (SELECT value FROM json_each(?))"
}

func (l List[T]) json() string {
	text, _ := json.Marshal([]T(l)) //nolint:errchkjson // a list of texts or numbers is always JSON
	return string(text)
}

func (l List[T]) stored(sqlite bool) any {
	if sqlite {
		return l.json()
	}
	return []T(l)
}

// AppendQuery writes the literal for Listed.
func (l List[T]) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	if gen.Dialect().Name() == sqldialect.SQLite {
		return gen.Dialect().AppendString(b, l.json()), nil
	}
	return pgdialect.Array([]T(l)).AppendQuery(gen, b)
}

var (
	_ schema.QueryAppender = Texts{}
	_ schema.QueryAppender = Numbers{}
)
