package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// changeOp is one decision on its way into the database.
type changeOp struct {
	id     payment.ID
	decide func(payment.Payment) (payment.Change, error)

	before payment.Payment // as it was loaded
	change payment.Change  // what was decided
	result payment.Payment
}

// UpdatePayment locks the payment, calls decide and persists its Change, all
// in one transaction. It fails with payment.ErrUnknown, with decide's own
// error, or with credit.ErrNoCredits or ErrNoQueries; nothing is written then.
func (s *Store) UpdatePayment(ctx context.Context, id payment.ID, decide func(payment.Payment) (payment.Change, error)) (payment.Payment, error) {
	if !storable(string(id)) {
		return payment.Payment{}, payment.ErrUnknown
	}
	op := &changeOp{id: id, decide: decide}
	if err := s.hot(ctx, func(ctx context.Context, db conn) error { return s.changePayment(ctx, db, op) }); err != nil {
		return payment.Payment{}, fmt.Errorf("update payment %s: %w", id, err)
	}
	s.changed(id, op)
	return op.result, nil
}

func (s *Store) changePayment(ctx context.Context, db conn, op *changeOp) error {
	if err := s.loadForChange(ctx, db, op); err != nil {
		return err
	}
	change, err := op.decide(op.before)
	if err != nil {
		return err
	}
	op.change, op.result = change, op.before
	if change.None() {
		return nil
	}
	if err := checkChange(op.before, change); err != nil {
		return err
	}
	if err := book(ctx, db, change.Entries); err != nil {
		return err
	}
	return s.saveChange(ctx, db, op)
}

// loadForChange locks the payment first and reads the rest when it is locked:
// what another transaction wrote before is then visible.
func (s *Store) loadForChange(ctx context.Context, db conn, op *changeOp) error {
	var l loaded
	if err := db.run(ctx, l.payment(op.id, db.forUpdate())); err != nil {
		return err
	}
	if l.row.ID == 0 {
		return payment.ErrUnknown
	}
	if l.row.Status != string(payment.Pending) {
		if err := db.run(ctx, l.routesOf(l.row.ID), l.depositsOf(l.row.ID)); err != nil {
			return err
		}
	}
	var err error
	op.before, err = l.whole()
	return err
}

// checkChange refuses what no decision may change.
func checkChange(before payment.Payment, c payment.Change) error {
	p := c.Payment
	if p.ID != before.ID || p.Number != before.Number || p.KeyID != before.KeyID || p.Kind != before.Kind ||
		p.Amount != before.Amount || p.Terms != before.Terms || p.Credits != before.Credits || p.CampaignID != before.CampaignID {
		return fmt.Errorf("a decision changed the identity of payment %s", before.ID)
	}
	if len(p.Routes) < len(before.Routes) {
		return fmt.Errorf("a decision removed a route of payment %s", before.ID)
	}
	return checkEvents(p, before.Seq, c.Events)
}

const updatePayment = "UPDATE payments SET status = ?, network = ?, token = ?, expires_at = ?, started_at = ?, ended_at = ?, " +
	"resumed_at = ?, hash = ?, extended = ?, reorged = ?, by_hand = ?, seq = ? WHERE id = ? AND seq = ?"

func (s *Store) saveChange(ctx context.Context, db conn, op *changeOp) error {
	r, err := rowOf(op.change.Payment)
	if err != nil {
		return err
	}
	calls := []*call{statement(updatePayment, r.Status, r.Network, r.Token, r.ExpiresAt, r.StartedAt, r.EndedAt,
		r.ResumedAt, r.Hash, r.Extended, r.Reorged, r.ByHand, r.Seq, r.ID, int64(op.before.Seq))}
	routes, err := s.saveRoutes(op)
	if err != nil {
		return err
	}
	calls = append(calls, routes...)
	for _, d := range op.change.Deposits {
		save, err := saveDeposit(r, d)
		if err != nil {
			return err
		}
		calls = append(calls, save)
	}
	exact := len(calls)
	calls = append(calls, saveEvents(r, op.change.Events)...)
	if s.dialect().manyWriters {
		calls = append(calls, nudge(op.id))
	}
	if err := db.run(ctx, calls...); err != nil {
		return err
	}
	op.result = normal(op.change.Payment)
	return wroteOne(calls[:exact])
}

// saveRoutes returns the calls that store new routes and new tokens of old ones.
func (s *Store) saveRoutes(op *changeOp) ([]*call, error) {
	var calls []*call
	for _, r := range op.change.Payment.Routes {
		old := slices.IndexFunc(op.before.Routes, func(o payment.Route) bool { return o.Network == r.Network })
		if old < 0 {
			calls = append(calls, statement(
				"INSERT INTO routes ("+routeColumns+", xact) VALUES (?, ?, ?, ?, ?, ?, ?, "+s.dialect().xact+")",
				op.before.Number, string(r.Network), string(r.Address.Address), r.Address.Raw, string(r.Settlement),
				joinTokens(r.Tokens), at(r.Since)))
			continue
		}
		if !sameRoute(op.before.Routes[old], r) {
			return nil, fmt.Errorf("a decision changed the %s route of payment %s", r.Network, op.id)
		}
		if !slices.Equal(op.before.Routes[old].Tokens, r.Tokens) {
			calls = append(calls, statement("UPDATE routes SET tokens = ? WHERE payment_id = ? AND network = ?",
				joinTokens(r.Tokens), op.before.Number, string(r.Network)))
		}
	}
	return calls, nil
}

// sameRoute compares what is fixed when a route is made.
func sameRoute(a, b payment.Route) bool {
	return a.Address.Address == b.Address.Address && a.Settlement == b.Settlement && slices.Equal(a.Address.Raw, b.Address.Raw)
}

// normal returns the payment as it will be read back: times in UTC and whole
// microseconds.
func normal(p payment.Payment) payment.Payment {
	p.CreatedAt, p.ExpiresAt = at(p.CreatedAt).Time, at(p.ExpiresAt).Time
	p.StartedAt, p.EndedAt, p.ResumedAt = at(p.StartedAt).Time, at(p.EndedAt).Time, at(p.ResumedAt).Time
	if len(p.Metadata) == 0 {
		p.Metadata = nil
	}
	p.Routes = slices.Clone(p.Routes)
	for i := range p.Routes {
		p.Routes[i].Since = at(p.Routes[i].Since).Time
	}
	p.Deposits = slices.Clone(p.Deposits)
	for i := range p.Deposits {
		d := &p.Deposits[i]
		d.SeenAt, d.FinalAt = at(d.SeenAt).Time, at(d.FinalAt).Time
		d.Transfer.Block = normalHead(d.Transfer.Block)
	}
	return p
}

func normalHead(h chain.Head) chain.Head {
	h.Time = at(h.Time).Time
	return h
}
