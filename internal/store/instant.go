package store

import (
	"fmt"
	"time"

	sqldialect "github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/schema"
)

// instant is a time as it is stored: UTC, whole microseconds, NULL for the
// zero time. PostgreSQL keeps it as timestamptz, SQLite as an integer of
// microseconds since 1970, which sorts and compares without parsing.
type instant struct{ time.Time }

// at returns t as it will be read back.
func at(t time.Time) instant {
	if t.IsZero() {
		return instant{}
	}
	return instant{t.UTC().Truncate(time.Microsecond)}
}

// AppendQuery writes the literal that the database of gen stores.
func (i instant) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	if i.IsZero() {
		return sqldialect.AppendNull(b), nil
	}
	if gen.Dialect().Name() == sqldialect.SQLite {
		return fmt.Appendf(b, "%d", i.UnixMicro()), nil
	}
	return gen.Dialect().AppendTime(b, i.Time), nil
}

// Scan reads what either database returns.
func (i *instant) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*i = instant{}
	case int64:
		*i = instant{time.UnixMicro(v).UTC()}
	case time.Time:
		*i = at(v)
	default:
		return fmt.Errorf("a stored time has type %T", src)
	}
	return nil
}

// forSQLite returns the argument that a prepared statement of SQLite takes.
func (i instant) forSQLite() any {
	if i.IsZero() {
		return nil
	}
	return i.UnixMicro()
}

// forPostgres returns the argument that a prepared statement of PostgreSQL takes.
func (i instant) forPostgres() any {
	if i.IsZero() {
		return nil
	}
	return i.Time
}

var _ schema.QueryAppender = instant{}
