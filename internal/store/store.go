// Package store keeps everything Florin knows in one database. It implements the Store ports of the domain packages:
// those of payments, webhooks, campaigns, alerts and idempotency itself, one file for each noun, and the others in
// store/identity, store/mail, store/merchant and store/settlement. What these share is in store/table, lists and
// figures for pages are in store/report, and how SQL is run is in store/db.
//
// Its one invariant: one exported method is one transaction. It is written
// whole or not at all, whatever else is written at the same time, and it is safe to
// run again: a transaction that loses a race is repeated a bounded number of
// times, and no caller ever holds one.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/identity"
	"github.com/florinpay/florin/internal/store/merchant"
	"github.com/florinpay/florin/internal/store/settlement"
	"github.com/florinpay/florin/internal/store/table"
	"github.com/florinpay/florin/internal/webhook"
	"github.com/florinpay/florin/migrations"
)

// Store is the database. It is safe for concurrent use.
type Store struct {
	table.Leases
	table.Presence
	table.Calls

	identity   *identity.Store
	merchant   *merchant.Store
	settlement *settlement.Store
	mails      *Outbox

	db         db.Engine
	migrations db.Migrations
	sealer     *secret.Sealer
	log        *slog.Logger
	hooks      hooks
	recent     *recent
	growth     growth
	open       openPayments
	// Operations of every payment, which share commits and round trips.
	creates *db.Batcher[*createOp]
	changes *db.Batcher[*changeOp]
	loads   *db.Batcher[*loadOp]
	lock    io.Closer // of an SQLite file; nil: others may serve it
	closing sync.Once
	probe   probe
}

var (
	_ payment.Store     = (*Store)(nil)
	_ watch.Store       = (*Store)(nil)
	_ webhook.Store     = (*Store)(nil)
	_ idempotency.Store = (*Store)(nil)
)

// Options are what may differ between installations. The zero value is good.
type Options struct {
	// Log receives failures that no caller sees, such as a lost connection of
	// Listen; nil: slog.Default().
	Log *slog.Logger
	// MaxConns bounds the connections to PostgreSQL for each of the two pools,
	// and the readers of SQLite; 0: db.DefaultMaxConns.
	MaxConns int
	// Serve locks an SQLite file for the one server that may use it; see
	// db.LockFile.
	Serve bool
	// Queries sees every query, so that what it reads can be explained; nil: none.
	Queries    bun.QueryHook
	Migrations db.Migrations // of another version, in tests of upgrades; zero: of this program
}

// Open connects to the database at the URL, as db.Open describes it. It does not
// touch the schema: call Migrate before anything else.
func Open(ctx context.Context, url string, sealer *secret.Sealer, o Options) (*Store, error) {
	var lock io.Closer
	if o.Serve {
		var err error
		if lock, err = db.LockFile(url); err != nil {
			return nil, err
		}
	}
	engine, err := db.Open(ctx, url, o.MaxConns)
	if err != nil {
		return nil, errors.Join(err, closeLock(lock))
	}
	if o.Queries != nil {
		db.Observe(engine, o.Queries)
	}
	s := &Store{
		Leases: table.NewLeases(engine), Presence: table.NewPresence(engine), Calls: table.NewCalls(engine),
		db: engine, sealer: sealer,
		migrations: o.Migrations, log: o.Log, recent: newRecent(engine.Dialect().ManyWriters), lock: lock,
		open:     openPayments{few: fewOpen},
		identity: identity.New(engine, sealer),
		merchant: merchant.New(engine, sealer), settlement: settlement.New(engine), mails: &Outbox{engine, sealer},
	}
	s.creates = db.NewBatcher(s.createBatch)
	s.changes = db.NewBatcher(s.changeBatch)
	s.loads = db.NewBatcher(s.loadBatch)
	if s.log == nil {
		s.log = slog.Default()
	}
	if s.migrations.SQLite == nil {
		s.migrations = db.Migrations{SQLite: migrations.SQLite(), Postgres: migrations.Postgres()}
	}
	return s, nil
}

// Close waits for running transactions and closes the database. Closing twice
// is fine.
func (s *Store) Close() (err error) {
	s.closing.Do(func() {
		s.creates.Close()
		s.changes.Close()
		s.loads.Close()
		s.growth.running.Wait()
		err = errors.Join(s.db.Close(), closeLock(s.lock))
	})
	return err
}

// closeLock releases the lock of an SQLite file, after the file is closed.
func closeLock(lock io.Closer) error {
	if lock == nil {
		return nil
	}
	return lock.Close()
}

// Identity returns the store of users and sessions.
func (s *Store) Identity() *identity.Store { return s.identity }

// Merchant returns the store of API keys, custodians and teams.
func (s *Store) Merchant() *merchant.Store { return s.merchant }

// Retention drops what is older than it is kept.
func (s *Store) Retention() *Retained { return &Retained{s.db, batchRows} }

// Settlement returns the store of sweeps and recharges.
func (s *Store) Settlement() *settlement.Store { return s.settlement }

// Mails returns the outbox of mails.
func (s *Store) Mails() *Outbox { return s.mails }

// Alerts returns the store of what operators are notified of.
func (s *Store) Alerts() *Alerts { return &Alerts{s.db, s.sealer} }

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.db.Ping(ctx); err != nil {
		return fmt.Errorf("database: %w", err)
	}
	return nil
}

// Clock returns the time that all instances share: the server's on PostgreSQL, this
// machine's on SQLite.
func (s *Store) Clock(ctx context.Context) (time.Time, error) {
	if !s.db.Dialect().ManyWriters {
		return time.Now(), nil
	}
	var now time.Time
	err := s.db.Reader().NewRaw("SELECT clock_timestamp()").Scan(ctx, &now)
	return now, db.Wrap(err, "time of the database")
}

// The types of store/db that every file uses.
type (
	tx   = db.Tx
	conn = db.Conn
	scan = db.Scan
)

// checkDetails checks every text of a new payment that came from outside.
func checkDetails(p payment.Payment) error {
	d := p.Details
	texts := []string{
		string(p.ID),
		d.Reference, d.Description, d.SuccessURL, d.CancelURL, d.CustomerEmail, d.DonorName, d.DonorMessage,
	}
	texts = slices.AppendSeq(texts, maps.Keys(d.Metadata))
	texts = slices.AppendSeq(texts, maps.Values(d.Metadata))
	return db.CheckTexts("texts of a payment", texts...)
}
