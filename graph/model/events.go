package model

import "encoding/json"

// EventsResult is the answer to GET /events. It is REST only.
type EventsResult struct {
	Code     int        `json:"code"`
	Message  string     `json:"message"`
	Reason   *string    `json:"reason,omitempty"`
	Warnings []*Warning `json:"warnings,omitempty"`
	Events   []Event    `json:"events"`
	// NextAfter is the cursor for the next call; it is unchanged when there is
	// nothing new.
	NextAfter string `json:"nextAfter"`
}

// Event is an event as webhooks deliver it.
type Event struct {
	EventID   string   `json:"eventId"`
	Type      string   `json:"type"`
	CreatedAt DateTime `json:"createdAt"`
	// Data is the webhook's body, without the secret.
	Data json.RawMessage `json:"data"`
}

// Envelope returns where the fields of every result stand.
func (r *EventsResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}
