package merchant

import (
	"context"
	"time"
)

// LowBalance is an alert that the credits of a key run low, or that a sale was
// refused for them.
//
// Each time the balance of a key falls to ledger.Low, its owners are mailed at
// most once. The store records the fall in the transaction that causes it, and
// an alert is marked as taken before its mail is sent: neither a restart nor a
// second instance repeats it.
//
//	balance falls to Low ──▶ WAITING ──take──▶ TAKEN ──▶ SENT
//	                            ▲                ├─────▶ SKIPPED: no mail is needed, or no owner has an address
//	                            └──mail failed───┴─────▶ FAILED: the last attempt failed
//
// Buying credits makes the next fall a new alert.
//
// A refused sale is an alert of its own kind, with the same states: at most one
// in RefusedEvery, however many sales are refused.
type LowBalance struct {
	Key      Key
	Kind     AlertKind
	Crossing int64    // which fall of the key's balance, or which alert of a refused sale, it is
	Attempt  int      // attempts made before this one
	Left     int64    // credits the key has now
	Owners   []string // e-mail addresses of those who may buy credits
	At       time.Time
	Unread   error // why the key cannot be read; nil: it can
}

// AlertKind is what an alert is about.
type AlertKind string

// The kinds.
const (
	AlertLow     AlertKind = "LOW"     // the balance fell to ledger.Low
	AlertRefused AlertKind = "REFUSED" // a sale was refused for credits
)

// RefusedEvery is how often at most the owners of a key are mailed about refused
// sales.
const RefusedEvery = 24 * time.Hour

// AlertState is the state of an alert.
type AlertState string

// The states.
const (
	AlertWaiting AlertState = "WAITING"
	AlertTaken   AlertState = "TAKEN" // its mail is being sent
	AlertSent    AlertState = "SENT"
	AlertSkipped AlertState = "SKIPPED" // no mail was needed, or none could be sent
	AlertFailed  AlertState = "FAILED"  // the mail server refused every attempt
)

// LowBalanceStore keeps the alerts. Every method is one transaction.
type LowBalanceStore interface {
	// RecordRefused makes an alert of kind AlertRefused due now, unless one of the
	// key is due already or the last one ended less than RefusedEvery ago.
	RecordRefused(ctx context.Context, keyID int64, now time.Time) error
	// TakeLow takes up to limit alerts that are due at now, the oldest first.
	// An alert is taken by one caller only. One whose key cannot be read comes
	// alone, with Unread.
	TakeLow(ctx context.Context, now time.Time, limit int) ([]LowBalance, error)
	// EndLow stores the outcome of an alert that was taken: Sent, Skipped or
	// Failed, or Waiting to take it again at due. It changes nothing if the
	// balance of the key has fallen once more in the meantime.
	EndLow(ctx context.Context, l LowBalance, state AlertState, due time.Time) error
}
