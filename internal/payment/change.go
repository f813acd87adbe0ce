package payment

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/stringify"
)

// Change is the outcome of a decision: all of it is written in one transaction,
// or none of it.
type Change struct {
	Payment  Payment
	Deposits []Deposit // new or changed
	Events   []Event
	Entries  []ledger.Entry
	Audit    []audit.Entry // of an act by a user; none for what the chain or the clock decides
	Mails    []mail.Mail   // to the customer, and to the merchant's people
	Spoken   bool          // the payer reads another language, which is no event
	// Kept is the answer of the request that asked for the change, if it came with
	// an Idempotency-Key: stored with the change, so that a crash cannot separate them.
	Kept *idempotency.Kept
}

// by returns the change with the record of the act and the answer of its request. A change that writes nothing leaves
// nothing.
func (c Change) by(act audit.Act, r audit.Record, err error) (Change, error) {
	if err != nil || c.None() {
		return c, err
	}
	c.Audit = r.Entries
	c.Kept, err = act.Keep.Of(c.Payment)
	return c, err
}

// None reports whether there is nothing to write.
func (c Change) None() bool {
	return len(c.Deposits) == 0 && len(c.Events) == 0 && len(c.Entries) == 0 && !c.Spoken
}

// EventType names what happened. Public events are sent to the merchant.
type EventType string

// The events.
const (
	EventCreated   EventType = "payment.created"
	EventShown     EventType = "payment.shown" // the payer opened the page
	EventStarted   EventType = "payment.started"
	EventSwitched  EventType = "payment.switched" // another network or token was chosen
	EventSeen      EventType = "deposit.seen"
	EventFinal     EventType = "deposit.final"
	EventVanished  EventType = "deposit.vanished"
	EventExtended  EventType = "payment.extended" // money fell short; the timer runs longer
	EventResumed   EventType = "payment.resumed"  // the network could not be read; the timer runs longer
	EventMarked    EventType = "payment.marked"   // its owner marked it as paid, whatever was received
	EventAsked     EventType = "payment.asked"    // the payer asks its owner to accept what came
	EventAccepted  EventType = "payment.accepted" // its owner accepted what came
	EventCompleted EventType = "payment.completed"
	EventExpired   EventType = "payment.expired"
	EventCancelled EventType = "payment.cancelled"
	EventReorged   EventType = "payment.reorged"  // credited money vanished
	EventResolved  EventType = "payment.resolved" // its owner settled what needed attention

	EventShort      EventType = "payment.short"       // less came than was asked for (ReasonShort)
	EventOver       EventType = "payment.over"        // more came than was asked for
	EventLate       EventType = "payment.late"        // enough came after the end
	EventOtherAsset EventType = "payment.other_asset" // money came that does not count by itself
	EventDuplicate  EventType = "payment.duplicate"   // another payment of its reference was paid before

	EventRefundRequested EventType = "refund.requested"     // its merchant pays money back
	EventRefundAddress   EventType = "refund.address_given" // the payer said where to, or somewhere else
	EventRefundAsked     EventType = "refund.asked"         // the merchant's wallet was asked: the address stays
	EventRefundUnsent    EventType = "refund.unsent"        // the merchant says that it was not sent
	EventRefundSent      EventType = "refund.sent"          // its transaction is known
	EventRefundOther     EventType = "refund.other_amount"  // another amount has reached the address: it does not count
	EventRefundFinal     EventType = "refund.final"         // final money has reached the address
	EventRefundCancelled EventType = "refund.cancelled"
)

// Public reports whether the event is sent to the merchant's callback URL.
func (t EventType) Public() bool {
	return t == EventCompleted || t == EventExpired || t == EventCancelled
}

// FeedTypes lists the events that GET /events has: the public ones, and those that
// need the merchant's attention.
func FeedTypes() []EventType {
	return []EventType{
		EventCompleted, EventExpired, EventCancelled, EventShort, EventOver, EventLate, EventOtherAsset, EventReorged,
		EventDuplicate, EventRefundRequested, EventRefundAddress, EventRefundSent, EventRefundFinal,
		EventRefundCancelled,
	}
}

// OfRefund reports whether the event is about a refund, whose fields its body has.
func (t EventType) OfRefund() bool { return strings.HasPrefix(string(t), "refund.") }

// WithRefundEvent returns the payment with an event about one of its refunds; body is the refund as events have it.
// What its owner has settled stays settled. The money of a cancelled refund counts again, and may complete the payment.
func (p Payment) WithRefundEvent(t EventType, now time.Time, body any) Change {
	c := Change{Payment: p}
	c.emit(t, now, body)
	if p.Resolved >= p.Seq {
		c = c.resolved()
	}
	if t == EventRefundCancelled {
		c = c.settle(now).alert(p, now)
	}
	return c
}

// InFeed reports whether GET /events lists the event.
func (t EventType) InFeed() bool { return slices.Contains(FeedTypes(), t) }

