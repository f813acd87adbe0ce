package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/florinpay/florin/internal/payment"
)

// loaded collects the rows of one payment.
type loaded struct {
	row      paymentRow
	routes   []routeRow
	deposits []depositRow
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
	l, err := s.load(ctx, id)
	if err != nil {
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
	}, "SELECT seq, event_id, type, at, data FROM events "+
		"WHERE payment_id = (SELECT id FROM payments WHERE public_id = ?) ORDER BY seq", string(id)))
	if err != nil {
		return nil, fmt.Errorf("events of payment %s: %w", id, err)
	}
	if len(events) == 0 {
		return nil, fmt.Errorf("events of payment %s: %w", id, payment.ErrUnknown)
	}
	return events, nil
}
