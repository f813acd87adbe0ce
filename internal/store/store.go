// Package store keeps everything Florin knows in one database: SQLite for a
// single machine, PostgreSQL for more. It implements the Store ports of the
// domain packages and is the only home of transactions.
//
// Its one invariant: one exported method is one transaction. It is written
// whole or not at all, whoever else writes at the same time, and it is safe to
// run again: a transaction that loses against another is repeated here, a
// bounded number of times, and no caller ever holds one.
//
// Statements that every payment runs (create, load, change) are written by
// hand and stay prepared; everything else goes through bun.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/webhook"
)

// Store is the database. It is safe for concurrent use.
type Store struct {
	engine
	sealer *secret.Sealer
	log    *slog.Logger
	hooks  hooks
	recent *recent
	// What every create and start asks for.
	keys       *shared[identity.Hash, merchant.Key]
	terms      *shared[int64, payment.Terms]
	custodians *shared[int64, custodianScan]
	closing    sync.Once
}

var (
	_ payment.Store      = (*Store)(nil)
	_ payment.WatchStore = (*Store)(nil)
	_ payment.Custodians = (*Store)(nil)
	_ identity.Store     = (*Store)(nil)
	_ merchant.Store     = (*Store)(nil)
	_ webhook.Store      = (*Store)(nil)
	_ idempotency.Store  = (*Store)(nil)
)

// Options are what may differ between one installation and another. The zero
// value is good.
type Options struct {
	// Log receives what no caller can be told, such as a lost connection of
	// Listen; nil: slog.Default().
	Log *slog.Logger
	// MaxConns bounds the connections to PostgreSQL for each of the two pools,
	// and the readers of SQLite; 0: DefaultMaxConns.
	MaxConns int
}

// DefaultMaxConns keeps two instances with two pools each well below the 100
// connections that PostgreSQL allows by default.
const DefaultMaxConns = 16

// engine is what differs between the two databases.
type engine interface {
	// reader is for statements outside a transaction.
	reader() bun.IDB
	// read runs a prepared statement outside a transaction.
	read(ctx context.Context, k *call) error
	// lookUp is read for a small row that is asked for all the time. The row
	// may be given twice, so what reads it must not add up.
	lookUp(ctx context.Context, k *call) error
	// load reads a payment with its parts, all on one snapshot; its row has no
	// ID if there is no such payment.
	load(ctx context.Context, id payment.ID) (*loaded, error)
	// snapshot runs fn in a transaction that only reads: all on one snapshot.
	snapshot(ctx context.Context, fn func(context.Context, tx) error) error
	// write runs fn in one transaction and commits unless fn fails. fn may run
	// again, so it must have no effects outside the transaction.
	write(ctx context.Context, fn func(context.Context, tx) error) error
	// hot is write for prepared statements alone.
	hot(ctx context.Context, fn func(context.Context, conn) error) error
	// create and change are hot for many callers at once, who share commits.
	create(ctx context.Context, op *createOp) error
	change(ctx context.Context, op *changeOp) error
	// dialect tells how its SQL differs.
	dialect() dialect
	ping(ctx context.Context) error
	migrate(ctx context.Context) error
	close() error
}

// dialect is how the SQL of the two databases differs, where it must.
type dialect struct {
	// manyWriters: transactions run side by side and commit in any order.
	// SQLite has one writer, who holds the whole database.
	manyWriters bool
	// skipLocked locks the rows a SELECT returns and passes over those that
	// another transaction has locked.
	skipLocked string
	// bytewise is the collation that compares byte by byte.
	bytewise string
	// xact is the number of the running transaction; SQLite needs none.
	xact string
	// server identifies the server, whose numbers they are.
	server string
}

// Open connects to the database at the URL: sqlite://PATH, where PATH is
// relative to the working directory unless it begins with a slash, or
// postgres://… (PostgreSQL 13 or later). It does not touch the schema: call
// Migrate before anything else. Its errors never repeat the URL, which may
// hold a password.
func Open(ctx context.Context, url string, sealer *secret.Sealer, o Options) (*Store, error) {
	s := &Store{sealer: sealer, log: o.Log, recent: newRecent()}
	s.keys, s.terms, s.custodians = newShared[identity.Hash, merchant.Key](), newShared[int64, payment.Terms](), newShared[int64, custodianScan]()
	if s.log == nil {
		s.log = slog.Default()
	}
	if o.MaxConns <= 0 {
		o.MaxConns = DefaultMaxConns
	}
	place, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	if place.path != "" {
		s.engine, err = openSQLite(ctx, place.path, o)
	} else {
		s.engine, err = openPostgres(ctx, place.postgres, o)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Close waits for transactions in flight and closes the database. Closing
// twice is fine.
func (s *Store) Close() (err error) {
	s.closing.Do(func() { err = s.engine.close() })
	return err
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.engine.ping(ctx); err != nil {
		return fmt.Errorf("database: %w", err)
	}
	return nil
}

// errClosed: the store was closed while or before a method ran.
var errClosed = fault.New(fault.Unavailable, "the program is stopping; try again")

// errLost: a statement did not find the row it had locked or just written.
var errLost = errors.New("a row changed although it was locked")
