package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/payment"
)

// changeOp is one decision on its way into the database. It may be run again,
// so every step sets what it finds anew.
type changeOp struct {
	id     payment.ID
	decide func(payment.Payment) (payment.Change, error)
	lines  []audit.Entry // what it leaves in the audit log; nil but for what merchants do

	rows   loaded
	before payment.Payment // as it was loaded
	change payment.Change  // what was decided
	calls  []*call         // what writes it
	result payment.Payment
	err    error // why this one is not written; the others are
}

// UpdatePayment locks the payment, calls decide and persists its Change, all
// in one transaction. It fails with payment.ErrUnknown, with decide's own
// error, or with credit.ErrNoCredits or ErrNoQueries; nothing is written then.
func (s *Store) UpdatePayment(
	ctx context.Context, id payment.ID, decide func(payment.Payment) (payment.Change, error),
) (payment.Payment, error) {
	if !storable(string(id)) {
		return payment.Payment{}, payment.ErrUnknown
	}
	op := &changeOp{id: id, decide: decide, lines: audit.LinesOf(ctx)}
	if err := s.change(ctx, op); err != nil {
		return payment.Payment{}, fmt.Errorf("update payment %s: %w", id, err)
	}
	s.changed(id, op)
	return op.result, nil
}

// changePayments runs decisions on payments that differ, in one transaction:
// load and lock, decide, book, write. One that is refused has its reason in
// err and writes nothing; all refusals come before the first write.
func changePayments(ctx context.Context, db conn, d dialect, ops []*changeOp) error {
	if err := loadForChange(ctx, db, d, ops); err != nil {
		return err
	}
	for _, op := range ops {
		op.decideOnce(d)
	}
	booked, err := bookChanges(ctx, db, ops)
	if err != nil {
		return err
	}
	calls := booked.save()
	var changed []string
	for _, op := range ops {
		if op.err == nil && len(op.calls) > 0 {
			calls = append(calls, op.calls...)
			changed = append(changed, string(op.id))
		}
	}
	if d.manyWriters && len(changed) > 0 {
		calls = append(calls, nudge(changed))
	}
	return runAll(ctx, db, calls)
}

// changeIn runs a decision with those of other callers, or alone if that fails.
func changeIn(ctx context.Context, e engine, changes *batcher[*changeOp], op *changeOp) error {
	err := changes.do(ctx, op)
	if err == nil {
		err = op.err
	}
	if errors.Is(err, errAlone) {
		err = e.hot(ctx, func(ctx context.Context, db conn) error { return changeOne(ctx, db, e.dialect(), op) })
	}
	repanic(err)
	return err
}

// changeOne runs one decision in a transaction of its own.
func changeOne(ctx context.Context, db conn, d dialect, op *changeOp) error {
	if err := changePayments(ctx, db, d, []*changeOp{op}); err != nil {
		return err
	}
	return op.err
}

// loadForChange locks the payments first and reads the rest when they are
// locked: what another transaction wrote before is then visible.
func loadForChange(ctx context.Context, db conn, d dialect, ops []*changeOp) error {
	ids, byID := make([]string, len(ops)), make(map[string]*changeOp, len(ops))
	for i, op := range ops {
		op.rows, op.calls, op.err = loaded{}, nil, nil
		ids[i], byID[string(op.id)] = string(op.id), op
	}
	locked := func(scan func(...any) error) error {
		var row paymentRow
		if err := scan(row.fields()...); err != nil {
			return err
		}
		byID[row.PublicID].rows.row = row
		return nil
	}
	var locks []*call
	if d.manyWriters {
		locks = append(locks, query(locked, "SELECT id, "+paymentColumns+" FROM payments WHERE public_id = ANY(?) ORDER BY public_id"+rowLock, ids))
	} else {
		for _, id := range ids {
			locks = append(locks, query(locked, "SELECT id, "+paymentColumns+" FROM payments WHERE public_id = ?", id))
		}
	}
	if err := db.run(ctx, locks...); err != nil {
		return err
	}
	var rest []*call
	for _, op := range ops {
		switch op.rows.row.Status {
		case "":
			op.err = payment.ErrUnknown
		case string(payment.Pending): // was shown no address yet
		default:
			rest = append(rest, op.rows.routesOf(op.rows.row.ID), op.rows.depositsOf(op.rows.row.ID))
		}
	}
	return db.run(ctx, rest...)
}

