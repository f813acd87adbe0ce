package views

import "time"

// PaymentProps is one payment with everything that happened to it.
//
//	GET  /dashboard/payments/{txnid}             Payment
//	GET  /dashboard/payments/{txnid}/cancel      Confirm
//	POST /dashboard/payments/{txnid}/cancel      no fields             → 303 the payment
//	GET  /dashboard/payments/{txnid}/complete    Confirm with a reason
//	POST /dashboard/payments/{txnid}/complete    field reason          → 303 the payment
//	POST /dashboard/payments/{txnid}/resend      field delivery        → 303 the payment
//	POST /dashboard/payments/{txnid}/find        field hash            → Payment with Finding
type PaymentProps struct {
	Dash
	PaymentRow

	Description string
	// PayURL is the link for the customer, absolute; Code its QR code, shown while the payment is open.
	PayURL string
	Code   QR
	// Fresh: the payment was just created here, so the link comes first.
	Fresh bool
	// Address is the deposit address shown last, Settlement the wallet its money goes to.
	Address, Settlement string
	ExpiresAt           time.Time
	// Missing is what is still to come, a plain decimal; empty for nothing.
	Missing string
	// Addresses are all that were ever shown, the newest first; money on any of them counts.
	Addresses []ShownAddress
	Deposits  []Deposit
	Timeline  []Moment
	// Metadata is in the order of its keys; SuccessURL and CancelURL as given.
	Metadata              []Fact
	SuccessURL, CancelURL string
	CustomerEmail         string
	// CanCancel and CanComplete: the state allows it. CompleteNote says why completing by hand fits, such as
	// "49.53 of 49.90 USDC arrived"; may be empty.
	CanCancel, CanComplete bool
	CompleteNote           string
	// Finding answers the form that looks for a transaction; nil before it was sent.
	Finding *Finding
	Form    Form
}

// ShownAddress is an address that was shown to the payer.
type ShownAddress struct {
	Network, Token, Address string
	// ExplorerURL is the explorer's page of Address; may be empty.
	ExplorerURL string
}

// Moment is one line of the timeline.
type Moment struct {
	At time.Time
	// Meaning is wait, seen, good or bad.
	Meaning string
	Title   string
	// Detail is one sentence; may be empty.
	Detail string
	// Hash and ExplorerURL name a transaction; may be empty.
	Hash, ExplorerURL string
	// Delivery is the id of a webhook that can be sent again from here; Href leads to its attempts.
	Delivery, Href string
}

// Fact is a name and what stands under it.
type Fact struct{ Name, Value string }

// ConfirmProps is the plain question before something that cannot be taken back.
type ConfirmProps struct {
	Dash
	Section Section
	// Title asks; Lost names what will be lost or done, a sentence an item.
	Title string
	Lost  []string
	// Action is where the form posts to, Button what it says, Back where "keep" leads.
	Action, Button, Back string
	// Danger: the button is red.
	Danger bool
	// Reason asks for a reason in the field reason; Password for the password in the field password, and with
	// Code also for the second factor in the field code.
	Reason, Password, Code bool
	// Hidden are fields sent along.
	Hidden []Fact
	Form   Form
}

// NewPaymentProps makes a payment by hand.
//
//	GET  /dashboard/payments/new     NewPayment
//	POST /dashboard/payments         fields key, amount, reference, description, successUrl, cancelUrl, expiresInMinutes,
//	                                 customerEmail → 303 /dashboard/payments/{txnid}?created=1
type NewPaymentProps struct {
	Dash
	Form Form
	// Ready: the key has a custodian with at least one wallet; otherwise the page says what is missing first.
	Ready bool
	// DefaultMinutes is how long a payment holds when nothing is typed.
	DefaultMinutes int
}
