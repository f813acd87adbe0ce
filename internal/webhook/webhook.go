// Package webhook reports to merchants what happened to their payments.
//
// Its one invariant: an event is delivered at least once, or its attempts are
// used up and shown, or a later event of its payment has overtaken it; a delivery
// is a row that was written with the event, so a crash loses nothing. No event
// is sent after one of the same payment that came later.
package webhook

import (
	"context"
	"encoding/json"
	"time"

	"github.com/florinpay/florin/internal/secret"
)

// Delivery is one event on its way to one receiver.
type Delivery struct {
	ID      int64
	EventID string // the webhook-id header: constant for all attempts
	Attempt int    // attempts made so far
	URL     string // the custodian's callback URL now
	// Receiver is that of the URL when the delivery was stored, or of a later one.
	Receiver ReceiverID
	// Body is the event's data; secret and privateKey are added to it when
	// Secret is not empty.
	Body           json.RawMessage
	Secret         secret.Text
	SigningSecrets []secret.Text // newest first
	// Replayed: the database was restored, and the receiver may know the event's news from the time that is lost.
	Replayed bool
}

// Attempt is one attempt to deliver and its result.
type Attempt struct {
	At       time.Time
	URL      string
	Status   int           // HTTP status; 0 when there was no answer
	Latency  time.Duration // until the answer or the failure
	Error    string        // why there was no answer, or why this one does not count; no secret
	Response string        // the first MaxShown bytes of the answer
	Request  string        // the first line and the headers as sent
	// Keyed: the body carried the merchant's secret. The body itself is the event's data, which is stored once:
	// ShowBody.
	Keyed bool
}

// State is where a delivery stands.
type State string

// The states of a delivery.
const (
	Waiting   State = "WAITING"   // due at NextAt
	Delivered State = "DELIVERED" // a 2xx answer came
	Failed    State = "FAILED"    // every attempt was used up
	Stopped   State = "STOPPED"   // the receiver answered 410, or a person stopped it
	// Overtaken: a later event of the same payment makes it untrue, so it is not
	// sent any more. A receiver that got it last would take a paid payment for
	// expired or cancelled.
	Overtaken State = "OVERTAKEN"
)

// States lists the states of a delivery.
func States() []State { return []State{Waiting, Delivered, Failed, Stopped, Overtaken} }

// Outcome is what to write after an attempt.
type Outcome struct {
	DeliveryID int64
	Attempt    Attempt
	State      State
	NextAt     time.Time // for Waiting
	// Spared: nothing was sent, or the receiver was busy, so that the attempt is neither counted nor kept (Result).
	Spared bool
}

// Store is the outbox. Every method is one transaction.
type Store interface {
	// DueReceivers lists the receivers with deliveries that are due at now and
	// that no instance holds. Its cost grows with the receivers, not with their
	// queues.
	DueReceivers(ctx context.Context, now time.Time) ([]DueReceiver, error)
	// Claim takes the first due deliveries of each receiver, as many as its
	// share, and holds them until the time given: a crashed holder's work is due
	// again then. It may return fewer, but no delivery to two holders, none that is
	// overtaken, and none while an earlier one of its payment is held.
	Claim(ctx context.Context, holder string, now, until time.Time, shares []Share) ([]Delivery, error)
	// Settle writes the outcome of an attempt if the holder still has it. A delivery
	// that was overtaken meanwhile is Overtaken instead of Waiting.
	Settle(ctx context.Context, holder string, o Outcome) error
	// NextDue returns when the next unheld delivery is due; ok is false if none waits.
	NextDue(ctx context.Context, now time.Time) (at time.Time, ok bool, err error)
}

// ClaimDue claims at most limit due deliveries, with at most perReceiver of
// each receiver held by all instances together.
func ClaimDue(
	ctx context.Context, s Store, holder string, now, until time.Time, limit, perReceiver int,
) ([]Delivery, error) {
	due, err := s.DueReceivers(ctx, now)
	if err != nil {
		return nil, err
	}
	shares := Divide(due, limit, func(_ ReceiverID, n int) bool { return n <= perReceiver })
	if len(shares) == 0 {
		return nil, nil
	}
	return s.Claim(ctx, holder, now, until, shares)
}
