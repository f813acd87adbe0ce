package store

import (
	"context"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/webhook"
)

// reportRow is a delivery with its last attempt, for a list.
type reportRow struct {
	ID        int64
	PublicID  string
	EventID   string
	Type      string
	At        instant
	State     string
	Attempt   int64
	DueAt     instant
	TriedAt   instant
	URL       string
	Status    int64
	LatencyUs int64
	Error     string
}

func (r reportRow) delivery() report.Delivery {
	return report.Delivery{
		ID: r.ID, TxnID: payment.ID(r.PublicID), EventID: r.EventID, Type: payment.EventType(r.Type), At: r.At.Time,
		State: webhook.State(r.State), Made: int(r.Attempt), DueAt: r.DueAt.Time,
		Last: webhook.Attempt{
			At: r.TriedAt.Time, URL: r.URL, Status: int(r.Status), Latency: time.Duration(r.LatencyUs) * time.Microsecond, Error: r.Error,
		},
	}
}

const reportColumns = "SELECT d.id, p.public_id, e.event_id, e.type, e.at, d.state, d.attempt, d.due_at, a.at AS tried_at, " +
	"coalesce(a.url, '') AS url, coalesce(a.status, 0) AS status, coalesce(a.latency_us, 0) AS latency_us, coalesce(a.error, '') AS error " +
	"FROM deliveries AS d JOIN custodians AS c ON c.id = d.custodian_id JOIN payments AS p ON p.id = d.payment_id " +
	"JOIN events AS e ON e.payment_id = d.payment_id AND e.seq = d.seq " +
	"LEFT JOIN delivery_attempts AS a ON a.delivery_id = d.id AND a.attempt = d.attempt "

// Deliveries lists deliveries of a key, the newest first, each with its last attempt.
func (s *Store) Deliveries(ctx context.Context, q report.DeliveryQuery) ([]report.Delivery, error) {
	if q.Limit < 1 || q.Limit > report.MaxPage {
		return nil, fault.New(fault.Invalid, "limit must be between 1 and %d", report.MaxPage)
	}
	if !storable(string(q.State)) || !storable(string(q.Type)) || !storable(string(q.TxnID)) {
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
	var rows []reportRow
	if err := s.reader().NewRaw(text+" ORDER BY d.id DESC LIMIT ?", append(args, q.Limit)...).Scan(ctx, &rows); err != nil {
		return nil, wrapIf(err, "deliveries of key %d", q.KeyID)
	}
	list := make([]report.Delivery, len(rows))
	for i, r := range rows {
		list[i] = r.delivery()
	}
	return list, nil
}

// ErrUnknownDelivery: no delivery of these keys has the id.
var errUnknownDelivery = fault.New(fault.NotFound, "there is no such webhook")

// Delivery returns one delivery of the keys with all its attempts, the first
// first, or fault.NotFound.
func (s *Store) Delivery(ctx context.Context, keys []int64, id int64) (report.Delivery, []webhook.Attempt, error) {
	if len(keys) == 0 {
		return report.Delivery{}, nil, errUnknownDelivery
	}
	var rows []reportRow
	err := s.reader().NewRaw(reportColumns+"WHERE d.id = ? AND c.key_id IN (?)", id, bun.List(keys)).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return report.Delivery{}, nil, wrapIf(orElse(err, errUnknownDelivery), "delivery %d", id)
	}
	var tries []struct {
		At        instant
		URL       string
		Status    int64
		LatencyUs int64
		Error     string
		Response  string
		Request   string
	}
	err = s.reader().NewRaw("SELECT at, url, status, latency_us, error, response, request FROM delivery_attempts "+
		"WHERE delivery_id = ? ORDER BY attempt", id).Scan(ctx, &tries)
	if err != nil {
		return report.Delivery{}, nil, wrapIf(err, "attempts of delivery %d", id)
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

// again makes a delivery due now, wherever it stood, unless it is being sent at
// this moment. Attempts go on being counted, so one whose attempts were used up
// is tried once. It goes to the receiver that is set now.
const again = "UPDATE deliveries SET state = 'WAITING', due_at = ?, holder = NULL, " +
	"lane = (SELECT lane FROM custodians WHERE id = deliveries.custodian_id) " +
	"WHERE custodian_id IN (SELECT id FROM custodians WHERE key_id IN (?)) AND (holder IS NULL OR state <> 'WAITING')"

// Resend makes a delivery of the keys due now, or fails with fault.NotFound.
func (s *Store) Resend(ctx context.Context, keys []int64, id int64, now time.Time) error {
	if len(keys) == 0 {
		return errUnknownDelivery
	}
	ok, err := s.actOne(ctx, about{}, again+" AND id = ?", db.At(now), bun.List(keys), id)
	if err == nil && !ok {
		return errUnknownDelivery
	}
	return err
}

// ResendFailed makes the deliveries of the key due now whose event came at since
// or later and whose attempts were used up or stopped, and tells how many.
func (s *Store) ResendFailed(ctx context.Context, keyID int64, since, now time.Time) (int64, error) {
	var n int64
	err := s.act(ctx, about{}, func(ctx context.Context, t tx, a *about) error {
		res, err := t.NewRaw(again+" AND state IN ('FAILED', 'STOPPED') AND "+
			"(SELECT e.at FROM events AS e WHERE e.payment_id = deliveries.payment_id AND e.seq = deliveries.seq) >= ?",
			db.At(now), bun.List([]int64{keyID}), db.At(since)).Exec(ctx)
		if err != nil {
			return err
		}
		n, err = res.RowsAffected()
		a.detail, a.nothing = strconv.FormatInt(n, 10), n == 0
		return err
	})
	return n, wrapIf(err, "send failed webhooks of key %d again", keyID)
}

// FailedDeliveries counts the deliveries of the keys since the time whose
// attempts were used up, and those that failed and will be tried again. What
// arrived once, and was sent again by hand, is not among them.
func (s *Store) FailedDeliveries(ctx context.Context, keys []int64, since time.Time) (f report.Failing, err error) {
	if len(keys) == 0 {
		return f, nil
	}
	// Each half in the words of its partial index, so that delivered ones are
	// not looked at. The plus keeps the second from the index of all deliveries
	// of a custodian: what waits, of everybody, is less.
	const half = "custodian_id IN (SELECT id FROM custodians WHERE key_id IN (?)) AND due_at >= ? AND "
	err = s.reader().NewRaw("SELECT (SELECT count(*) FROM deliveries WHERE "+half+"state IN ('FAILED', 'STOPPED') AND state = 'FAILED'), "+
		"(SELECT count(*) FROM deliveries WHERE +"+half+"state = 'WAITING' AND attempt > 1 AND NOT EXISTS "+
		"(SELECT 1 FROM delivery_attempts AS a WHERE a.delivery_id = deliveries.id AND a.status BETWEEN 200 AND 299))",
		bun.List(keys), db.At(since), bun.List(keys), db.At(since)).Scan(ctx, &f.GivenUp, &f.Waiting)
	return f, wrapIf(err, "failing deliveries")
}
