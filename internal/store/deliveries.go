package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/webhook"
)

// Claim takes at most limit deliveries that are due at now and that nobody
// holds, and holds them until the time given. Two instances that claim at once
// may get less than there is; nothing is given to both.
func (s *Store) Claim(ctx context.Context, holder string, now, until time.Time, limit, perURL int) ([]webhook.Delivery, error) {
	// Whoever claims one of these in between is noticed below.
	ids, err := s.candidates(ctx, now, limit, perURL)
	if err != nil {
		return nil, fmt.Errorf("claim deliveries: %w", err)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	var list []webhook.Delivery
	err = s.write(ctx, func(ctx context.Context, t tx) error {
		var held []int64
		err := t.NewRaw("UPDATE deliveries SET holder = ?, due_at = ? WHERE id IN (SELECT id FROM deliveries "+
			"WHERE id IN (?) AND state = 'WAITING' AND due_at <= ? ORDER BY id ?) RETURNING id",
			holder, at(until), bun.List(ids), at(now), bun.Safe(s.dialect().skipLocked)).Scan(ctx, &held)
		if err != nil {
			return err
		}
		list, err = s.readDeliveries(ctx, t, held)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("claim deliveries: %w", err)
	}
	return list, nil
}

// deliveryRow is a claimed delivery with all that is needed to send it.
type deliveryRow struct {
	ID             int64
	EventID        string
	Attempt        int64
	CallbackURL    string
	Data           string
	PublicID       string
	Secret         string
	SigningSecrets string
}

func (s *Store) readDeliveries(ctx context.Context, t tx, ids []int64) ([]webhook.Delivery, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []deliveryRow
	err := t.NewRaw("SELECT d.id, e.event_id, d.attempt, c.callback_url, e.data, c.public_id, c.secret, c.signing_secrets "+
		"FROM deliveries AS d JOIN events AS e ON e.payment_id = d.payment_id AND e.seq = d.seq "+
		"JOIN custodians AS c ON c.id = d.custodian_id WHERE d.id IN (?) ORDER BY d.id", bun.List(ids)).Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	list := make([]webhook.Delivery, len(rows))
	for i, r := range rows {
		d := webhook.Delivery{
			ID: r.ID, EventID: r.EventID, Attempt: int(r.Attempt), URL: r.CallbackURL, Body: json.RawMessage(r.Data),
		}
		if d.Secret, err = s.sealer.Open(secretPlace(r.PublicID), r.Secret); err != nil {
			return nil, err
		}
		if d.SigningSecrets, err = s.openSigning(r.PublicID, r.SigningSecrets); err != nil {
			return nil, err
		}
		list[i] = d
	}
	return list, nil
}

// Settle writes the outcome of an attempt if the holder still has it.
func (s *Store) Settle(ctx context.Context, holder string, o webhook.Outcome) error {
	err := s.hot(ctx, func(ctx context.Context, db conn) error {
		var attempt int64
		take := query(func(scan func(...any) error) error { return scan(&attempt) },
			"UPDATE deliveries SET state = ?, attempt = attempt + 1, due_at = ?, holder = NULL "+
				"WHERE id = ? AND holder = ? AND state = 'WAITING' RETURNING attempt",
			string(o.State), dueAt(o), o.DeliveryID, holder)
		if err := db.run(ctx, take); err != nil || take.affected == 0 {
			return err
		}
		a := o.Attempt
		return db.run(ctx, statement("INSERT INTO delivery_attempts "+
			"(delivery_id, attempt, at, url, status, latency_us, error, response, request) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			o.DeliveryID, attempt, at(a.At), shown(a.URL), int64(a.Status),
			a.Latency.Microseconds(), shown(a.Error), shown(a.Response), shown(a.Request)))
	})
	if err != nil {
		return fmt.Errorf("settle delivery %d: %w", o.DeliveryID, err)
	}
	return nil
}

// dueAt is when the delivery is due again; for one that has ended, when it ended.
func dueAt(o webhook.Outcome) instant {
	if o.State == webhook.Waiting {
		return at(o.NextAt)
	}
	return at(o.Attempt.At)
}

// NextDue returns when the next unheld delivery is due; ok is false if none
// waits.
func (s *Store) NextDue(ctx context.Context, now time.Time) (due time.Time, ok bool, err error) {
	next := query(func(scan func(...any) error) error {
		var i instant
		err := scan(&i)
		due, ok = i.Time, true
		return err
	}, "SELECT due_at FROM deliveries WHERE state = 'WAITING' AND (holder IS NULL OR due_at <= ?) ORDER BY due_at LIMIT 1", at(now))
	if err := s.read(ctx, next); err != nil {
		return time.Time{}, false, fmt.Errorf("next delivery: %w", err)
	}
	return due, ok, nil
}
