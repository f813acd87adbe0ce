package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/florinpay/florin/migrations"
)

// busyTimeoutMillis is how long SQLite itself waits for another process that
// writes: longer than any transaction here takes.
const busyTimeoutMillis = 10_000

// sqliteEngine keeps the database in one file. All writing goes through one
// writer; readers have their own connections and see what is committed.
type sqliteEngine struct {
	path    string
	db      *bun.DB // for bun's reads
	readers *readers
	writer  *writer

	creates *batcher[*createOp]
	changes *batcher[*changeOp]
}

// openSQLite opens the file, which is made if it is missing.
func openSQLite(ctx context.Context, path string, o Options) (*sqliteEngine, error) {
	e := &sqliteEngine{path: path}
	writing, err := e.openPool(nil)
	if err != nil {
		return nil, err
	}
	writing.SetMaxOpenConns(1)
	// The writer's connection makes the file and its write-ahead log, without
	// which a reader cannot open it.
	e.writer, err = startWriter(ctx, bun.NewDB(writing, sqlitedialect.New()))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), writing.Close())
	}
	reading, err := e.openPool(url.Values{"_query_only": {"1"}, "_txlock": {"deferred"}})
	if err != nil {
		return nil, errors.Join(err, e.writer.close())
	}
	reading.SetMaxOpenConns(2 * o.MaxConns) // half of them for readers
	reading.SetMaxIdleConns(o.MaxConns)
	e.db = bun.NewDB(reading, sqlitedialect.New())
	e.readers = newReaders(e.db, o.MaxConns)
	e.creates, e.changes = newBatcher(e.createTogether), newBatcher(e.changeTogether)
	return e, nil
}

// openPool returns a pool on the file with the settings every connection has.
func (e *sqliteEngine) openPool(more url.Values) (*sql.DB, error) {
	full, err := filepath.Abs(e.path)
	if err != nil {
		return nil, fmt.Errorf("path of the database: %w", err)
	}
	settings := url.Values{
		"_txlock": {"immediate"},
		"_dqs":    {"0"},
		"_pragma": {
			fmt.Sprintf("busy_timeout(%d)", busyTimeoutMillis), "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
			// Without it INSERT OR REPLACE would get past the append-only triggers.
			"recursive_triggers(1)",
		},
	}
	maps.Copy(settings, more)
	name := url.URL{Scheme: "file", Path: full, RawQuery: settings.Encode()}
	pool, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", e.path, err)
	}
	return pool, nil
}

func (e *sqliteEngine) reader() bun.IDB { return e.db }

func (e *sqliteEngine) dialect() dialect { return dialect{bytewise: "BINARY", xact: "0", server: "''"} }

func (e *sqliteEngine) read(ctx context.Context, k *call) error {
	return e.readers.with(ctx, func(r *reader) error { return r.one(ctx, k) })
}

func (e *sqliteEngine) lookUp(ctx context.Context, k *call) error { return e.read(ctx, k) }

func (e *sqliteEngine) snapshot(ctx context.Context, fn func(context.Context, tx) error) error {
	return e.readers.with(ctx, func(r *reader) error { return r.snapshot(ctx, fn) })
}

func (e *sqliteEngine) write(ctx context.Context, fn func(context.Context, tx) error) error {
	return retry(ctx, func() error { return e.writer.do(ctx, fn) })
}

func (e *sqliteEngine) hot(ctx context.Context, fn func(context.Context, conn) error) error {
	return e.write(ctx, func(ctx context.Context, t tx) error { return fn(ctx, t.conn) })
}

func (e *sqliteEngine) ping(ctx context.Context) error {
	return e.db.PingContext(ctx)
}

// migrate runs on a connection of its own: the writer's is never free.
func (e *sqliteEngine) migrate(ctx context.Context) error {
	pool, err := e.openPool(nil)
	if err != nil {
		return err
	}
	pool.SetMaxOpenConns(1)
	return errors.Join(migrateUp(ctx, bun.NewDB(pool, sqlitedialect.New()), migrations.SQLite()), pool.Close())
}

func (e *sqliteEngine) close() error {
	e.creates.close()
	e.changes.close()
	return errors.Join(e.writer.close(), e.readers.close(), e.db.Close())
}
