package views

import "time"

// WebhooksProps is the list of webhooks of a key.
//
//	GET  /dashboard/webhooks?key=&state=&txnid=&before=   Webhooks
//	GET  /dashboard/webhooks/{id}                         Webhook
//	POST /dashboard/webhooks/{id}/resend                  no fields             → 303 /dashboard/webhooks/{id}
//	POST /dashboard/webhooks/resend                       fields key, since     → 303; since is a date as 2026-11-21 (UTC)
//	POST /dashboard/webhooks/ping                         fields key, status    → 303; status is completed, expired or cancelled
type WebhooksProps struct {
	Dash
	// CallbackURL is where they go; empty: none are sent, and the page says how to begin.
	CallbackURL string
	// State is the filter: "", WAITING, DELIVERED, FAILED or STOPPED. TxnID narrows to a payment.
	State, TxnID string
	Rows         []WebhookRow
	// Next is the id to go on before; empty on the last page. First: this is the first page.
	Next  string
	First bool
	// Failed is how many failed in the last seven days.
	Failed int
	Form   Form
}

// WebhookRow is one event on its way.
type WebhookRow struct {
	ID, EventID, TxnID string
	// Type is completed, expired or cancelled.
	Type string
	At   time.Time
	// State is WAITING, DELIVERED, FAILED or STOPPED.
	State string
	Made  int
	// NextAt is when the next attempt is due while it waits.
	NextAt time.Time
	// Status is the last answer's, 0 for none; Error says why there was none or why it does not count.
	Status  int
	Error   string
	Latency time.Duration
}

// WebhookProps is one webhook with every attempt.
type WebhookProps struct {
	Dash
	WebhookRow

	Attempts []WebhookAttempt
}

// WebhookAttempt is one request and its answer.
type WebhookAttempt struct {
	At      time.Time
	URL     string
	Status  int
	Latency time.Duration
	Error   string
	// Request and Response are as sent and as answered, secrets masked, cut where too long.
	Request, Response string
}
