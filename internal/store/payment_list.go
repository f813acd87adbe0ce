package store

import (
	"cmp"
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
	"github.com/florinpay/florin/internal/store/table"
)

// Payments lists a key's payments by time of creation, with routes and
// deposits. It fails with fault.Invalid if the limit is out of range or After
// is not a payment of the key.
//
// Every list is merged from a few ranges of an index that end after Limit rows
// each, so a page costs the same whatever is stored.
func (s *Store) Payments(ctx context.Context, f payment.Filter) ([]payment.Payment, error) {
	if f.Limit < 1 || f.Limit > payment.MaxPage {
		return nil, fault.New(fault.Invalid, "first must be between 1 and %d", payment.MaxPage)
	}
	var list []payment.Payment
	err := s.db.Snapshot(ctx, func(ctx context.Context, t tx) (err error) {
		list, err = s.listPayments(ctx, t, f)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list payments of key %d: %w", f.KeyID, err)
	}
	return list, nil
}

// listPayments reads a list in a transaction.
func (s *Store) listPayments(ctx context.Context, t tx, f payment.Filter) ([]payment.Payment, error) {
	l := lister{tx: t, f: f, bytewise: s.db.Dialect().Bytewise}
	if err := l.findAfter(ctx); err != nil {
		return nil, err
	}
	ranges := l.ranges()
	if len(ranges) == 0 {
		return nil, nil
	}
	var rows []*paymentRow
	if err := db.Merge(t, ranges, "created_at "+l.direction()+", id "+l.direction(), f.Limit).Scan(ctx,
		&rows); err != nil {
		return nil, err
	}
	return wholePayments(ctx, t, s.db.Dialect(), rows)
}

// PaymentsByID returns the payments of at most payment.MaxPage IDs, by Number.
func (s *Store) PaymentsByID(ctx context.Context, ids []payment.ID) ([]payment.Payment, error) {
	if len(ids) == 0 || len(ids) > payment.MaxPage {
		return nil, fmt.Errorf("read %d payments at once, at least 1 and at most %d", len(ids), payment.MaxPage)
	}
	var list []payment.Payment
	err := s.db.Snapshot(ctx, func(ctx context.Context, t tx) error {
		var rows []*paymentRow
		if err := t.NewSelect().Model(&rows).Where(
			"public_id IN (?)", bun.List(ids),
		).Order("id").Scan(ctx); err != nil {
			return err
		}
		var err error
		list, err = wholePayments(ctx, t, s.db.Dialect(), rows)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read %d payments: %w", len(ids), err)
	}
	return list, nil
}

// lister builds the queries of one list.
type lister struct {
	tx
	f        payment.Filter
	bytewise string       // the collation
	after    []paymentRow // the last payment of the page before; empty on the first page
}

func (l *lister) findAfter(ctx context.Context) error {
	if l.f.After == 0 {
		return nil
	}
	err := l.NewSelect().Model(&l.after).Column("id", "created_at").Where("id = ? AND key_id = ?", l.f.After,
		l.f.KeyID).Scan(ctx)
	if err == nil && len(l.after) == 0 {
		return fault.New(fault.Invalid, "after is not a place in this list")
	}
	return err
}

// ranges returns one query for each range that the filter needs.
func (l *lister) ranges() []*bun.SelectQuery {
	if l.f.Reference != "" {
		return []*bun.SelectQuery{l.withReference()}
	}
	if l.f.Status == "" && l.f.Network == "" && !l.f.Unswept {
		return []*bun.SelectQuery{l.page(l.NewSelect().Model((*paymentRow)(nil)).Where("p.key_id = ?", l.f.KeyID))}
	}
	var all []*bun.SelectQuery
	for _, status := range l.statuses() {
		if l.f.Unswept && status == payment.Completed {
			all = append(all, l.unswept())
			continue
		}
		for _, state := range table.PaymentStates(l.f.KeyID, status, l.f.Network) {
			all = append(all, l.page(l.NewSelect().Model((*paymentRow)(nil)).Where(table.PaymentState+" = ?", state)))
		}
	}
	return all
}

// withReference selects payments by their reference. Its index is in lower case, and ordered like the list.
func (l *lister) withReference() *bun.SelectQuery {
	lower := bun.Safe("lower(p.reference COLLATE " + l.bytewise + ")")
	q := l.NewSelect().Model((*paymentRow)(nil)).
		Where("p.key_id = ? AND p.reference <> '' AND ? = ?", l.f.KeyID, lower, db.LowerASCII(l.f.Reference)).
		Where("p.reference = ?", l.f.Reference)
	if l.f.Status != "" {
		q = q.Where("p.status = ?", string(l.f.Status))
	}
	if l.f.Network != "" {
		q = q.Where("p.network = ?", string(l.f.Network))
	}
	return l.page(q)
}

// unswept selects completed payments starting from the deposits that are not
// swept, which are few.
func (l *lister) unswept() *bun.SelectQuery {
	q := l.NewSelect().Distinct().TableExpr("deposits AS d CROSS JOIN payments AS p").
		Where("d.key_id = ? AND d.swept_at IS NULL AND d.state <> 'VANISHED' AND "+table.Listed, l.f.KeyID).
		Where("p.id = d.payment_id AND p.status = ?", string(payment.Completed))
	if l.f.Network != "" {
		q = q.Where("p.network = ?", string(l.f.Network))
	}
	return l.page(q)
}

func (l *lister) direction() string {
	if l.f.Ascending {
		return "ASC"
	}
	return "DESC"
}

// page restricts a query to the rows that can be on the page.
func (l *lister) page(q *bun.SelectQuery) *bun.SelectQuery {
	q = q.ColumnExpr("p.*")
	if !l.f.TopUps {
		q = q.Where("p.kind <> ?", string(payment.KindTopUp))
	}
	if !l.f.Since.IsZero() {
		q = q.Where("p.created_at >= ?", db.At(l.f.Since))
	}
	than, direction := "<", l.direction()
	if l.f.Ascending {
		than = ">"
	}
	for _, last := range l.after {
		q = q.Where("(p.created_at, p.id) "+than+" (?, ?)", last.CreatedAt, last.ID)
	}
	return q.OrderExpr("p.created_at " + direction + ", p.id " + direction).Limit(int64(l.f.Limit))
}

// statuses lists what the filter takes.
func (l *lister) statuses() []payment.Status {
	var list []payment.Status
	for _, status := range payment.Statuses() {
		taken := l.f.Status == "" || l.f.Status == status
		if taken && (!l.f.Unswept || status == payment.Started || status == payment.Completed) {
			list = append(list, status)
		}
	}
	return list
}

// Unsettled lists payments with a deposit in the network's blocks from..to that
// is not rechecked at finality and has not vanished, by ID.
func (s *Store) Unsettled(ctx context.Context, n chain.Network, from, to uint64) ([]payment.ID, error) {
	first, last := min(from, math.MaxInt64), min(to, math.MaxInt64)
	return s.ids(ctx, "unsettled payments", s.db.Reader().NewRaw(
		"SELECT p.public_id FROM payments AS p WHERE p.id IN (SELECT payment_id FROM deposits "+
			"WHERE network = ? AND state IN ('SEEN', 'FINAL') AND block_number BETWEEN ? AND ? AND NOT rechecked "+
			"AND state <> 'VANISHED') ORDER BY p.public_id",
		string(n), first, last))
}

// byIDAlone is the public id where it only orders rows that another index finds:
// as an expression, it keeps a planner from walking through all ids.
const byIDAlone = "p.public_id || ''"

// Due lists payments that have not ended and whose time had run out at now, by
// ID after the one given, at most limit.
func (s *Store) Due(ctx context.Context, now time.Time, after payment.ID, limit int) ([]payment.ID, error) {
	return s.ids(ctx, "payments that are due", s.db.Reader().NewRaw(
		"SELECT p.public_id FROM payments AS p WHERE p.ended_at IS NULL AND p.expires_at <= ? "+
			"AND "+byIDAlone+" > ? ORDER BY "+byIDAlone+" LIMIT ?",
		db.At(now), string(after), limit))
}

// Running lists started payments with a route on the network that expire after
// the time given, by ID after the one given, at most limit.
func (s *Store) Running(
	ctx context.Context, n chain.Network, expireAfter time.Time, after payment.ID, limit int,
) ([]payment.ID, error) {
	return s.ids(ctx, "running payments", s.db.Reader().NewRaw(
		"SELECT p.public_id FROM payments AS p WHERE p.ended_at IS NULL AND p.status = ? AND p.expires_at > ? AND "+byIDAlone+" > ? "+
			"AND EXISTS (SELECT 1 FROM routes AS r WHERE r.payment_id = p.id AND r.network = ?) ORDER BY "+byIDAlone+" LIMIT ?",
		string(payment.Started), db.At(expireAfter), string(after), string(n), limit))
}

func (s *Store) ids(ctx context.Context, what string, q *bun.RawQuery) ([]payment.ID, error) {
	var texts []string
	if err := q.Scan(ctx, &texts); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	list := make([]payment.ID, len(texts))
	for i, text := range texts {
		list[i] = payment.ID(text)
	}
	return list, nil
}

// ChargedPayments posts the entries and lists payments as Payments does, both in
// one transaction; more is true if the list goes on. The entries come first, so
// that a key without query units reads nothing.
func (s *Store) ChargedPayments(
	ctx context.Context, f payment.Filter, entries []ledger.Entry,
) (list []payment.Payment, more bool, left ledger.Balance, err error) {
	if f.Limit < 1 || f.Limit > payment.MaxPage {
		return nil, false, ledger.Balance{}, fault.New(fault.Invalid, "first must be between 1 and %d", payment.MaxPage)
	}
	page := f.Limit
	f.Limit++ // one more shows whether another page follows
	err = s.db.Write(ctx, func(ctx context.Context, t tx) (err error) {
		if left, err = table.Charge(ctx, t, f.KeyID, entries); err != nil {
			return err
		}
		list, err = s.listPayments(ctx, t, f)
		return err
	})
	if err != nil {
		return nil, false, ledger.Balance{}, fmt.Errorf("list payments of key %d: %w", f.KeyID, err)
	}
	if len(list) > page {
		return list[:page], true, left, nil
	}
	return list, false, left, nil
}

// ChargedPayment posts the entries and reads one payment of the key in one
// transaction, or fails with payment.ErrUnknown.
func (s *Store) ChargedPayment(
	ctx context.Context, keyID int64, id payment.ID, entries []ledger.Entry,
) (p payment.Payment, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, t tx) error {
		if _, err := table.Charge(ctx, t, keyID, entries); err != nil {
			return err
		}
		var rows []*paymentRow
		if err := t.NewSelect().Model(&rows).Where(
			"public_id = ? AND key_id = ?", string(id), keyID,
		).Scan(ctx); err != nil {
			return err
		}
		list, err := wholePayments(ctx, t, s.db.Dialect(), rows)
		if err != nil || len(list) == 0 {
			return cmp.Or[error](err, payment.ErrUnknown)
		}
		p = list[0]
		return nil
	})
	if err != nil {
		return payment.Payment{}, fmt.Errorf("read payment %s: %w", id, err)
	}
	return p, nil
}
