package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/fault"
)

// Engine is one of the two databases. It is safe for concurrent use.
type Engine interface {
	// Reader runs bun queries outside a transaction.
	Reader() bun.IDB
	// Read runs a prepared statement outside a transaction.
	Read(ctx context.Context, s *Stmt) error
	// LookUp is Read for small rows that every request needs. A row may be
	// scanned twice, so the scan function must not add up.
	LookUp(ctx context.Context, s *Stmt) error
	// ReadAll runs prepared statements on one snapshot, on PostgreSQL in one
	// round trip.
	ReadAll(ctx context.Context, all ...*Stmt) error
	// Snapshot runs fn in a read-only transaction: all its reads see the same
	// moment.
	Snapshot(ctx context.Context, fn func(context.Context, Tx) error) error
	// Write runs fn in one transaction and commits unless fn fails. fn may run
	// again, so it must have no effects outside the transaction.
	Write(ctx context.Context, fn func(context.Context, Tx) error) error
	// Hot is Write for prepared statements only.
	Hot(ctx context.Context, fn func(context.Context, Conn) error) error
	// HotBatch is Hot for the operations of many callers. It fails with
	// ErrRunSingly if one of them spoiled the transaction: each must then run in
	// a transaction of its own.
	HotBatch(ctx context.Context, fn func(context.Context, Conn) error) error
	// WriteBatch is HotBatch for one statement, on PostgreSQL in one round trip.
	WriteBatch(ctx context.Context, s *Stmt) error
	// Dialect describes how the SQL of the two databases differs.
	Dialect() Dialect
	// Listen calls notify with every payload that is notified on the channel, by
	// any program, until ctx ends; it returns nil then. notify("") means that
	// notifications may have been missed. It calls listening often while the server answers. On SQLite, which has no
	// channels, it only waits.
	Listen(ctx context.Context, channel string, log *slog.Logger, listening func(), notify func(payload string)) error
	Ping(ctx context.Context) error
	// Grow takes room on the disk of the database and gives it back: it fails with fault.ErrFull where none is left.
	Grow(ctx context.Context) error
	// Schema compares the database with the migrations. On PostgreSQL it fails with ErrStandby on a server that takes
	// no writes.
	Schema(ctx context.Context, m Migrations) (Schema, error)
	// Migrate applies the missing migrations of its database. Any number of
	// programs may call it at once, and others may use the database. It fails
	// with ErrNewerSchema if a newer program has migrated it too far. It calls waits with what it waits for, when that
	// takes long.
	Migrate(ctx context.Context, m Migrations, waits func(forWhat string)) error
	Close() error
}

// Migrations are the schema changes of both databases, as bun migration files.
type Migrations struct{ SQLite, Postgres fs.FS }

// Dialect is how the SQL of the two databases differs, where it must.
type Dialect struct {
	// ManyWriters: transactions run side by side and commit in any order.
	// SQLite has one writer, which holds the whole database.
	ManyWriters bool
	// SkipLocked locks the rows a SELECT returns and skips rows that another
	// transaction has locked.
	SkipLocked string
	// Bytewise is the collation that compares byte by byte.
	Bytewise string
	// Xact is the number of the running transaction; SQLite needs none.
	Xact string
	// Server identifies the server that gives these numbers.
	Server string
	// Home identifies the database and its tables. A copy made by pg_dump and pg_restore differs; on SQLite none does.
	Home string
	// Timeline is that of the server's log: a recovery to a point in time begins another one. SQLite has none.
	Timeline string
	// QuarterOf is a format whose one %s is a column with a time. It gives the whole quarters of an hour since 1970.
	QuarterOf string
}

// DefaultMaxConns keeps two instances with two pools each well below the 100
// connections that PostgreSQL allows by default.
const DefaultMaxConns = 16

// Open connects to the database at the URL: sqlite://PATH, where PATH is
// relative to the working directory unless it begins with a slash, or
// postgres://… (PostgreSQL 13 or later). maxConns bounds each of the two pools
// of PostgreSQL, and the readers of SQLite; 0: DefaultMaxConns. What the database
// cannot do at the moment fails with fault.ErrStorage. Errors never
// repeat the URL, which may hold a password.
func Open(ctx context.Context, url string, maxConns int) (Engine, error) {
	if maxConns <= 0 {
		maxConns = DefaultMaxConns
	}
	place, err := parseURL(url)
	if err != nil {
		return nil, fmt.Errorf("the database URL %w", err)
	}
	var e Engine
	if place.path != "" {
		e, err = openSQLite(ctx, place.path, maxConns)
	} else {
		e, err = openPostgres(ctx, place.postgres, maxConns)
	}
	if err != nil {
		return nil, advised(err, "correct FLORIN_DATABASE_URL, or mend what it names")
	}
	return outages{e}, nil
}

var (
	// ErrClosed: the database was closed before or while a method ran.
	ErrClosed = fault.New(fault.Unavailable, "the program is stopping; try again")
	// ErrLost: a statement did not find the row it had locked or just written.
	ErrLost = errors.New("a row changed although it was locked")
	// ErrStandby: the server follows another one and takes no writes.
	ErrStandby = fault.New(fault.Unavailable, "the database is a standby, which takes no writes: connect to its primary")
	// errProtected: what has protected it, such as a full disk, may end transactions that write, too.
	errProtected = fault.New(fault.Unavailable, "the database is set to read only (default_transaction_read_only=on), as "+
		"providers do when a disk is full: see what they say, and end it there")
	// ErrRunSingly: one operation spoiled its batch, so nothing of the batch is
	// stored and each operation must run in a transaction of its own.
	ErrRunSingly = errors.New("the batch failed")
)

// Observe calls the hook for every bun query of the engine: tests explain what
// was run.
func Observe(e Engine, hook bun.QueryHook) {
	switch e := within(e).(type) {
	case *sqliteEngine:
		e.db.AddQueryHook(hook)        //nolint:staticcheck // a connection keeps the DB it was made from
		e.writer.db.AddQueryHook(hook) //nolint:staticcheck // the same
	case *postgresEngine:
		e.db.AddQueryHook(hook) //nolint:staticcheck // the same
	}
}

// Prepared returns the texts of the statements that were prepared so far, with
// ? for each argument.
func Prepared(e Engine) []string {
	var texts []string
	switch e := within(e).(type) {
	case *sqliteEngine:
		for text := range e.writer.stmts.byText {
			texts = append(texts, text)
		}
		one := <-e.readers.free
		for text := range one.byText {
			texts = append(texts, text)
		}
		e.readers.free <- one
	case *postgresEngine:
		numberedTexts.Range(func(text, _ any) bool {
			texts = append(texts, text.(string)) //nolint:forcetypeassert // only strings are stored
			return true
		})
	}
	return texts
}

// within returns the engine itself.
func within(e Engine) Engine {
	if o, ok := e.(outages); ok {
		return o.Engine
	}
	return e
}
