package settlement

import "github.com/florinpay/florin/internal/fault"

// Reasons why a sweep waits. Payments complete meanwhile.
var (
	ErrUnknown = fault.New(fault.NotFound, "there is no such sweep")
	ErrBusy    = fault.New(fault.Conflict, "another sweep of this network is in flight")
)
