package report

import (
	"cmp"
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/webhook"
)

// Delivery is an event on its way to a merchant's server.
type Delivery struct {
	ID      int64
	TxnID   payment.ID
	EventID string
	Type    payment.EventType
	At      time.Time // of the event
	State   webhook.State
	Made    int       // attempts made
	DueAt   time.Time // of the next attempt while it waits; when it ended otherwise
	Last    webhook.Attempt
	// OvertakenBy is the later event of the payment that makes this one untrue;
	// empty if there is none.
	OvertakenBy payment.EventType
}

// DeliveryQuery selects deliveries of a key, the newest first.
type DeliveryQuery struct {
	KeyID  int64
	State  webhook.State     // empty: any
	Type   payment.EventType // empty: any
	TxnID  payment.ID        // empty: any
	Before int64             // ID of the last of the page before; 0 for the first page
	Limit  int               // 1 to MaxPage
}

// Failing counts the events that a receiver did not accept.
type Failing struct {
	Waiting int64 // failed so far, and will be tried again
	GivenUp int64 // their attempts were used up
}

// deliveryRow is a delivery with its last attempt, for a list.
type deliveryRow struct {
	ID        int64
	PublicID  string
	EventID   string
	Type      string
	At        db.Instant
	State     string
	Attempt   int64
	DueAt     db.Instant
	TriedAt   db.Instant
	URL       string
	Status    int64
	LatencyUs int64
	Error     string
	Overtaken string
}

func (r deliveryRow) delivery() Delivery {
	return Delivery{
		ID: r.ID, TxnID: payment.ID(r.PublicID), EventID: r.EventID, Type: payment.EventType(r.Type), At: r.At.Time,
		State: webhook.State(r.State), Made: int(r.Attempt), DueAt: r.DueAt.Time,
		Last: webhook.Attempt{
			At: r.TriedAt.Time, URL: r.URL, Status: int(r.Status),
			Latency: time.Duration(r.LatencyUs) * time.Microsecond, Error: r.Error,
		},
		OvertakenBy: payment.EventType(r.Overtaken),
	}
}

// LaterEvents are the public events of the payment of delivery d that came after
// the delivery's own: a part of a statement, to be selected from.
const LaterEvents = "FROM events AS later WHERE later.payment_id = d.payment_id AND later.seq > d.seq AND later.type IN ('" +
	string(
		payment.EventCompleted,
	) + "', '" + string(payment.EventExpired) + "', '" + string(payment.EventCancelled) + "')"

const reportColumns = "SELECT d.id, p.public_id, e.event_id, e.type, e.at, d.state, d.attempt, d.due_at, a.at AS tried_at, " +
	"coalesce(a.url, '') AS url, coalesce(a.status, 0) AS status, coalesce(a.latency_us, 0) AS latency_us, coalesce(a.error, '') AS error, " +
	"coalesce((SELECT later.type " + LaterEvents + " ORDER BY later.seq LIMIT 1), '') AS overtaken " +
	"FROM deliveries AS d JOIN custodians AS c ON c.id = d.custodian_id JOIN payments AS p ON p.id = d.payment_id " +
	"JOIN events AS e ON e.payment_id = d.payment_id AND e.seq = d.seq " +
	"LEFT JOIN delivery_attempts AS a ON a.delivery_id = d.id AND a.attempt = d.attempt "

