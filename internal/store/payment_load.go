package store

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/report"
)

// loader collects the rows of some payments.
type loader struct {
	dialect  db.Dialect
	ids      db.Texts
	byNumber map[int64]*loaded
}

// loaded is the rows of one payment.
type loaded struct {
	row      paymentRow
	routes   []routeRow
	deposits []depositRow
}

func newLoader(d db.Dialect, ids ...string) *loader {
	return &loader{dialect: d, ids: ids, byNumber: make(map[int64]*loaded, len(ids))}
}

// payments reads the payments; tail ends the text.
func (l *loader) payments(tail string) *db.Stmt {
	return db.Query(func(scan scan) error {
		var one loaded
		err := scan(payments.Dest(&one.row)...)
		l.byNumber[one.row.ID] = &one
		return err
	}, "SELECT "+payments.Columns("")+" FROM payments WHERE "+l.dialect.Listed("public_id")+tail, l.ids)
}

// ofPayments selects the parts of payments by their ids, in the order in which
// they were stored.
func (l *loader) ofPayments() string {
	return " WHERE payment_id IN (SELECT id FROM payments WHERE " + l.dialect.Listed("public_id") + ") ORDER BY id"
}

func (l *loader) routes() *db.Stmt {
	return db.Query(func(scan scan) error {
		var r routeRow
		if err := scan(routes.Dest(&r)...); err != nil {
			return err
		}
		l.byNumber[r.PaymentID].routes = append(l.byNumber[r.PaymentID].routes, r)
		return nil
	}, "SELECT "+routes.Columns("")+" FROM routes"+l.ofPayments(), l.ids)
}

func (l *loader) deposits() *db.Stmt {
	return db.Query(func(scan scan) error {
		var d depositRow
		if err := scan(deposits.Dest(&d)...); err != nil {
			return err
		}
		l.byNumber[d.PaymentID].deposits = append(l.byNumber[d.PaymentID].deposits, d)
		return nil
	}, "SELECT "+deposits.Columns("")+" FROM deposits"+l.ofPayments(), l.ids)
}

// byID returns the rows by the id of the payment.
func (l *loader) byID() map[string]*loaded {
	byID := make(map[string]*loaded, len(l.byNumber))
	for _, one := range l.byNumber {
		byID[one.row.PublicID] = one
	}
	return byID
}

// whole builds the payment from its rows.
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

// wholePayments returns the payments of the rows, which were read in the same
// transaction, with routes and deposits.
func wholePayments(ctx context.Context, t tx, d db.Dialect, rows []*paymentRow) ([]payment.Payment, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	l := newLoader(d)
	for _, r := range rows {
		l.ids, l.byNumber[r.ID] = append(l.ids, r.PublicID), &loaded{row: *r}
	}
	if err := t.Run(ctx, l.routes(), l.deposits()); err != nil {
		return nil, err
	}
	list := make([]payment.Payment, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = l.byNumber[r.ID].whole(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Reports returns the reader of lists and figures.
func (s *Store) Reports() *report.Reader {
	return report.New(s.db, func(ctx context.Context, t tx, ids []payment.ID) ([]payment.Payment, error) {
		if len(ids) == 0 {
			return nil, nil
		}
		l := newLoader(s.db.Dialect())
		for _, id := range ids {
			l.ids = append(l.ids, string(id))
		}
		if err := t.Run(ctx, l.payments(""), l.routes(), l.deposits()); err != nil {
			return nil, err
		}
		byID := l.byID()
		list := make([]payment.Payment, len(ids))
		for i, id := range ids {
			var err error
			if list[i], err = byID[string(id)].whole(); err != nil {
				return nil, err
			}
		}
		return list, nil
	})
}

// loadOp is one payment to read.
type loadOp struct {
	id   payment.ID
	rows *loaded // nil: there is no such payment
}

// loadBatch reads payments on one snapshot.
func (s *Store) loadBatch(ctx context.Context, ops []*loadOp) error {
	l := newLoader(s.db.Dialect())
	for _, op := range ops {
		l.ids = append(l.ids, string(op.id))
	}
	if err := s.db.ReadAll(ctx, l.payments(""), l.routes(), l.deposits()); err != nil {
		return err
	}
	byID := l.byID()
	for _, op := range ops {
		op.rows = byID[string(op.id)]
	}
	return nil
}

// Payment returns the payment with routes and deposits, or payment.ErrUnknown.
// Callers that ask at the same time share a round trip.
func (s *Store) Payment(ctx context.Context, id payment.ID) (payment.Payment, error) {
	if !db.Storable(string(id)) {
		return payment.Payment{}, payment.ErrUnknown
	}
	op := &loadOp{id: id}
	err := s.loads.Do(ctx, op)
	if err == nil && op.rows == nil {
		err = payment.ErrUnknown
	}
	if err != nil {
		return payment.Payment{}, fmt.Errorf("read payment %s: %w", id, err)
	}
	p, err := op.rows.whole()
	if err != nil {
		return payment.Payment{}, fmt.Errorf("read payment %s: %w", id, err)
	}
	return p, nil
}