// Stored is a change that was stored, with the payment as it was before; the zero payment for a new one.
type Stored struct {
	Before Payment
	Change Change
	Began  time.Time // when it was asked for
}

// Event is one row of the append-only history of a payment.
type Event struct {
	ID        string // evt_<payment>_<seq>: the same for every retry of the decision
	PaymentID ID
	Seq       int // from 1; gaps only where the database was restored
	Type      EventType
	At        time.Time
	// Data is JSON: of an event in the feed the webhook body (interface.md section 6,
	// without the secret, which is added when it is sent), otherwise a note for
	// the timeline.
	Data json.RawMessage
}

// EventID is the id of the payment's event with the sequence number.
func EventID(id ID, seq int) string { return fmt.Sprintf("evt_%s_%d", id, seq) }

// emit appends an event to the change.
func (c *Change) emit(t EventType, now time.Time, data any) {
	c.Payment.Seq++
	e := Event{
		ID:        EventID(c.Payment.ID, c.Payment.Seq),
		PaymentID: c.Payment.ID, Seq: c.Payment.Seq, Type: t, At: now,
	}
	if t.InFeed() {
		body := c.Payment.webhookBody(e.ID)
		body.AcceptRequested = c.Payment.HasAsked() && !t.Public()
		if t == EventDuplicate {
			body.DuplicateOf = c.Payment.DuplicateOf
		}
		if t.OfRefund() {
			body.Refund = data
		}
		data = body
	}
	raw, err := stringify.JSON(data) // receivers verify what they have parsed
	if err != nil {
		panic(fmt.Sprintf("payment: event data of %s cannot be written as JSON: %v", t, err))
	}
	e.Data = raw
	c.Events = append(c.Events, e)
	c.Mails = append(c.Mails, c.Payment.mails(e)...)
}

// WebhookBody is the body of interface.md section 6 with the additions of
// spec.md section 7; secret and privateKey are added when it is sent.
type WebhookBody struct {
	TxnID          ID            `json:"txnid"`
	Status         string        `json:"status"`
	Amount         money.Micros  `json:"amount"`
	AmountInToken  money.Micros  `json:"amountInToken"`
	Network        string        `json:"network"`
	CreatedAt      string        `json:"createdAt"`
	Token          money.Token   `json:"token"`
	Hash           chain.TxHash  `json:"hash"`
	ReceivedAmount money.Micros  `json:"receivedAmount"`
	Reference      string        `json:"reference"`
	Metadata       stringify.Map `json:"metadata"`
	EventID        string        `json:"eventId"`
	// AcceptRequested: the payer asks the merchant to accept what has come. Webhooks
	// never carry it, only GET /events.
	AcceptRequested bool `json:"acceptRequested,omitempty"`
	// DuplicateOf is in payment.duplicate alone, which no webhook carries.
	DuplicateOf ID `json:"duplicateOf,omitempty"`
	// Refund is in the events about refunds alone, which no webhook carries.
	Refund any `json:"refund,omitempty"`
	// Price is missing where the amount was given in dollars.
	Price *PriceBody `json:"price,omitempty"`
}

// TimeFormat is RFC 3339 in UTC with milliseconds, as every surface writes times.
const TimeFormat = "2006-01-02T15:04:05.000Z"

var webhookStatus = map[Status]string{
	Pending: "pending", Started: "started", Completed: "completed", Expired: "expired", Cancelled: "cancelled",
}

func (p Payment) webhookBody(eventID string) WebhookBody {
	metadata := p.Metadata
	if metadata == nil {
		metadata = map[string]string{}
	}
	return WebhookBody{
		TxnID: p.ID, Status: webhookStatus[p.Status],
		Amount: p.Amount, AmountInToken: p.Amount,
		Network: p.Choice.Network.Lower(), Token: p.Choice.Token,
		CreatedAt: p.CreatedAt.UTC().Format(TimeFormat),
		Hash:      p.Hash, ReceivedAmount: p.Received().Micros(),
		Reference: p.Reference, Metadata: metadata, EventID: eventID, Price: p.PriceBody(),
	}
}

// note is the data of an event that only the timeline shows.
type note struct {
	Network chain.Network `json:"network,omitempty"`
	Token   money.Token   `json:"token,omitempty"`
	Address chain.Address `json:"address,omitempty"`
	Tx      chain.TxHash  `json:"tx,omitempty"`
	Units   string        `json:"units,omitempty"`
	Asset   string        `json:"asset,omitempty"`
	Block   uint64        `json:"block,omitempty"`
	Source  string        `json:"source,omitempty"`
	Until   string        `json:"until,omitempty"`
	By      string        `json:"by,omitempty"`
	Reason  string        `json:"reason,omitempty"`
	Counted bool          `json:"counted,omitempty"`
	Late    bool          `json:"late,omitempty"`
}
