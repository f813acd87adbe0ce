package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"path/filepath"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// busyTimeoutMillis is how long SQLite itself waits for another process that
// writes: longer than any transaction here takes.
const busyTimeoutMillis = 10_000

// sqliteEngine keeps the database in one file. All writing goes through one
// writer; readers have their own connections and see what is committed.
type sqliteEngine struct {
	path    string
	db      *bun.DB // for bun's reads
	kept    keptStmts
	readers *readers
	writer  *writer
}

// openSQLite opens the file, or creates it; only the user that runs the program
// may read it.
func openSQLite(ctx context.Context, path string, maxConns int) (*sqliteEngine, error) {
	if err := makePrivate(path); err != nil {
		return nil, err
	}
	if err := refuseOtherName(path); err != nil {
		return nil, err
	}
	e := &sqliteEngine{path: path}
	writing, err := e.openPool(nil)
	if err != nil {
		return nil, err
	}
	writing.SetMaxOpenConns(1)
	// The writer's connection creates the file and its write-ahead log, without
	// which a reader cannot open it.
	e.writer, err = startWriter(ctx, newDB(writing, sqlitedialect.New()))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), writing.Close())
	}
	reading, err := e.openPool(url.Values{"_query_only": {"1"}, "_txlock": {"deferred"}})
	if err != nil {
		return nil, errors.Join(err, e.writer.close())
	}
	reading.SetMaxOpenConns(2 * maxConns) // half of them for readers
	reading.SetMaxIdleConns(maxConns)
	e.db = newDB(reading, sqlitedialect.New(), bun.WithConnResolver(outageConns{nil, reading}))
	e.kept.on = reading
	e.readers = newReaders(e.db, maxConns)
	return e, nil
}

// openPool returns a pool on the file with the settings that every connection
// has.
func (e *sqliteEngine) openPool(more url.Values) (*sql.DB, error) {
	full, err := filepath.Abs(e.path)
	if err != nil {
		return nil, fmt.Errorf("path of the database: %w", err)
	}
	settings := url.Values{
		"_txlock": {"immediate"},
		"_dqs":    {"0"},
		"_pragma": {
			fmt.Sprintf("busy_timeout(%d)", busyTimeoutMillis),
			"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
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

func (e *sqliteEngine) Reader() bun.IDB {
	return boundIDB{e.db, e.db, &e.kept, outageConns{nil, e.db.DB}}
}

func (e *sqliteEngine) Dialect() Dialect {
	return Dialect{Bytewise: "BINARY", Xact: "0", Server: "''", Home: "''", Timeline: "''", QuarterOf: "%s / 900000000"}
}

func (e *sqliteEngine) Read(ctx context.Context, s *Stmt) error {
	return e.readers.with(ctx, func(r *reader) error { return r.one(ctx, s) })
}

func (e *sqliteEngine) LookUp(ctx context.Context, s *Stmt) error { return e.Read(ctx, s) }

func (e *sqliteEngine) ReadAll(ctx context.Context, all ...*Stmt) error {
	return e.Snapshot(ctx, func(ctx context.Context, t Tx) error { return t.Run(ctx, all...) })
}

func (e *sqliteEngine) Snapshot(ctx context.Context, fn func(context.Context, Tx) error) error {
	return e.readers.with(ctx, func(r *reader) error { return r.snapshot(ctx, fn) })
}

func (e *sqliteEngine) Write(ctx context.Context, fn func(context.Context, Tx) error) error {
	return retry(ctx, func() error { return e.writer.do(ctx, fn) })
}

func (e *sqliteEngine) Hot(ctx context.Context, fn func(context.Context, Conn) error) error {
	return e.Write(ctx, func(ctx context.Context, t Tx) error { return fn(ctx, t.Conn) })
}

// HotBatch fails as it is if another process holds the database, which every
// single operation would meet as well.
func (e *sqliteEngine) HotBatch(ctx context.Context, fn func(context.Context, Conn) error) error {
	err := e.Hot(ctx, fn)
	if err == nil || IsConflict(err) || errors.Is(err, ErrClosed) {
		return err
	}
	return ErrRunSingly
}

func (e *sqliteEngine) WriteBatch(ctx context.Context, s *Stmt) error {
	return e.HotBatch(ctx, func(ctx context.Context, c Conn) error { return c.Run(ctx, s) })
}

func (e *sqliteEngine) Listen(ctx context.Context, _ string, _ *slog.Logger, listening func(), _ func(string)) error {
	tick := time.NewTicker(listenProbe)
	defer tick.Stop()
	for {
		listening()
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (e *sqliteEngine) Ping(ctx context.Context) error { return e.db.PingContext(ctx) }

// Migrate uses a connection of its own: the writer's is never free.
func (e *sqliteEngine) Migrate(ctx context.Context, m Migrations, _ func(string)) error {
	if done, err := upToDate(ctx, e, m); done || err != nil {
		return err
	}
	pool, err := e.openPool(nil)
	if err != nil {
		return err
	}
	pool.SetMaxOpenConns(1)
	open := newDB(pool, sqlitedialect.New())
	return errors.Join(migrateUp(ctx, open, m.SQLite, refuseApplied), pool.Close())
}

func (e *sqliteEngine) Close() error {
	return errors.Join(e.writer.close(), e.readers.close(), e.kept.close(), e.db.Close())
}