// decideOnce runs the decision on what was loaded and prepares its writes.
func (op *changeOp) decideOnce(d dialect) {
	if op.err != nil {
		return
	}
	if op.before, op.err = op.rows.whole(); op.err != nil {
		return
	}
	op.result = op.before
	op.err = guard(func() (err error) {
		op.change, err = op.decide(op.before)
		return err
	})
	if op.err != nil || op.change.None() {
		return
	}
	if op.err = checkChange(op.before, op.change); op.err == nil {
		op.calls, op.err = op.save(d)
	}
}

// bookChanges posts the entries of all, and refuses those whose entries are
// not covered.
func bookChanges(ctx context.Context, db conn, ops []*changeOp) (*posting, error) {
	var l posting
	var entries []ledger.Entry
	for _, op := range ops {
		if op.err == nil {
			entries = append(entries, op.change.Entries...)
		}
	}
	if len(entries) == 0 {
		return &l, nil
	}
	if err := l.load(ctx, db, entries); err != nil {
		return nil, err
	}
	for _, op := range ops {
		if op.err == nil {
			op.err = l.post(op.change.Entries)
		}
	}
	return &l, nil
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

var updatePayments = "UPDATE payments AS p SET status = n.status, network = n.network, token = n.token, expires_at = n.expires_at, " +
	"started_at = n.started_at, ended_at = n.ended_at, resumed_at = n.resumed_at, hash = n.hash, extended = n.extended, " +
	"reorged = n.reorged, by_hand = n.by_hand, seq = n.seq FROM " +
	table("status text", "network text", "token text", "expires_at timestamptz", "started_at timestamptz", "ended_at timestamptz",
		"resumed_at timestamptz", "hash text", "extended boolean", "reorged boolean", "by_hand boolean", "seq bigint", "id bigint", "was bigint") +
	" WHERE p.id = n.id AND p.seq = n.was"

// save returns the calls that write the change.
func (op *changeOp) save(d dialect) ([]*call, error) {
	r, err := rowOf(op.change.Payment)
	if err != nil {
		return nil, err
	}
	update := statement(updatePayment, r.Status, r.Network, r.Token, r.ExpiresAt, r.StartedAt, r.EndedAt,
		r.ResumedAt, r.Hash, r.Extended, r.Reorged, r.ByHand, r.Seq, r.ID, int64(op.before.Seq))
	update.many = updatePayments
	calls := []*call{update}
	routes, err := op.saveRoutes(d)
	if err != nil {
		return nil, err
	}
	calls = append(calls, routes...)
	for _, d := range op.change.Deposits {
		save, err := saveDeposit(r, d)
		if err != nil {
			return nil, err
		}
		calls = append(calls, save)
	}
	calls = append(calls, saveDonation(op.change.Payment)...)
	op.result = normal(op.change.Payment)
	calls = append(calls, saveEvents(r, op.change.Events)...)
	return append(calls, saveLines(op.lines, about{})...), nil
}

var routeTable = table("payment_id bigint", "network text", "address text", "raw bytea", "settlement text", "tokens text",
	"since timestamptz", "finality text")

// saveRoutes returns the calls that store new routes and new tokens of old ones.
func (op *changeOp) saveRoutes(d dialect) ([]*call, error) {
	var calls []*call
	for _, r := range op.change.Payment.Routes {
		old := slices.IndexFunc(op.before.Routes, func(o payment.Route) bool { return o.Network == r.Network })
		if old < 0 {
			route := statement(
				"INSERT INTO routes ("+routeColumns+", xact) VALUES (?, ?, ?, ?, ?, ?, ?, ?, "+d.xact+")",
				op.before.Number, string(r.Network), string(r.Address.Address), r.Address.Raw, string(r.Settlement),
				joinTokens(r.Tokens), at(r.Since), finalityText(r.Finality))
			route.many = "INSERT INTO routes (" + routeColumns + ", xact) SELECT n.*, " + d.xact + " FROM " + routeTable
			calls = append(calls, route)
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
	return a.Address.Address == b.Address.Address && slices.Equal(a.Address.Raw, b.Address.Raw) &&
		a.Settlement == b.Settlement && a.Finality == b.Finality
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
