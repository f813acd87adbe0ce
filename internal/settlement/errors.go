package settlement

import "github.com/florinpay/florin/internal/fault"

// Reasons why a sweep waits. Payments complete all the same.
var (
	ErrNoGas        = fault.New(fault.PaymentRequired, "the gas wallet cannot pay for the sweep; send native coin to it")
	ErrTooExpensive = fault.New(fault.Unavailable, "gas costs more than the operator allows; the sweep waits")
	ErrTooLarge     = fault.New(fault.TooLarge, "the sweep does not fit one transaction")
	ErrUnknown      = fault.New(fault.NotFound, "there is no such sweep")
	ErrBusy         = fault.New(fault.Conflict, "another sweep of this network is in flight")
)
