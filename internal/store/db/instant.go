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

// Texts is a list of texts as one argument, for Listed.
type Texts []string

// Listed returns the condition that a column holds one of the Texts, or of the
// Numbers, that are the argument.
func (d Dialect) Listed(column string) string {
	if d.ManyWriters {
		return column + " = ANY(?)"
	}
	return column + " IN (SELECT value FROM json_each(?))"
}

func (t Texts) forSQLite() any {
	text, _ := json.Marshal([]string(t)) //nolint:errchkjson // a list of strings is always JSON
	return string(text)
}

func (t Texts) forPostgres() any { return []string(t) }

// AppendQuery writes the literal for Listed.
func (t Texts) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	if gen.Dialect().Name() == sqldialect.SQLite {
		return gen.Dialect().AppendString(b, t.forSQLite().(string)), nil //nolint:forcetypeassert // see above
	}
	return pgdialect.Array([]string(t)).AppendQuery(gen, b)
}

// Numbers is a list of row numbers as one argument, for Listed.
type Numbers []int64

func (n Numbers) forSQLite() any {
	text, _ := json.Marshal([]int64(n)) //nolint:errchkjson // a list of numbers is always JSON
	return string(text)
}

func (n Numbers) forPostgres() any { return []int64(n) }

// AppendQuery writes the literal for Listed.
func (n Numbers) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	if gen.Dialect().Name() == sqldialect.SQLite {
		return gen.Dialect().AppendString(b, n.forSQLite().(string)), nil //nolint:forcetypeassert // see above
	}
	return pgdialect.Array([]int64(n)).AppendQuery(gen, b)
}

var (
	_ schema.QueryAppender      = Instant{}
	_ pgtype.TimestamptzScanner = (*Instant)(nil)
	_ schema.QueryAppender      = Texts{}
	_ schema.QueryAppender      = Numbers{}
)
