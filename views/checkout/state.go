package checkout

// State is the state of a payment as its payer sees it. It is finer than the stored status:
// the status STARTED is waiting, seen, confirming or short, and EXPIRED or CANCELLED may be late.
type State string

// The states of a checkout. PENDING is StateChoose; STARTED is one of the next four.
const (
	// StateChoose: no network and token chosen yet (status PENDING).
	StateChoose State = "choose"
	// StateWaiting: the address is shown and nothing has been seen.
	StateWaiting State = "waiting"
	// StateSeen: a transfer is in a block that may still be undone; nothing to measure progress by yet.
	StateSeen State = "seen"
	// StateConfirming: as StateSeen, with SecondsToFinal and Progress known.
	StateConfirming State = "confirming"
	// StateShort: final money arrived, but Missing is still to come.
	StateShort State = "short"
	// StatePaid: COMPLETED. Set Excess when more than the amount arrived.
	StatePaid State = "paid"
	// StateReversed: COMPLETED, and then a reorg took the money back before it was finalized.
	StateReversed State = "reversed"
	// StateLate: money arrived after the payment had expired or was cancelled, and is not completed.
	StateLate State = "late"
	// StateExpired: EXPIRED without late money. Set Received when a part had arrived.
	StateExpired State = "expired"
	// StateCancelled: CANCELLED without late money.
	StateCancelled State = "cancelled"
)

// View is a side step of the checkout, from the view query parameter. A side step needs no script.
type View string

// The side steps. A handler passes on what ParseView makes of the query.
const (
	// ViewNow is the page for the payment's state.
	ViewNow View = ""
	// ViewChoose offers the networks again, while nothing has been received.
	ViewChoose View = "choose"
	// ViewFind looks up a transaction by its hash.
	ViewFind View = "find"
	// ViewCancel asks whether the payer really wants to cancel.
	ViewCancel View = "cancel"
	// ViewAgain offers the networks to a payer who means to pay an order again that is paid.
	ViewAgain View = "again"
)

// ParseView is the view that a query parameter names; ViewNow if it is unknown.
func ParseView(s string) View {
	switch v := View(s); v {
	case ViewChoose, ViewFind, ViewCancel, ViewAgain:
		return v
	}
	return ViewNow
}

// Via is where the payer's money is, from the via query parameter.
type Via string

// The places.
const (
	ViaExchange Via = "exchange"
	ViaWallet   Via = "wallet"
)

// ParseVia is the place that a query parameter names; ViaExchange if it is unknown, since most payers have
// their money there.
func ParseVia(s string) Via {
	if Via(s) == ViaWallet {
		return ViaWallet
	}
	return ViaExchange
}

// Problem is why the last form of the payer was refused; shown above the step.
type Problem string

// The problems of the checkout's forms.
const (
	ProblemNone Problem = ""
	// ProblemUnavailable: the chosen network or token cannot be used at the moment (422, 503).
	ProblemUnavailable Problem = "unavailable"
	// ProblemChoice: no network and token were chosen, or ones that do not exist (400, 422). It is shown below the
	// heading of the step.
	ProblemChoice Problem = "choice"
	// ProblemReceived: money is on its way or received, so the network cannot be changed any more (409).
	ProblemReceived Problem = "received"
	// ProblemCannotCancel: money is on its way or received, so it cannot be cancelled (409).
	ProblemCannotCancel Problem = "cannot_cancel"
	// ProblemClosed: the payment is already final (409).
	ProblemClosed Problem = "closed"
	// ProblemMerchant: the merchant cannot accept payments now, for instance without credits (402).
	ProblemMerchant Problem = "merchant"
	// ProblemTooOften: rate limited (429).
	ProblemTooOften Problem = "too_often"
)

// Reason is why a network or a token is shown but cannot be chosen.
type Reason string

// The reasons.
const (
	ReasonNone Reason = ""
	// ReasonBehind: the network's head is too old or no endpoint answers.
	ReasonBehind Reason = "behind"
	// ReasonNotOffered: the merchant does not take it.
	ReasonNotOffered Reason = "not_offered"
	// ReasonTooSmall and ReasonTooLarge: outside the merchant's limits for this network.
	ReasonTooSmall Reason = "too_small"
	ReasonTooLarge Reason = "too_large"
)
