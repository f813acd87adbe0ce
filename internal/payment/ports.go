package payment

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
)

// Store keeps payments. Every method is one transaction; each is safe with
// other instances writing at the same time.
type Store interface {
	// CreatePayment stores a new payment with its events and returns it with
	// its Number. Creating the same ID again returns what is stored.
	CreatePayment(ctx context.Context, c Change) (Payment, error)
	// OpenPayment is CreatePayment and UpdatePayment at once: if start fails,
	// nothing is stored.
	OpenPayment(ctx context.Context, c Change, start func(Payment) (Change, error)) (Payment, error)
	// Waiting lists the payments of the key that strangers started and that have not ended, up to most.
	Waiting(ctx context.Context, keyID int64, most int) ([]Waiting, error)
	// Unattended lists payments that hold a credit, for which nothing came, and whose page was last seen open before
	// the time given, the longest first.
	Unattended(ctx context.Context, before time.Time, most int) ([]ID, error)
	// Payment returns the payment with routes and deposits, or ErrUnknown.
	Payment(ctx context.Context, id ID) (Payment, error)
	// RecentPayment is Payment for pollers: it may be a second old, but never
	// older than what any instance has answered. The caller must not modify it.
	RecentPayment(ctx context.Context, id ID) (Payment, error)
	// UpdatePayment locks the payment, calls decide and persists its Change:
	// the payment, new routes, deposits, events, a webhook delivery for each
	// public event of a custodian with a callback URL, and entries. decide may
	// run again on a retry, so it must have no effects. An entry that a
	// balance does not cover fails with credit.ErrNoCredits or ErrNoQueries
	// and nothing is written. A Change with None is not written.
	UpdatePayment(ctx context.Context, id ID, decide func(Payment) (Change, error)) (Payment, error)
	// Payments lists a key's payments, newest first unless asked otherwise.
	Payments(ctx context.Context, f Filter) ([]Payment, error)
	// Events lists a payment's history in order.
	Events(ctx context.Context, id ID) ([]Event, error)
}

// Filter narrows a list of payments.
type Filter struct {
	KeyID     int64
	Status    Status        // empty: any
	Network   chain.Network // empty: any
	Reference string        // exactly; empty: any
	Since     time.Time     // zero: from the beginning; by creation
	Ascending bool
	Limit     int   // 1 to MaxPage
	After     int64 // Number of the last payment of the page before; 0 for the first page
	// Unswept takes only payments with money that has not yet arrived at the
	// settlement wallet (checkAdminUntransferred): STARTED ones, and
	// COMPLETED ones with a deposit that is not swept.
	Unswept bool
	// TopUps takes credit top-ups as well, which are no sales of the merchant's.
	TopUps bool
}

// MaxPage is the most payments in one page, and the default (spec.md section 2).
const MaxPage = 500

// Custodians returns the custodian of a key.
type Custodians interface {
	// Custodian returns the custodian of the key, or merchant.ErrNoCustodian.
	Custodian(ctx context.Context, keyID int64) (merchant.Custodian, error)
	// Balance returns what the key has to pay starts with.
	Balance(ctx context.Context, keyID int64) (ledger.Balance, error)
}

// OfferedNetwork is a configured network as payments use it.
type OfferedNetwork struct {
	Profile   chain.Profile
	Depositor chain.Depositor
	Treasury  chain.Address // where top-ups settle; empty: none here
}

// Networks are the configured networks and their health.
type Networks interface {
	// Network returns the network, or false when it is not configured.
	Network(n chain.Network) (OfferedNetwork, bool)
	// Health returns the network's health as of now.
	Health(n chain.Network) Health
}

// Health says whether a network can be read and how far it was.
type Health struct {
	OK      bool
	Reason  string // why not, in words for a payer; empty when OK
	Detail  string // for the operator
	Latest  chain.Head
	Final   chain.Head
	Scanned chain.Head
	// Unread is why the blocks that are not final cannot be read, for the operator; empty if they can. Money is
	// credited all the same, and shown later than usual.
	Unread string
	// Stalled: the network can be read, but its final block is too old. OK is
	// false.
	Stalled bool
	// FinalAge is how much older the final block is than the newest one; 0 unless
	// FinalKnown.
	FinalAge time.Duration
	// New: no round has ended since the program started. OK is false.
	New bool
	// SetAside is how many payments could not be read there and are tried again.
	SetAside int
	// Endpoints is how many endpoints are configured. With one, final is its word.
	Endpoints int
	// Lag is how old the newest block was when it was last read.
	Lag time.Duration
	// FinalIn is the measured time from a new block to the credit of its money.
	FinalIn time.Duration
	// At is when the reader of the network last ended what was due: a round, or a look at the database that found none.
	// Zero: not known.
	At time.Time
}

// UnreadFor is how long a network is offered without a word of its reader.
const UnreadFor = 75 * time.Second

// AsOf returns the health at a later moment: what was well then is not any more if nothing was heard since.
func (h Health) AsOf(now time.Time) Health {
	silent := now.Sub(h.At)
	if h.At.IsZero() || silent <= UnreadFor || !h.OK {
		return h
	}
	h.OK, h.Lag = false, h.Lag+silent
	h.Reason = "this network cannot be read reliably at the moment"
	h.Detail = fmt.Sprintf("its reader has ended no round for %s; the log says why", silent.Round(time.Second))
	return h
}

// NothingSold says why no payment can be taken while no network is offered, and what to do, in the words of /health,
// the log and `florin doctor`.
func NothingSold(configured int) string {
	if configured == 0 {
		return "nothing can be sold: no network is configured; set FLORIN_BEP20_RPC, FLORIN_POLYGON_RPC, FLORIN_BASE_RPC " +
			"or FLORIN_SOL_RPC"
	}
	return "nothing can be sold: none of the configured networks can be used"
}

// FinalKnown reports whether a block is known to be final.
func (h Health) FinalKnown() bool { return h.Final.Number > 0 }

// WatchAfterEnd is how long a payment's addresses stay watched after its end:
// late money is recorded, shown and settled.
const WatchAfterEnd = 30 * 24 * time.Hour
