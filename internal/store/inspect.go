package store

import (
	"context"
	"errors"
	"time"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/store/db"
)

// Inspection is what the database says of itself.
type Inspection struct {
	Server, Version string
	VersionNumber   int       // of PostgreSQL, as server_version_num; 0: SQLite
	Clock           time.Time // zero: this machine's
	// Isolation is how far apart the program's transactions are kept, in the words of PostgreSQL.
	Isolation string
	// Unsafe is the setting by which a power cut can take back what was committed; empty: there is none.
	Unsafe  string
	Bytes   int64     // size of the database
	Applied string    // the newest migration; empty: the database is empty
	Pending []db.Step // migrations that are missing
	New     bool      // no user is in it
	Slots   []alert.Slot
	Key     error // why the sealer cannot open the secrets; nil also while migrations are missing
}

// inspects are the questions to each server: what Inspection has between Version and Bytes, in order.
const (
	inspectPostgres = `SELECT current_setting('server_version'), current_setting('server_version_num')::int,
		current_setting('transaction_isolation'), CASE WHEN current_setting('fsync') = 'off' THEN 'fsync=off'
		WHEN current_setting('full_page_writes') = 'off' THEN 'full_page_writes=off'
		WHEN current_setting('synchronous_commit') = 'off' THEN 'synchronous_commit=off' ELSE '' END,
		pg_database_size(current_database())`
	inspectSQLite = `SELECT sqlite_version(), 0, 'serializable',
		CASE WHEN (SELECT synchronous FROM pragma_synchronous) < 2 THEN 'synchronous' ELSE '' END,
		(SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size)`
)

// Inspect reads what `florin doctor` checks. It changes nothing, locks nothing, and waits for no other program.
func (s *Store) Inspect(ctx context.Context) (x Inspection, err error) {
	schema, err := s.Schema(ctx)
	if err = errors.Join(err, schema.Check()); err != nil {
		return x, err
	}
	x.Applied, x.Pending = schema.Applied, schema.Missing
	query := inspectSQLite
	x.Server = "SQLite"
	if s.db.Dialect().ManyWriters {
		x.Server, query = "PostgreSQL", inspectPostgres
		if x.Clock, err = s.Clock(ctx); err != nil {
			return x, err
		}
	}
	if err := s.db.Reader().NewRaw(query).Scan(ctx, &x.Version, &x.VersionNumber, &x.Isolation, &x.Unsafe,
		&x.Bytes); err != nil {
		return x, db.Wrap(err, "settings of the database")
	}
	if x.Slots, err = s.Reports().Slots(ctx); err != nil {
		return x, err
	}
	if x.Applied != "" {
		if x.New, err = s.New(ctx); err != nil {
			return x, err
		}
	}
	if len(x.Pending) == 0 {
		x.Key = verifyKey(ctx, s.db.Reader(), s.sealer)
	}
	return x, nil
}
