package db

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	sqldialect "github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/schema"
)

// value is an argument that the two databases take in different forms.
type value interface {
	forSQLite() any
	forPostgres() any
}

// Instant is a time as it is stored: UTC, whole microseconds, NULL for the zero
// time. PostgreSQL keeps it as timestamptz, SQLite as an integer of
// microseconds since 1970, which sorts and compares without parsing.
type Instant struct{ time.Time }

// At returns t as it will be read back.
func At(t time.Time) Instant {
	if t.IsZero() {
		return Instant{}
	}
	return Instant{t.UTC().Truncate(time.Microsecond)}
}

// From returns t as the beginning of a range. The zero time, which is stored as
// NULL and compares with nothing, becomes 1970.
func From(t time.Time) Instant {
	if t.IsZero() {
		return At(time.Unix(0, 0))
	}
	return At(t)
}

// AppendQuery writes the literal that the database of gen stores.
func (i Instant) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	if i.IsZero() {
		return sqldialect.AppendNull(b), nil
	}
	if gen.Dialect().Name() == sqldialect.SQLite {
		return fmt.Appendf(b, "%d", i.UnixMicro()), nil
	}
	return gen.Dialect().AppendTime(b, i.Time), nil
}

// Scan reads what either database returns.
func (i *Instant) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*i = Instant{}
	case int64:
		*i = Instant{time.UnixMicro(v).UTC()}
	case time.Time:
		*i = At(v)
	default:
		return fmt.Errorf("a stored time has type %T", src)
	}
	return nil
}

// ScanTimestamptz reads what PostgreSQL sends, without the copies of Scan.
func (i *Instant) ScanTimestamptz(v pgtype.Timestamptz) error {
	if v.InfinityModifier != pgtype.Finite {
		return errors.New("a stored time is infinite")
	}
	*i = At(v.Time) // the zero time for NULL
	return nil
}

func (i Instant) forSQLite() any {
	if i.IsZero() {
		return nil
	}
	return i.UnixMicro()
}

func (i Instant) forPostgres() any {
	if i.IsZero() {
		return nil
	}
	return i.Time
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

func (l List[T]) forSQLite() any { return l.json() }

func (l List[T]) forPostgres() any { return []T(l) }

// AppendQuery writes the literal for Listed.
func (l List[T]) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	if gen.Dialect().Name() == sqldialect.SQLite {
		return gen.Dialect().AppendString(b, l.json()), nil
	}
	return pgdialect.Array([]T(l)).AppendQuery(gen, b)
}

var (
	_ schema.QueryAppender      = Instant{}
	_ pgtype.TimestamptzScanner = (*Instant)(nil)
	_ schema.QueryAppender      = Texts{}
	_ schema.QueryAppender      = Numbers{}
)
