package store

import (
	"context"

	"github.com/florinpay/florin/internal/payment"
)

// loadOp is one payment to read.
type loadOp struct {
	id   payment.ID
	rows *loaded
}

// load reads a payment together with those of other callers: a round trip for
// many costs the server little more than for one.
func (e *postgresEngine) load(ctx context.Context, id payment.ID) (*loaded, error) {
	op := &loadOp{id: id, rows: &loaded{}}
	err := e.loads.do(ctx, op)
	return op.rows, err
}

// The transaction that gives several reads one snapshot travels with them.
const (
	beginSnapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
	endSnapshot   = "COMMIT"
)

// ofPayments joins the parts of payments to those that are read.
const ofPayments = " AS t JOIN payments AS p ON p.id = t.payment_id WHERE p.public_id = ANY(?) ORDER BY t.id"

func (e *postgresEngine) loadTogether(ctx context.Context, ops []*loadOp) error {
	found := make(map[string]*loaded, len(ops))
	ids := make([]string, len(ops))
	for i, op := range ops {
		ids[i] = string(op.id)
	}
	byNumber := make(map[int64]*loaded, len(ops))
	payments := query(func(scan func(...any) error) error {
		var l loaded
		err := scan(l.row.fields()...)
		found[l.row.PublicID], byNumber[l.row.ID] = &l, &l
		return err
	}, "SELECT id, "+paymentColumns+" FROM payments WHERE public_id = ANY(?)", ids)
	routes := query(func(scan func(...any) error) error {
		var r routeRow
		if err := scan(r.fields()...); err != nil {
			return err
		}
		l := byNumber[r.PaymentID]
		l.routes = append(l.routes, r)
		return nil
	}, "SELECT "+aliased("t", routeColumns)+" FROM routes"+ofPayments, ids)
	deposits := query(func(scan func(...any) error) error {
		var d depositRow
		if err := scan(d.fields()...); err != nil {
			return err
		}
		l := byNumber[d.PaymentID]
		l.deposits = append(l.deposits, d)
		return nil
	}, "SELECT "+aliased("t", depositColumns)+" FROM deposits"+ofPayments, ids)
	if err := (pgxConn{e.pool}).run(ctx, statement(beginSnapshot), payments, routes, deposits, statement(endSnapshot)); err != nil {
		return err
	}
	for _, op := range ops {
		if l, ok := found[string(op.id)]; ok {
			op.rows = l
		}
	}
	return nil
}
