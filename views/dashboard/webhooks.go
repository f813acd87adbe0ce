package dashboard

import "time"

// DeliveryRow is an event on its way to the merchant's server.
type DeliveryRow struct {
	ID        string
	TxnID     string
	Event     string // completed, expired, cancelled
	EventID   string
	State     string
	Made      int64
	At, DueAt time.Time
	// Answer says how the receiver answered last; empty before the first try.
	Answer string
}

// WebhooksProps is the list of webhooks of a key.
type WebhooksProps struct {
	Frame

	Key         KeyChoice
	HasKey      bool
	State       string
	Event       string
	Rows        []DeliveryRow
	NextURL     string
	CallbackURL string
	Since       Field
	Problem     string
}

var stateChoices = []Choice{{"", "All"}, {"WAITING", "Waiting"}, {"DELIVERED", "Delivered"}, {"FAILED", "Failed"}, {"STOPPED", "Stopped"}}

var (
	eventChoices = []Choice{{"", "All"}, {"completed", "Completed"}, {"expired", "Expired"}, {"cancelled", "Cancelled"}}
	testChoices  = eventChoices[1:]
)

// WebhookProps is one webhook with its attempts.
type WebhookProps struct {
	Frame
	DeliveryRow

	Attempts []AttemptRow
}

// AttemptRow is one try.
type AttemptRow struct {
	At                                      time.Time
	URL, Answer, Latency, Request, Response string
	Good                                    bool
}
