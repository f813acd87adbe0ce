package store

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/store/table"
)

// Payments lists a key's payments by time of creation, with routes and
// deposits. It fails with fault.Invalid if After is not a payment of the key.
func (s *Store) Payments(ctx context.Context, f payment.Filter) (list []payment.Payment, err error) {
	err = s.db.Snapshot(ctx, func(ctx context.Context, t tx) (err error) {
		list, _, err = s.listPayments(ctx, t, f)
		return err
	})
	return list, db.Wrap(err, "list payments of key %d", f.KeyID)
}

var errNotInList = fault.New(fault.Invalid, "after is not a place in this list")

// listPayments reads a list in a transaction; more is true if it goes on.
func (s *Store) listPayments(
	ctx context.Context, t tx, f payment.Filter,
) (list []payment.Payment, more bool, err error) {
	q := report.Query{
		Keys: []int64{f.KeyID}, Network: f.Network, From: f.Since, Limit: f.Limit, Ascending: f.Ascending,
		Unswept: f.Unswept, Reference: f.Reference, TopUps: f.TopUps,
	}
	if f.Status != "" {
		q.Statuses = []payment.Status{f.Status}
	}
	if f.After != 0 {
		q.After, err = db.First[report.Place](ctx, t, errNotInList,
			"SELECT id AS number, created_at AS at FROM payments WHERE id = ? AND key_id = ?", f.After, f.KeyID)
		if err != nil {
			return nil, false, err
		}
	}
	rows, more, err := report.Rows[paymentRow](ctx, t, s.db.Dialect(), q)
	if err != nil {
		return nil, false, err
	}
	list, err = s.withParts(ctx, t, rows)
	return list, more, err
}

// PaymentsByID returns the payments of the IDs, by Number.
func (s *Store) PaymentsByID(ctx context.Context, ids []payment.ID) ([]payment.Payment, error) {
	var list []payment.Payment
	err := s.db.Snapshot(ctx, func(ctx context.Context, t tx) error {
		rows, err := db.All[paymentRow](ctx, t, "SELECT * FROM payments WHERE public_id IN (?) ORDER BY id", bun.List(ids))
		if err == nil {
			list, err = s.withParts(ctx, t, rows)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read %d payments: %w", len(ids), err)
	}
	return list, nil
}

// Unsettled lists payments with a deposit in the network's blocks from..to that
// is not rechecked at finality and has not vanished, by ID.
func (s *Store) Unsettled(ctx context.Context, n chain.Network, from, to uint64) ([]payment.ID, error) {
	first, last := min(from, math.MaxInt64), min(to, math.MaxInt64)
	return s.ids(ctx, "unsettled payments", s.db.Reader().NewRaw(
		`SELECT p.public_id FROM payments AS p WHERE p.id IN (SELECT payment_id FROM deposits
			WHERE network = ? AND state IN ('SEEN', 'FINAL') AND block_number BETWEEN ? AND ? AND NOT rechecked
			AND state <> 'VANISHED') ORDER BY p.public_id`,
		string(n), first, last))
}

// byIDOnly is the public id where it only orders rows that another index finds:
// as an expression, it keeps a planner from walking through all ids.
const byIDOnly = "p.public_id || ''"

// Due lists payments that have not ended and whose time had run out at now, by
// ID after the one given, at most limit.
func (s *Store) Due(ctx context.Context, now time.Time, after payment.ID, limit int) ([]payment.ID, error) {
	return s.ids(ctx, "payments that are due", s.db.Reader().NewRaw(
		`SELECT p.public_id FROM payments AS p WHERE p.ended_at IS NULL AND p.expires_at <= ?
			AND `+byIDOnly+` > ? ORDER BY `+byIDOnly+` LIMIT ?`,
		now, after, limit))
}

// Running lists started payments with a route on the network that expire after
// the time given, by ID after the one given, at most limit.
func (s *Store) Running(
	ctx context.Context, n chain.Network, expireAfter time.Time, after payment.ID, limit int,
) ([]payment.ID, error) {
	return s.ids(ctx, "running payments", s.db.Reader().NewRaw(
		`SELECT p.public_id FROM payments AS p WHERE p.ended_at IS NULL AND p.status = ? AND p.expires_at > ? AND `+byIDOnly+` > ?
			AND EXISTS (SELECT 1 FROM routes AS r WHERE r.payment_id = p.id AND r.network = ?) ORDER BY `+byIDOnly+` LIMIT ?`,
		payment.Started, expireAfter, after, n, limit))
}

func (s *Store) ids(ctx context.Context, what string, q *bun.RawQuery) (list []payment.ID, err error) {
	list = []payment.ID{}
	err = q.Scan(ctx, &list)
	return list, db.Wrap(err, "%s", what)
}

// ChargedPayments posts the entries and lists payments as Payments does, both in
// one transaction; more is true if the list goes on. The entries come first, so
// that a key without query units reads nothing.
func (s *Store) ChargedPayments(
	ctx context.Context, f payment.Filter, entries []ledger.Entry,
) (list []payment.Payment, more bool, left ledger.Balance, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, t tx) (err error) {
		if left, err = table.Charge(ctx, t, f.KeyID, entries); err != nil {
			return err
		}
		list, more, err = s.listPayments(ctx, t, f)
		return err
	})
	if err != nil {
		return nil, false, ledger.Balance{}, fmt.Errorf("list payments of key %d: %w", f.KeyID, err)
	}
	return list, more, left, nil
}

// ChargedPayment posts the entries and reads one payment of the key in one
// transaction.
func (s *Store) ChargedPayment(
	ctx context.Context, keyID int64, id payment.ID, entries []ledger.Entry,
) (p payment.Payment, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, t tx) error {
		if _, err := table.Charge(ctx, t, keyID, entries); err != nil {
			return err
		}
		row, err := payments.First(ctx, t, "SELECT * FROM payments WHERE public_id = ? AND key_id = ?", id, keyID)
		if err != nil {
			return err
		}
		list, err := s.withParts(ctx, t, []paymentRow{row})
		if err == nil {
			p = list[0]
		}
		return err
	})
	if err != nil {
		return payment.Payment{}, fmt.Errorf("read payment %s: %w", id, err)
	}
	return p, nil
}