// Deliveries lists deliveries of a key, the newest first, each with its last attempt.
func (r *Reader) Deliveries(ctx context.Context, q DeliveryQuery) ([]Delivery, error) {
	if q.Limit < 1 || q.Limit > MaxPage {
		return nil, fault.New(fault.Invalid, "limit must be between 1 and %d", MaxPage)
	}
	if !db.Storable(string(q.State)) || !db.Storable(string(q.Type)) || !db.Storable(string(q.TxnID)) {
		return nil, nil
	}
	text, args := reportColumns+"WHERE d.custodian_id = (SELECT id FROM custodians WHERE key_id = ?)", []any{q.KeyID}
	if q.State != "" {
		text, args = text+" AND d.state = ?", append(args, string(q.State))
	}
	if q.Type != "" {
		text, args = text+" AND e.type = ?", append(args, string(q.Type))
	}
	if q.TxnID != "" {
		text, args = text+" AND p.public_id = ?", append(args, string(q.TxnID))
	}
	if q.Before > 0 {
		text, args = text+" AND d.id < ?", append(args, q.Before)
	}
	var rows []deliveryRow
	if err := r.db.Reader().NewRaw(text+" ORDER BY d.id DESC LIMIT ?", append(args, q.Limit)...).Scan(ctx,
		&rows); err != nil {
		return nil, db.Wrap(err, "deliveries of key %d", q.KeyID)
	}
	list := make([]Delivery, len(rows))
	for i, row := range rows {
		list[i] = row.delivery()
	}
	return list, nil
}

// Reasons why a delivery is not sent again.
var (
	// ErrUnknownDelivery: no delivery of these keys has the id.
	ErrUnknownDelivery = fault.New(fault.NotFound, "there is no such webhook")
	ErrOvertaken       = fault.New(fault.Conflict, "a later event of the same payment has overtaken this webhook; send that one again")
)

// Delivery returns one delivery of the keys with all its attempts, the first
// first, or fault.NotFound.
func (r *Reader) Delivery(ctx context.Context, keys []int64, id int64) (Delivery, []webhook.Attempt, error) {
	if len(keys) == 0 {
		return Delivery{}, nil, ErrUnknownDelivery
	}
	var rows []deliveryRow
	err := r.db.Reader().NewRaw(reportColumns+"WHERE d.id = ? AND c.key_id IN (?)", id, bun.List(keys)).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return Delivery{}, nil, db.Wrap(cmp.Or[error](err, ErrUnknownDelivery), "delivery %d", id)
	}
	var tries []struct {
		At        db.Instant
		URL       string
		Status    int64
		LatencyUs int64
		Error     string
		Response  string
		Request   string
	}
	err = r.db.Reader().NewRaw("SELECT at, url, status, latency_us, error, response, request FROM delivery_attempts "+
		"WHERE delivery_id = ? ORDER BY attempt", id).Scan(ctx, &tries)
	if err != nil {
		return Delivery{}, nil, db.Wrap(err, "attempts of delivery %d", id)
	}
	attempts := make([]webhook.Attempt, len(tries))
	for i, a := range tries {
		attempts[i] = webhook.Attempt{
			At: a.At.Time, URL: a.URL, Status: int(a.Status), Latency: time.Duration(a.LatencyUs) * time.Microsecond,
			Error: a.Error, Response: a.Response, Request: a.Request,
		}
	}
	return rows[0].delivery(), attempts, nil
}

// FailedDeliveries counts the deliveries of the keys since the time whose
// attempts were used up, and those that failed and will be tried again. What
// arrived once, and was sent again by hand, is not among them.
func (r *Reader) FailedDeliveries(ctx context.Context, keys []int64, since time.Time) (f Failing, err error) {
	if len(keys) == 0 {
		return f, nil
	}
	// Each half repeats the condition of its partial index, so that delivered
	// deliveries are not read. The plus keeps SQLite from using the index of all
	// deliveries of a custodian for the second half, which are far more.
	const half = "custodian_id IN (SELECT id FROM custodians WHERE key_id IN (?)) AND due_at >= ? AND "
	err = r.db.Reader().NewRaw("SELECT (SELECT count(*) FROM deliveries WHERE "+half+"state IN ('FAILED', 'STOPPED') AND state = 'FAILED'), "+
		"(SELECT count(*) FROM deliveries WHERE +"+half+"state = 'WAITING' AND attempt > 1 AND NOT EXISTS "+
		"(SELECT 1 FROM delivery_attempts AS a WHERE a.delivery_id = deliveries.id AND a.status BETWEEN 200 AND 299))",
		bun.List(keys), db.At(since), bun.List(keys), db.At(since)).Scan(ctx, &f.GivenUp, &f.Waiting)
	return f, db.Wrap(err, "failing deliveries")
}
