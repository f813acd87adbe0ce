// Package proof adds up the book of credits when an operator asks for it.
//
// Its one invariant: one check is under way at a time, on all instances
// together, and it ends: with a result, with a reason, or by being given up
// after Limit.
package proof

import (
	"context"
	"log/slog"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/ledger"
)

const (
	// Limit bounds one check. It reads the whole book in one snapshot, which
	// keeps the database from tidying up meanwhile.
	Limit = 5 * time.Minute
	// endWithin bounds how long the outcome is stored for while the program stops.
	endWithin = 5 * time.Second
)

// ErrUnderWay refuses a check while another runs.
var ErrUnderWay = fault.New(fault.Conflict, "a check is under way already; look again in a minute")

// Store keeps the last check and adds the book up. Every method is one
// transaction.
type Store interface {
	// AskLedgerCheck notes that a check is under way; false if another is, that
	// was asked for after stale.
	AskLedgerCheck(ctx context.Context, by string, now, stale time.Time, trail ...audit.Entry) (bool, error)
	// EndLedgerCheck stores what came of the check that was asked for at c.AskedAt.
	EndLedgerCheck(ctx context.Context, c ledger.Check) error
	// VerifyLedger adds the whole book up and returns what does not agree.
	VerifyLedger(ctx context.Context) (entries int64, differences []string, err error)
}

// Checker runs checks in the background.
type Checker struct {
	store Store
	now   func() time.Time
	log   *slog.Logger
	asked chan ledger.Check // the store lets one in at a time
}

// NewChecker returns the checker. Nothing is checked before Run.
func NewChecker(store Store, now func() time.Time, log *slog.Logger) *Checker {
	return &Checker{store: store, now: now, log: log, asked: make(chan ledger.Check, 1)}
}

// Ask begins a check for somebody and does not wait for it. It fails with
// ErrUnderWay while another runs, on whichever instance.
func (c *Checker) Ask(ctx context.Context, by string, trail ...audit.Entry) error {
	now := c.now()
	asked, err := c.store.AskLedgerCheck(ctx, by, now, now.Add(-2*Limit), trail...)
	if err != nil {
		return err
	}
	if !asked {
		return ErrUnderWay
	}
	select {
	case c.asked <- ledger.Check{AskedAt: now, AskedBy: by}:
		return nil
	default: // one that the store has given up still waits here
		return ErrUnderWay
	}
}

// Run carries checks out until ctx ends.
func (c *Checker) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case one := <-c.asked:
			if err := c.check(ctx, one); err != nil {
				c.log.Warn("the result of a ledger check was not stored", "error", err)
			}
		}
	}
}

func (c *Checker) check(ctx context.Context, one ledger.Check) error {
	bounded, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	entries, differences, err := c.store.VerifyLedger(bounded)
	one.EndedAt, one.Entries, one.Found = c.now(), entries, int64(len(differences))
	one.Differences = differences[:min(len(differences), ledger.MaxDifferences)]
	switch {
	case err == nil && len(differences) > 0:
		c.log.Error("the book of credits does not agree with itself; see `florin verify-ledger`", "differences", len(differences), "first", differences[0])
	case ctx.Err() != nil:
		one.Problem = "Florin was stopped before the book was added up."
	case bounded.Err() != nil:
		one.Problem = "The book could not be added up within five minutes. Run florin verify-ledger on the server: it takes the time it needs."
	case err != nil:
		c.log.Error("the book of credits could not be added up", "error", err)
		one.Problem = "The book could not be read; the log says why."
	}
	end, done := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer done()
	return c.store.EndLedgerCheck(end, one)
}
