package settlement

import (
	"cmp"
	"context"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// Query selects deposit balances.
type Query struct {
	Now time.Time
	// Aged, Least and Dust are the limits of Policy. Balances worth sweeping
	// come first, the oldest before the others; the rest follows by size. So
	// balances that wait never hide one that is due, however many there are.
	Aged        time.Time
	Least, Dust money.Micros
	KeyID       int64 // of the payments; 0: every key
	Limit       int   // deposits read at most
}

// Candidate is a balance that is due, as its place in the order needs it.
type Candidate struct {
	Worth  money.Atto
	Oldest time.Time // when the oldest deposit became final
	Least  money.Micros
	Urgent bool
}

// worthwhile reports whether the balance is worth sweeping now.
func (q Query) worthwhile(c Candidate) bool {
	return c.Worth.Cmp(q.Dust.Atto()) >= 0 &&
		(c.Urgent || !c.Oldest.After(q.Aged) || c.Worth.Cmp(max(q.Least, c.Least).Atto()) >= 0)
}

// Compare orders balances as Query says.
func (q Query) Compare(a, b Candidate) int {
	first, second := q.worthwhile(a), q.worthwhile(b)
	switch {
	case first && !second:
		return -1
	case second && !first:
		return 1
	case first:
		return cmp.Or(a.Oldest.Compare(b.Oldest), b.Worth.Cmp(a.Worth))
	}
	return b.Worth.Cmp(a.Worth)
}

// Store keeps sweeps. Every method is one transaction.
type Store interface {
	// DepositBalances lists the balances due on the network whose address no
	// sweep in flight has claimed and that are not blocked.
	DepositBalances(ctx context.Context, n chain.Network, q Query) ([]DepositBalance, error)
	// SettleCovered marks deposits as swept that became final after a sweep
	// had moved them with others.
	SettleCovered(ctx context.Context, n chain.Network, now time.Time) error
	// InFlight returns the network's sweeps in flight, the oldest first.
	InFlight(ctx context.Context, n chain.Network) ([]Sweep, error)
	// Sweep returns the sweep of the id, or ErrUnknown.
	Sweep(ctx context.Context, id ID) (Sweep, error)
	// PlanSweep stores a planned sweep and claims its addresses. It fails with
	// ErrBusy if another sweep in flight has claimed one, or if one is not due.
	PlanSweep(ctx context.Context, s Sweep) error
	// AddAttempt stores a signed attempt of a sweep in flight and reserves its
	// nonce. It fails with ErrBusy if another instance was faster, or if another
	// sweep in flight has the nonce.
	AddAttempt(ctx context.Context, id ID, a chain.Attempt) error
	// MarkSent records that attempt n was broadcast.
	MarkSent(ctx context.Context, id ID, n int, at time.Time) error
	// EndSweep stores the end of a sweep (Confirmed, Failed or Superseded),
	// releases its addresses and nonces, adds what it moved, marks the deposits that are
	// covered as swept, and blocks the balances it could not move (Sweep.After).
	// Ending it again changes nothing.
	EndSweep(ctx context.Context, s Sweep, now time.Time) error
	// LostTime returns the blocks in which sweeps may have been made that a restored
	// database does not know; ok is false if it was never restored.
	LostTime(ctx context.Context, n chain.Network) (t LostTime, ok bool, err error)
	// RecordSweep stores a confirmed sweep that was found on the chain, as PlanSweep
	// and EndSweep would have. Of a transaction that is stored already it adds the
	// items that are not; it fails with ErrRecorded if there are none, and with
	// ErrBusy if a sweep in flight has claimed an address or an item is not due.
	RecordSweep(ctx context.Context, s Sweep, now time.Time) error
	// Spent sums what the network's sweeps that ended since then cost.
	Spent(ctx context.Context, n chain.Network, since time.Time) (Spending, error)
	// Lease takes or renews the lease of the name, as in payment.WatchStore.
	Lease(ctx context.Context, name, holder string, now, until time.Time) (bool, error)
}
