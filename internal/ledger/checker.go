package ledger

import (
	"context"
	"log/slog"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
)

const (
	// CheckLimit bounds one check. It reads the whole ledger in one snapshot,
	// which keeps the database from removing old rows meanwhile.
	CheckLimit = 5 * time.Minute
	// endWithin bounds the time to store the outcome while the program stops.
	endWithin = 5 * time.Second
)

// ErrCheckRunning refuses a check while another runs.
var ErrCheckRunning = fault.New(fault.Conflict, "a check is in progress already; look again in a minute")

// CheckStore keeps the last check and verifies the ledger. Every method is one
// transaction.
type CheckStore interface {
	// AskLedgerCheck records that a check is in progress; it returns false if
	// another was requested after stale and has not ended.
	AskLedgerCheck(ctx context.Context, by string, now, stale time.Time, r audit.Record) (bool, error)
	// EndLedgerCheck stores the outcome of the check that was requested at c.AskedAt.
	EndLedgerCheck(ctx context.Context, c Check) error
	// VerifyLedger sums the whole ledger and returns the differences.
	VerifyLedger(ctx context.Context) (entries int64, differences []string, err error)
}

// Checker verifies the ledger in the background when an operator requests it.
//
// One check runs at a time, on all instances together, and every check ends:
// with a result, with a reason, or by being given up after CheckLimit.
type Checker struct {
	store CheckStore
	now   func() time.Time
	log   *slog.Logger
	asked chan Check // the store admits one at a time
}

// NewChecker returns the checker. Nothing is checked before Turn.
func NewChecker(store CheckStore, now func() time.Time, log *slog.Logger) *Checker {
	return &Checker{store: store, now: now, log: log, asked: make(chan Check, 1)}
}

// Ask requests a check and does not wait for it. It fails with ErrCheckRunning while another check runs on any
// instance.
func (c *Checker) Ask(ctx context.Context, act audit.Act) error {
	now := c.now()
	asked, err := c.store.AskLedgerCheck(ctx, act.Who, now, now.Add(-2*CheckLimit),
		act.Record(act.Account, audit.ActionCheckLedger, "", ""))
	if err != nil {
		return err
	}
	if !asked {
		return ErrCheckRunning
	}
	select {
	case c.asked <- Check{AskedAt: now, AskedBy: act.Who}:
		return nil
	default: // a check that the store has given up is still queued
		return ErrCheckRunning
	}
}

// Turn carries out the check that was requested, if there is one.
func (c *Checker) Turn(ctx context.Context) error {
	select {
	case one := <-c.asked:
		return c.check(ctx, one)
	default:
		return nil
	}
}

func (c *Checker) check(ctx context.Context, one Check) error {
	bounded, cancel := context.WithTimeout(ctx, CheckLimit)
	defer cancel()
	entries, differences, err := c.store.VerifyLedger(bounded)
	one.EndedAt, one.Entries, one.Found = c.now(), entries, int64(len(differences))
	one.Differences = differences[:min(len(differences), MaxDifferences)]
	switch {
	case err == nil && len(differences) > 0:
		c.log.Error("the ledger has differences; see `florin verify-ledger`",
			"differences", len(differences), "first", differences[0])
	case ctx.Err() != nil:
		one.Problem = "Florin was stopped before the ledger was verified."
	case bounded.Err() != nil:
		one.Problem = "The ledger could not be verified within five minutes. Run florin verify-ledger on the server: it has no time limit."
	case err != nil:
		c.log.Error("the ledger could not be verified", "error", err)
		one.Problem = "The ledger could not be read; the log says why."
	}
	end, done := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer done()
	return c.store.EndLedgerCheck(end, one)
}
