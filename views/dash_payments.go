package views

import "time"

// PaymentsProps is the list of payments.
//
//	GET /dashboard/payments      Payments; query as in PaymentFilter, and after=<cursor>
//	GET /dashboard/payments.csv  the same query without after: all of them as CSV
type PaymentsProps struct {
	Dash
	Filter PaymentFilter
	Rows   []PaymentRow
	// Next is the cursor of the page after this one; empty on the last. First: this is the first page.
	Next  string
	First bool
	// Any: there is at least one payment at all, so that an empty list means an unfitting filter.
	Any bool
	// Errors are about the fields of the filter.
	Errors map[string]string
}

// PaymentFilter narrows the list; every field is as typed, empty takes everything. Field names in the query are
// the names here in lower case.
type PaymentFilter struct {
	// Q finds by number, reference, transaction hash, address or amount.
	Q string
	// Status, Network, Token are enum values; Kind is PAYMENT, DONATION or TOPUP.
	Status, Network, Token, Kind string
	// From and Until are dates as 2026-11-21 (UTC), both included.
	From, Until string
	// Min and Max are plain decimals in US dollars.
	Min, Max string
	// Key is the public id of an API key.
	Key string
}

// PaymentRow is one payment in a list.
type PaymentRow struct {
	TxnID     string
	CreatedAt time.Time
	// Amount is asked for, a plain decimal; Token and Network are empty until started.
	Amount, Token, Network string
	// Status is the stored status; State refines it in the dashboard's words where that says more: "SEEN", "SHORT", "LATE".
	Status, State string
	Reference     string
	// Kind is PAYMENT, DONATION or TOPUP.
	Kind string
	// Received is empty when nothing arrived or exactly Amount did.
	Received string
	KeyName  string
}
