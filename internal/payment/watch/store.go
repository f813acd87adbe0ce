package watch

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// Cursor is the position up to which a network has been read.
type Cursor struct {
	// Scanned is the newest final block whose money has been taken in.
	Scanned chain.Head
	// Rechecked is the newest finalized block that was read a second time; it
	// equals Scanned where the network credits only finalized money.
	Rechecked chain.Head
	// Second is the block up to which as many voices have read the network as must say the same; beyond it, one has.
	// Its hash is not kept.
	Second chain.Head
	// BehindSince is when the outage of the network began; zero without one.
	BehindSince time.Time
	UpdatedAt   time.Time
	// Moves is how often it was moved back.
	Moves int64
	// RereadTo is the block up to which every address there ever was is read,
	// also those of payments that ended long ago; 0: none.
	RereadTo uint64
	// RestoredAt is when the database was last restored from a backup; zero: never.
	// What came to an address before then may have been swept since, unknown to it.
	RestoredAt time.Time
	// Ended is the newest block up to which the money of every watched address has been taken in, also of those of
	// payments that ended, on a network where these are read more slowly (see late). Elsewhere it means nothing.
	Ended uint64
	// Holder is the instance that stores it, which must have the lease to read the network; empty: none reads it.
	Holder string
	// Pause is how long the network may go unread after UpdatedAt because of its pace. Only what is longer is an
	// outage.
	Pause time.Duration
}

// unread reports whether the network is behind, or was not read for longer than its limit and its pace allow.
func (c Cursor) unread(limit time.Duration, now time.Time) bool {
	return !c.BehindSince.IsZero() || now.Sub(c.UpdatedAt) > limit+c.Pause
}

// ErrNotLeading: another instance has the lease to read the network. This one was paused for longer than its own was
// valid, and what it knows is old.
var ErrNotLeading = fault.New(fault.Conflict, "another instance reads the network now")

// ErrCursorMoved: the cursor was moved back while a round was under way. The next round begins where it stands now.
var ErrCursorMoved = fault.New(fault.Conflict, "the cursor of the network was moved meanwhile")

// Address is a watched address.
type Address struct {
	chain.Watched
	PaymentID payment.ID
	Network   chain.Network // the network it was shown for
}

// Mark is the position up to which addresses have been read; the zero Mark is the start.
type Mark struct {
	Xact uint64 // PostgreSQL: every transaction below it is visible; 0 on SQLite
	Row  int64
}

// Update is a decision about a payment, which may be made again.
type Update struct {
	ID     payment.ID
	Decide func(payment.Payment) (payment.Change, error)
}

// Store is what a Watcher reads and writes. As with Store, every method is one transaction.
type Store interface {
	UpdatePayment(
		ctx context.Context, id payment.ID, decide func(payment.Payment) (payment.Change, error),
	) (payment.Payment, error)
	// UpdatePayments is UpdatePayment for many payments, each at most once, which share a transaction. It returns the
	// error of each; one that is refused changes nothing, and nothing for the others.
	UpdatePayments(ctx context.Context, all []Update) []error
	Payment(ctx context.Context, id payment.ID) (payment.Payment, error)
	// AtRisk returns what is at risk on the network. It knows when a payment ended after justEnded, and whether any
	// ended after watchedAfter.
	AtRisk(ctx context.Context, n chain.Network, justEnded, watchedAfter time.Time) (AtRisk, error)
	// OpenAddresses returns the addresses on the network of started payments that have not ended or ended after
	// endedAfter, or whose page was open after endedAfter, or with money that is not final yet.
	OpenAddresses(ctx context.Context, n chain.Network, endedAfter time.Time) ([]chain.Watched, error)
	// Lease takes or renews the lease of the name for the holder until the
	// time given, and reports whether the holder has it.
	Lease(ctx context.Context, name, holder string, now, until time.Time) (bool, error)
	// Cursor returns how far the network was read; ok is false before the first SaveCursor.
	Cursor(ctx context.Context, n chain.Network) (c Cursor, ok bool, err error)
	// SaveCursor fails with ErrNotLeading if c.Holder has no lease of the network any more, in the same transaction: an
	// instance that was paused changes nothing. It fails with ErrCursorMoved if the cursor was moved back since it was
	// loaded.
	SaveCursor(ctx context.Context, n chain.Network, c Cursor) error
	// MoveCursor sets the cursor back to a block, from which the network is read on, and writes the audit entry for
	// every operator. Up to where it had been read before, every address there ever was is watched. It fails if the
	// cursor was moved since it was loaded.
	MoveCursor(ctx context.Context, n chain.Network, from Cursor, to chain.Head, entry audit.Entry) error
	// Watches returns the addresses stored since the mark on the networks, of payments that have not ended or ended
	// after endedAfter. It never skips an address whose transaction committed before the call, in whatever order
	// transactions commit; one may come twice.
	Watches(ctx context.Context, networks []chain.Network, since Mark, endedAfter time.Time) ([]Address, Mark, error)
	// PaymentsByID returns the payments of at most MaxPage IDs, in any order; an unknown ID is left out.
	PaymentsByID(ctx context.Context, ids []payment.ID) ([]payment.Payment, error)
	// Unsettled lists payments with a deposit in the network's blocks from..to,
	// both included, that is not rechecked and has not vanished.
	Unsettled(ctx context.Context, n chain.Network, from, to uint64) ([]payment.ID, error)
	// SetAsides lists the payments that could not be read on the network.
	SetAsides(ctx context.Context, n chain.Network) ([]SetAside, error)
	// SaveSetAside stores that a payment could not be read; the earlier block and time of what is stored stay, and its
	// accounts and transfers, to which those of a are added.
	SaveSetAside(ctx context.Context, a SetAside) error
	// AdvanceSetAside stores that it was read up to the block before from, and DeleteSetAside that it was read to the
	// end: both unless an earlier block has to be read again since a was loaded, or more was shown.
	AdvanceSetAside(ctx context.Context, a SetAside, from uint64) error
	DeleteSetAside(ctx context.Context, a SetAside) error
	// Due lists payments that have not ended and whose time had run out at now, by ID after the one given, at most
	// limit.
	Due(ctx context.Context, now time.Time, after payment.ID, limit int) ([]payment.ID, error)
	// Running lists started payments with a route on the network that expire
	// after the time given, by ID after the one given, at most limit.
	Running(
		ctx context.Context, n chain.Network, expireAfter time.Time, after payment.ID, limit int,
	) ([]payment.ID, error)
}

// Sweeps tells what sweeps have moved.
type Sweeps interface {
	// SweptFrom returns what sweeps have moved from each of the addresses, apart from what a rescue found that belongs
	// to no deposit. It leaves out an address that a sweep in flight may be emptying.
	SweptFrom(ctx context.Context, a chain.Asset, addresses []chain.Address) (map[chain.Address]money.Units, error)
}
