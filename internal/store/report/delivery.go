package report

import (
	"context"
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/webhook"
)

// Delivery is an event on its way to a merchant's server.
type Delivery struct {
	ID    int64
	TxnID payment.ID `bun:"public_id"`
	// Reference, Description, Customer and Amount are those of the payment.
	Reference   string
	Description string `bun:"about"`
	Customer    string
	Amount      money.Micros

	Seq     int
	EventID string
	Type    payment.EventType
	At      time.Time // of the event
	State   webhook.State
	Made    int             `bun:"attempt"` // attempts made
	DueAt   time.Time       // of the next attempt while it waits; when it ended otherwise
	Last    webhook.Attempt `bun:"embed:last_"`
	// OvertakenBy is the later event of the payment that makes this one untrue;
	// empty if there is none.
	OvertakenBy payment.EventType `bun:"overtaken"`
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

// MaxFailing is how far failing events are counted.
const MaxFailing = 1000

// Failing counts the events that a receiver did not accept, each at most MaxFailing.
type Failing struct {
	Waiting int64 // failed so far, and will be tried again
	GivenUp int64 // their attempts were used up
	Parked  int64 // there is no callback URL to send them to
}

// sent are the types of the events that are delivered.
func sent() []payment.EventType {
	return []payment.EventType{payment.EventCompleted, payment.EventExpired, payment.EventCancelled}
}

// LaterEvents are the public events of the payment of delivery d that came after
// the delivery's own: a part of a statement, to be selected from.
const LaterEvents = `FROM events AS later WHERE later.payment_id = d.payment_id AND later.seq > d.seq AND later.type IN ('` + string(payment.EventCompleted) + `', '` + string(payment.EventExpired) + `', '` + string(payment.EventCancelled) + `')`

const deliveryColumns = `d.id, p.public_id, p.reference, p.description AS about,
	p.customer_email AS customer, p.amount, e.seq, e.type, e.at, d.state, d.attempt, d.due_at, a.at AS last_at,
	coalesce(a.url, '') AS last_url, coalesce(a.status, 0) AS last_status, coalesce(a.latency_us, 0) AS last_latency,
	coalesce(a.error, '') AS last_error,
	coalesce((SELECT later.type ` + LaterEvents + ` ORDER BY later.seq LIMIT 1), '') AS overtaken
	FROM deliveries AS d JOIN custodians AS c ON c.id = d.custodian_id JOIN payments AS p ON p.id = d.payment_id
	JOIN events AS e ON e.payment_id = d.payment_id AND e.seq = d.seq
	LEFT JOIN delivery_attempts AS a ON a.delivery_id = d.id AND a.attempt = d.attempt `

// Deliveries lists deliveries of a key, the newest first, each with its last attempt.
func (r *Reader) Deliveries(ctx context.Context, q DeliveryQuery) ([]Delivery, error) {
	if q.Limit < 1 || q.Limit > MaxPage {
		return nil, fault.New(fault.Invalid, "limit must be between 1 and %d", MaxPage)
	}
	if !db.Storable(string(q.State)) || !db.Storable(string(q.Type)) || !db.Storable(string(q.TxnID)) {
		return nil, nil
	}
	var ids []int64
	if err := q.find(r.db.Reader()).Scan(ctx, &ids); err != nil {
		return nil, db.Wrap(err, "deliveries of key %d", q.KeyID)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := db.All[Delivery](ctx, r.db.Reader(),
		"SELECT "+deliveryColumns+"WHERE d.id IN (?) ORDER BY d.id DESC", bun.List(ids))
	for i := range list {
		list[i].EventID = payment.EventID(list[i].TxnID, list[i].Seq)
	}
	return list, db.Wrap(err, "deliveries of key %d", q.KeyID)
}

// find returns the query of the ids. It merges the ranges of deliveries_of_custodian, one for each state and type.
func (q DeliveryQuery) find(reader bun.IDB) *bun.RawQuery {
	states, types := webhook.States(), sent()
	if q.State != "" {
		states = []webhook.State{q.State}
	}
	if q.Type != "" {
		types = []payment.EventType{q.Type}
	}
	const custodian = "d.custodian_id = (SELECT id FROM custodians WHERE key_id = ?)"
	if q.TxnID != "" {
		return reader.NewRaw(`SELECT d.id FROM deliveries AS d WHERE d.payment_id = (SELECT id FROM payments WHERE public_id = ?) AND
			`+custodian+` AND d.state IN (?) AND d.type IN (?) AND d.id < ? ORDER BY d.id DESC LIMIT ?`,
			q.TxnID, q.KeyID, bun.List(states), bun.List(types), beforeOrLast(q.Before), q.Limit)
	}
	var ranges []*bun.SelectQuery
	for _, state := range states {
		for _, kind := range types {
			ranges = append(ranges, reader.NewSelect().TableExpr("deliveries AS d").ColumnExpr("d.id").
				Where(custodian+" AND d.state = ? AND d.type = ?", q.KeyID, state, kind).
				Where("(-d.id) > ?", -beforeOrLast(q.Before)).OrderExpr("(-d.id)").Limit(int64(q.Limit)))
		}
	}
	return db.Merge(reader, ranges, "id DESC", q.Limit)
}

// Reasons why a delivery is not sent again.
var (
	// ErrUnknownDelivery: no delivery of these keys has the id.
	ErrUnknownDelivery = fault.New(fault.NotFound, "there is no such webhook")
	ErrOvertaken       = fault.New(fault.Conflict, "a later event of the same payment has overtaken this webhook; send that one again")
)

// Sent is a delivery with what was sent.
type Sent struct {
	Delivery

	Data        json.RawMessage // the body of every attempt, without the secret
	CustodianID string
	Attempts    []webhook.Attempt `bun:"-"` // the first first
}

// Delivery returns one delivery of the keys, or fault.NotFound.
func (r *Reader) Delivery(ctx context.Context, keys []int64, id int64) (Sent, error) {
	if len(keys) == 0 {
		return Sent{}, ErrUnknownDelivery
	}
	one, err := db.First[Sent](ctx, r.db.Reader(), ErrUnknownDelivery,
		"SELECT e.data, c.public_id AS custodian_id, "+deliveryColumns+"WHERE d.id = ? AND c.key_id IN (?)",
		id, bun.List(keys))
	if err != nil {
		return Sent{}, db.Wrap(err, "delivery %d", id)
	}
	one.EventID = payment.EventID(one.TxnID, one.Seq)
	one.Data = webhook.WithCustodian(one.Data, one.CustodianID)
	one.Attempts, err = db.All[webhook.Attempt](ctx, r.db.Reader(), `SELECT at, url, status, latency_us AS latency, error, response,
		request, keyed FROM delivery_attempts WHERE delivery_id = ? ORDER BY attempt`, id)
	if err != nil {
		return Sent{}, db.Wrap(err, "attempts of delivery %d", id)
	}
	return one, nil
}

// FailedDeliveries counts the deliveries of the keys since the time whose
// attempts were used up, and those that failed and will be tried again. What
// arrived once, and was sent again by hand, is not among them.
func (r *Reader) FailedDeliveries(ctx context.Context, keys []int64, since time.Time) (f Failing, err error) {
	if len(keys) == 0 {
		return f, nil
	}
	// Each half repeats the condition of its partial index, so that delivered
	// deliveries are not read.
	const half = "custodian_id IN (SELECT id FROM custodians WHERE key_id IN (?)) AND due_at >= ? AND "
	err = r.db.Reader().NewRaw(`SELECT (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE `+half+`state IN ('FAILED', 'STOPPED') AND state = 'FAILED' LIMIT ?) AS failed),
		(SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE `+half+`state = 'WAITING' AND attempt > 1 AND NOT EXISTS
		(SELECT 1 FROM delivery_attempts AS a WHERE a.delivery_id = deliveries.id AND a.status BETWEEN 200 AND 299) LIMIT ?) AS waiting),
		(SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE `+half+`state = 'WAITING' LIMIT ?) AS waiting)`,
		bun.List(keys), since, MaxFailing, bun.List(keys), since, MaxFailing,
		bun.List(keys), webhook.Parked(), MaxFailing).Scan(ctx, &f.GivenUp, &f.Waiting, &f.Parked)
	return f, db.Wrap(err, "failing deliveries")
}
