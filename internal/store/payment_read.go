package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/payment"
)

// loaded collects the rows of one payment.
type loaded struct {
	row      paymentRow
	routes   []routeRow
	deposits []depositRow
}

func (l *loaded) payment(id payment.ID, lock string) *call {
	return query(func(scan func(...any) error) error { return scan(l.row.fields()...) },
		"SELECT id, "+paymentColumns+" FROM payments WHERE public_id = ?"+lock, string(id))
}

func (l *loaded) addRoute(scan func(...any) error) error {
	var r routeRow
	err := scan(r.fields()...)
	l.routes = append(l.routes, r)
	return err
}

func (l *loaded) addDeposit(scan func(...any) error) error {
	var d depositRow
	err := scan(d.fields()...)
	l.deposits = append(l.deposits, d)
	return err
}

func (l *loaded) routesOf(number int64) *call {
	return query(l.addRoute, "SELECT "+routeColumns+" FROM routes WHERE payment_id = ? ORDER BY id", number)
}

func (l *loaded) depositsOf(number int64) *call {
	return query(l.addDeposit, "SELECT "+depositColumns+" FROM deposits WHERE payment_id = ? ORDER BY id", number)
}

// joined reads a payment with its routes and deposits in one statement, and so
// on one snapshot. Each route comes with every deposit. What is not there comes
// as empty.
const joined = "SELECT p.id, p.public_id, p.key_id, p.kind, p.amount, p.status, p.network, p.token, p.created_at, p.expires_at, " +
	"p.started_at, p.ended_at, p.resumed_at, p.hash, p.extended, p.reorged, p.by_hand, p.short_basis, p.late_for_us, p.credits, " +
	"p.campaign_id, p.seq, p.reference, p.description, p.success_url, p.cancel_url, p.metadata, p.customer_email, p.donor_name, " +
	"p.donor_message, coalesce(r.payment_id, 0), coalesce(r.network, ''), coalesce(r.address, ''), r.raw, " +
	"coalesce(r.settlement, ''), coalesce(r.tokens, ''), r.since, " +
	"coalesce(d.payment_id, 0), coalesce(d.network, ''), coalesce(d.tx_hash, ''), coalesce(d.ordinal, 0), coalesce(d.contract, ''), " +
	"coalesce(d.symbol, ''), coalesce(d.decimals, 0), coalesce(d.token, ''), coalesce(d.from_address, ''), coalesce(d.to_address, ''), " +
	"coalesce(d.units, ''), coalesce(d.block_number, 0), coalesce(d.block_hash, ''), d.block_time, coalesce(d.source, ''), " +
	"coalesce(d.state, ''), coalesce(d.hardened, FALSE), coalesce(d.late, FALSE), d.seen_at, d.final_at, d.swept_at " +
	"FROM payments AS p LEFT JOIN routes AS r ON r.payment_id = p.id LEFT JOIN deposits AS d ON d.payment_id = p.id " +
	"WHERE p.public_id = ? ORDER BY r.id, d.id"

// addJoined takes the deposits that come with the first route, and a route
// when it is the next.
func (l *loaded) addJoined(scan func(...any) error) error {
	var r routeRow
	var d depositRow
	if err := scan(slices.Concat(l.row.fields(), r.fields(), d.fields())...); err != nil {
		return err
	}
	if r.PaymentID != 0 && (len(l.routes) == 0 || l.routes[len(l.routes)-1].Network != r.Network) {
		l.routes = append(l.routes, r)
	}
	if d.PaymentID != 0 && len(l.routes) <= 1 {
		l.deposits = append(l.deposits, d)
	}
	return nil
}

// whole puts the rows together.
func (l *loaded) whole() (payment.Payment, error) {
	p, err := l.row.payment()
	if err != nil {
		return payment.Payment{}, err
	}
	for i := range l.routes {
		p.Routes = append(p.Routes, l.routes[i].route())
	}
	for i := range l.deposits {
		d, err := l.deposits[i].deposit()
		if err != nil {
			return payment.Payment{}, err
		}
		p.Deposits = append(p.Deposits, d)
	}
	return p, nil
}

// Payment returns the payment with routes and deposits, or payment.ErrUnknown.
func (s *Store) Payment(ctx context.Context, id payment.ID) (payment.Payment, error) {
	if !storable(string(id)) {
		return payment.Payment{}, payment.ErrUnknown
	}
	var l loaded
	if err := s.read(ctx, query(l.addJoined, joined, string(id))); err != nil {
		return payment.Payment{}, fmt.Errorf("read payment %s: %w", id, err)
	}
	if l.row.ID == 0 {
		return payment.Payment{}, fmt.Errorf("read payment %s: %w", id, payment.ErrUnknown)
	}
	p, err := l.whole()
	if err != nil {
		return payment.Payment{}, fmt.Errorf("read payment %s: %w", id, err)
	}
	return p, nil
}

// Events lists a payment's history in order, or fails with payment.ErrUnknown:
// every payment has the event of its creation.
func (s *Store) Events(ctx context.Context, id payment.ID) ([]payment.Event, error) {
	if !storable(string(id)) {
		return nil, payment.ErrUnknown
	}
	var events []payment.Event
	err := s.read(ctx, query(func(scan func(...any) error) error {
		var seq int64
		var eventID, kind, data string
		var when instant
		err := scan(&seq, &eventID, &kind, &when, &data)
		events = append(events, payment.Event{
			ID: eventID, PaymentID: id, Seq: int(seq), Type: payment.EventType(kind), At: when.Time, Data: json.RawMessage(data),
		})
		return err
	}, "SELECT seq, event_id, type, at, data FROM events WHERE payment_id = (SELECT id FROM payments WHERE public_id = ?) ORDER BY seq", string(id)))
	if err != nil {
		return nil, fmt.Errorf("events of payment %s: %w", id, err)
	}
	if len(events) == 0 {
		return nil, fmt.Errorf("events of payment %s: %w", id, payment.ErrUnknown)
	}
	return events, nil
}
