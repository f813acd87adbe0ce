package settlement

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// Query says which pots are asked for.
type Query struct {
	Now time.Time
	// Aged, Least and Dust say, as in Policy, what is worth sweeping: that
	// comes first, the oldest before the rest, which follows by size. So what
	// waits cannot hide what must go, however much of it there is.
	Aged        time.Time
	Least, Dust money.Micros
	Limit       int // deposits read at most
}

// Store keeps sweeps. Every method is one transaction.
type Store interface {
	// Pots lists what is due on the network, not claimed by a sweep in flight
	// and not blocked.
	DepositBalances(ctx context.Context, n chain.Network, q Query) ([]DepositBalance, error)
	// SettleCovered marks deposits as swept that became final after a sweep
	// had moved them with others.
	SettleCovered(ctx context.Context, n chain.Network, now time.Time) error
	// InFlight returns the network's sweep in flight; ok is false if there is none.
	InFlight(ctx context.Context, n chain.Network) (s Sweep, ok bool, err error)
	// Sweep returns the sweep of the id, or ErrUnknown.
	Sweep(ctx context.Context, id ID) (Sweep, error)
	// PlanSweep stores a planned sweep and claims its pots. It fails with
	// ErrBusy if another sweep of the network is in flight.
	PlanSweep(ctx context.Context, s Sweep) error
	// AddAttempt stores a signed attempt of a sweep in flight. It fails with
	// ErrBusy if another instance was faster.
	AddAttempt(ctx context.Context, id ID, a chain.Attempt) error
	// MarkSent records that attempt n was given to the network.
	MarkSent(ctx context.Context, id ID, n int, at time.Time) error
	// EndSweep stores the end of a sweep (Confirmed, Failed or Superseded),
	// releases its pots, adds what it moved, marks the deposits that are
	// covered as swept, and blocks the pots it could not move (Sweep.After).
	// Ending it again changes nothing.
	EndSweep(ctx context.Context, s Sweep, now time.Time) error
	// Spent sums what the network's sweeps that ended since then cost.
	Spent(ctx context.Context, n chain.Network, since time.Time) (Spending, error)
	// Lease takes or renews the lease of the name, as in payment.WatchStore.
	Lease(ctx context.Context, name, holder string, now, until time.Time) (bool, error)
}
