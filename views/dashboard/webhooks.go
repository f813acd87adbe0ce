package dashboard

import (
	"cmp"
	"context"
	"time"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
)

// DeliveryRow is a webhook to the merchant's server.
type DeliveryRow struct {
	ID    string
	TxnID string
	// Title is what the merchant knows the payment by, and About what else is known; both may be empty.
	Title, About string
	Amount       string // of the payment
	Event        string // completed, expired, cancelled
	EventID      string
	State        string
	Made         int64
	At, DueAt    time.Time
	Parked       bool // it waits for a callback address
	// Answer is the last answer of the receiver; empty before the first attempt.
	Answer string
	// OvertakenBy is the later event of the payment, such as payment.completed;
	// this one is not sent any more then. Empty if there is none.
	OvertakenBy string
}

// Name is what the payment of the webhook is called.
func (r DeliveryRow) Name(ctx context.Context) string {
	return cmp.Or(r.Title, views.T(ctx, "Payment of {{.Amount}}", "Amount", panel.Dollars(ctx, r.Amount)))
}

// WebhooksProps is the list of webhooks of a key.
type WebhooksProps struct {
	panel.Frame

	Key         panel.KeyChoice
	HasKey      bool
	State       string
	Event       string
	Rows        []DeliveryRow
	NextURL     string
	CallbackURL string
	Since       panel.Field
	Problem     string
}

var stateChoices = []panel.Choice{
	{Value: "", Text: "All"},
	{Value: "WAITING", Text: "Waiting"},
	{Value: "DELIVERED", Text: "Delivered"},
	{Value: "FAILED", Text: "Failed"},
	{Value: "STOPPED", Text: "Stopped"},
	{Value: "OVERTAKEN", Text: "Overtaken"},
}

var (
	eventChoices = []panel.Choice{
		{Value: "", Text: "All"},
		{Value: "completed", Text: "Completed"},
		{Value: "expired", Text: "Expired"},
		{Value: "cancelled", Text: "Cancelled"},
	}
	testChoices = eventChoices[1:]
)

// WebhookProps is one webhook with its attempts.
type WebhookProps struct {
	panel.Frame
	DeliveryRow

	Attempts []AttemptRow
}

// AttemptRow is one attempt.
type AttemptRow struct {
	At                                      time.Time
	URL, Answer, Latency, Request, Response string
	Good                                    bool
}
