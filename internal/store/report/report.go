// Package report reads lists and figures for pages and exports: payments found by
// any text, sums by day, webhooks with their attempts, ledger entries, the state
// of an installation.
//
// Its one invariant: it only reads, and every query for a merchant names the keys
// whose data may be shown; the result never holds data of other keys.
package report

import (
	"context"
	"math"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// MaxPage is the most rows of one page of a list.
const MaxPage = 500

// Reader reads lists and figures. It is safe for concurrent use.
type Reader struct {
	db   db.Engine
	load LoadPayments
}

// LoadPayments returns the payments of the numbers, in their order, with routes and
// deposits, as what runs the statements sees them.
type LoadPayments func(ctx context.Context, run Run, numbers []int64) ([]payment.Payment, error)

// Run runs statements on one snapshot.
type Run func(ctx context.Context, all ...*db.Stmt) error

// New returns a reader of the database.
func New(e db.Engine, load LoadPayments) *Reader { return &Reader{db: e, load: load} }

// beforeOrLast returns the row number a page ends before; the largest for 0.
func beforeOrLast(before int64) int64 {
	if before <= 0 {
		return math.MaxInt64
	}
	return before
}
