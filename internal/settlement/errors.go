package settlement

import "github.com/florinpay/florin/internal/fault"

// Reasons why a sweep waits. Payments complete meanwhile.
var (
	ErrUnknown = fault.New(fault.NotFound, "there is no such sweep")
	ErrBusy    = fault.New(fault.Conflict, "another sweep in flight has the same address or nonce")
	// ErrRecorded: the sweep is stored with all its items.
	ErrRecorded = fault.New(fault.Conflict, "the sweep is recorded already")
)
