package payment

import (
	"github.com/florinpay/florin/internal/fault"
)

// Reasons why a decision is refused.
var (
	ErrUnknown       = fault.New(fault.NotFound, "no payment has this txnid")
	ErrEnded         = fault.New(fault.Conflict, "the payment has already ended").Because(fault.ReasonPaymentEnded)
	ErrPastExpiry    = fault.New(fault.Conflict, "the payment's time has run out; create a new one").Because(fault.ReasonPaymentExpired)
	ErrMoneyReceived = fault.New(fault.Conflict, "money for this payment is received or on its way; it can no longer be changed or cancelled").Because(fault.ReasonMoneyReceived)
	ErrCompleted     = fault.New(fault.Conflict, "the payment is already completed").Because(
		fault.ReasonPaymentCompleted,
	)
	ErrNotByHand        = fault.New(fault.Conflict, "a credit top-up completes by its payment alone").Because(fault.ReasonTopUp)
	ErrNothingToResolve = fault.New(fault.Conflict, "nothing about this payment needs attention")
	// ErrEventsDropped: events after the cursor were older than they are kept.
	ErrEventsDropped = fault.New(fault.Conflict, "events after this position were deleted, because they are older than this "+
		"server keeps events; leave after out to read those that are left").Because(fault.ReasonEventsDropped)
	ErrNoMoney = fault.New(fault.Conflict, "no final money was received for this payment, so there is none to accept")
)
