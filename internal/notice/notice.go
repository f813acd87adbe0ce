// Package notice tells merchants by mail that the credits of a key run low.
//
// Its one invariant: each time the balance of a key falls to credit.Low, its
// owners are mailed at most once. The store notes the fall in the transaction
// that causes it, and a notice is marked as taken before its mail is handed
// over: neither a restart nor a second instance repeats it.
//
//	entry crosses the mark ──▶ WAITING ──take──▶ TAKEN ──▶ SENT
//	                              ▲                ├─────▶ SKIPPED: nothing to tell, or nobody to tell it
//	                              └──not handed────┴─────▶ FAILED: tried too often
//
// Buying credits rearms it, for the next fall crosses the mark again.
package notice

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/merchant"
)

// Low is a key whose credits have run low, and whom to tell.
type Low struct {
	Key      merchant.Key
	Crossing int64    // which fall of the key it is about
	Attempt  int      // attempts made before this one
	Left     int64    // credits it has now
	Owners   []string // e-mail addresses of those who may buy credits
	At       time.Time
}

// State is how a notice stands.
type State string

// The states.
const (
	Waiting State = "WAITING"
	Taken   State = "TAKEN" // a mail is on its way
	Sent    State = "SENT"
	Skipped State = "SKIPPED" // nobody was mailed: there was no need, or no way
	Failed  State = "FAILED"  // the mail server refused it again and again
)

// Store keeps the notices. Every method is one transaction.
type Store interface {
	// TakeLow takes up to limit notices that are due at now, the oldest first.
	// A notice is taken by one caller only.
	TakeLow(ctx context.Context, now time.Time, limit int) ([]Low, error)
	// EndLow stores what became of a notice that was taken: Sent, Skipped or
	// Failed, or Waiting to take it again at due. It changes nothing if the key
	// has run low once more in the meantime.
	EndLow(ctx context.Context, l Low, state State, due time.Time) error
}
