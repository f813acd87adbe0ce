// Package store keeps everything Florin knows in one database. It implements
// the Store ports of the domain packages: one file for each noun, with its rows,
// loads and writes. Lists and figures for pages are in store/report, and how SQL
// is run is in store/db.
//
// Its one invariant: one exported method is one transaction. It is written
// whole or not at all, whoever else writes at the same time, and it is safe to
// run again: a transaction that loses a race is repeated a bounded number of
// times, and no caller ever holds one.
package store

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/webhook"
)

// Store is the database. It is safe for concurrent use.
type Store struct {
	db     db.Engine
	sealer *secret.Sealer
	log    *slog.Logger
	hooks  hooks
	recent *recent
	// Operations of every payment, which share commits and round trips.
	creates *db.Batcher[*createOp]
	changes *db.Batcher[*changeOp]
	loads   *db.Batcher[*loadOp]
	// Small reads of every create and start.
	keys       *db.Coalescer[identity.Hash, merchant.Key]
	terms      *db.Coalescer[int64, payment.Terms]
	custodians *db.Coalescer[int64, custodianScan]
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

// Options are what may differ between installations. The zero value is good.
type Options struct {
	// Log receives failures that no caller sees, such as a lost connection of
	// Listen; nil: slog.Default().
	Log *slog.Logger
	// MaxConns bounds the connections to PostgreSQL for each of the two pools,
	// and the readers of SQLite; 0: db.DefaultMaxConns.
	MaxConns int
}

// Open connects to the database at the URL, as db.Open describes it. It does not
// touch the schema: call Migrate before anything else.
func Open(ctx context.Context, url string, sealer *secret.Sealer, o Options) (*Store, error) {
	engine, err := db.Open(ctx, url, o.MaxConns)
	if err != nil {
		return nil, err
	}
	s := &Store{
		db: engine, sealer: sealer, log: o.Log, recent: newRecent(),
		keys:       db.NewCoalescer[identity.Hash, merchant.Key](),
		terms:      db.NewCoalescer[int64, payment.Terms](),
		custodians: db.NewCoalescer[int64, custodianScan](),
	}
	s.creates, s.changes, s.loads = db.NewBatcher(
		s.createBatch,
	), db.NewBatcher(s.changeBatch), db.NewBatcher(s.loadBatch)
	if s.log == nil {
		s.log = slog.Default()
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
		err = s.db.Close()
	})
	return err
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.db.Ping(ctx); err != nil {
		return fmt.Errorf("database: %w", err)
	}
	return nil
}

// The types of store/db that every file uses.
type (
	tx      = db.Tx
	conn    = db.Conn
	instant = db.Instant
	scan    = db.Scan
)

// reader runs bun queries outside a transaction.
func (s *Store) reader() bun.IDB { return s.db.Reader() }

// checkTexts refuses a text that cannot be stored. what names the input.
func checkTexts(what string, texts ...string) error {
	if slices.ContainsFunc(texts, func(t string) bool { return !db.Storable(t) }) {
		return fault.New(fault.Invalid, "%s must be valid UTF-8 without NUL characters", what)
	}
	return nil
}

// checkDetails checks every text of a new payment that came from outside.
func checkDetails(p payment.Payment) error {
	d := p.Details
	texts := []string{
		string(
			p.ID,
		), d.Reference, d.Description, d.SuccessURL, d.CancelURL, d.CustomerEmail, d.DonorName, d.DonorMessage,
	}
	texts = slices.AppendSeq(texts, maps.Keys(d.Metadata))
	texts = slices.AppendSeq(texts, maps.Values(d.Metadata))
	return checkTexts("texts of a payment", texts...)
}

// shown returns what can be stored of a text from outside that is only shown.
func shown(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD")
}
