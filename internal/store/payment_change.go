package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// changeOp is one decision to apply. It may run again, so every step overwrites
// the results of the run before.
type changeOp struct {
	id     payment.ID
	decide func(payment.Payment) (payment.Change, error)
	began  time.Time

	before *payment.Payment // as it was loaded
	change payment.Change   // what was decided
	writes []*db.Stmt
	result payment.Payment
	err    error // why this one is not written; the others are
}

// UpdatePayment locks the payment, calls decide and persists its Change, all
// in one transaction. If it fails, with decide's own error or by the ledger, nothing is written.
func (s *Store) UpdatePayment(
	ctx context.Context, id payment.ID, decide func(payment.Payment) (payment.Change, error),
) (payment.Payment, error) {
	op := &changeOp{id: id, decide: decide, began: time.Now()}
	if err := s.change(ctx, op); err != nil {
		return payment.Payment{}, fmt.Errorf("update payment %s: %w", id, err)
	}
	s.changed(ctx, op)
	return op.result, nil
}

// maxBatched is how many changes of one UpdatePayments share a transaction at most: what one block completes, and no
// more than other writers can wait for.
const maxBatched = 256

// UpdatePayments is watch.Store's: it commits the changes of many payments in few transactions.
func (s *Store) UpdatePayments(ctx context.Context, all []watch.Update) []error {
	errs, began := make([]error, 0, len(all)), time.Now()
	for part := range slices.Chunk(all, maxBatched) {
		ops := make([]*changeOp, len(part))
		for i, u := range part {
			ops[i] = &changeOp{id: u.ID, decide: u.Decide, began: began}
		}
		batch := s.changeBatch(ctx, slices.Clone(ops))
		for _, op := range ops {
			err := s.ranBatch(ctx, op, batch)
			if err == nil {
				s.changed(ctx, op)
			}
			errs = append(errs, db.Wrap(err, "update payment %s", op.id))
		}
	}
	return errs
}

// change runs a decision together with those of other callers.
func (s *Store) change(ctx context.Context, op *changeOp) error {
	return s.ranBatch(ctx, op, s.changes.Do(ctx, op))
}

// ranBatch returns how the operation ended in its batch, whose error is given; if the batch failed, it runs in a
// transaction of its own.
func (s *Store) ranBatch(ctx context.Context, op *changeOp, err error) error {
	if err == nil {
		err = op.err
	}
	if errors.Is(err, db.ErrRunSingly) {
		err = s.db.Hot(ctx, func(ctx context.Context, c conn) error { return s.changeOne(ctx, c, op) })
	}
	db.Repanic(err)
	return op.superseded(err)
}

// superseded refuses a change that was not written because another try has taken its request over: the payment
// itself is locked.
func (op *changeOp) superseded(err error) error {
	if errors.Is(err, db.ErrLost) && op.change.Kept != nil {
		return fmt.Errorf("%w (%w)", idempotency.ErrRunning, err)
	}
	return err
}

// changeBatch runs decisions in one transaction, ordered by payment, so that two
// batches cannot wait for each other. Of several decisions on one payment the
// first runs here and the others singly.
func (s *Store) changeBatch(ctx context.Context, ops []*changeOp) error {
	slices.SortStableFunc(ops, func(a, b *changeOp) int { return cmp.Compare(a.id, b.id) })
	first := ops[:0:0]
	for i, op := range ops {
		if i > 0 && op.id == ops[i-1].id {
			op.err = db.ErrRunSingly
			continue
		}
		first = append(first, op)
	}
	return s.db.HotBatch(ctx, func(ctx context.Context, c conn) error { return s.changePayments(ctx, c, first) })
}

// changeOne runs one decision in the transaction.
func (s *Store) changeOne(ctx context.Context, c conn, op *changeOp) error {
	if err := s.changePayments(ctx, c, []*changeOp{op}); err != nil {
		return err
	}
	return op.err
}

// changePayments runs decisions on different payments in one transaction: load
// and lock, decide, post, write. One that is refused has its reason in err and
// writes nothing; all refusals come before the first write.
func (s *Store) changePayments(ctx context.Context, c conn, ops []*changeOp) error {
	if err := s.loadForChange(ctx, c, ops); err != nil {
		return err
	}
	for _, op := range ops {
		op.decideOnce()
	}
	if err := s.findDuplicates(ctx, c, ops); err != nil {
		return err
	}
	for _, op := range ops {
		op.prepare(s.sealer)
	}
	posted, err := postChanges(ctx, c, ops)
	if err != nil {
		return err
	}
	writes := posted.Writes()
	var changed []string
	for _, op := range ops {
		if op.err == nil && len(op.writes) > 0 {
			writes = append(writes, op.writes...)
			changed = append(changed, string(op.id))
		}
	}
	if s.db.Dialect().ManyWriters && len(changed) > 0 {
		writes = append(writes, db.Notify(channel, changed))
	}
	return db.RunEach(ctx, c, writes)
}

// loadForChange locks the payments first and then reads their parts, so that
// what another transaction wrote before is visible. A payment that is PENDING
// has no parts yet.
func (s *Store) loadForChange(ctx context.Context, c conn, ops []*changeOp) error {
	ids := make(db.Texts, len(ops))
	for i, op := range ops {
		ids[i] = string(op.id)
	}
	lock := loadIDs(s.db.Dialect(), ids)
	if err := c.Run(ctx, lock.payments(" ORDER BY public_id"+c.ForUpdate())); err != nil {
		return err
	}
	byID := lock.byID()
	var started db.Texts
	for _, one := range lock.byNumber {
		if one.Status != payment.Pending {
			started = append(started, string(one.ID))
		}
	}
	for _, op := range ops {
		op.writes, op.err = nil, nil
		if op.before = byID[op.id]; op.before == nil {
			op.err = payments.Missing
		}
	}
	if len(started) == 0 {
		return nil
	}
	parts := &loader{lock.dialect, lock.column, started, lock.byNumber}
	return c.Run(ctx, parts.routes(), parts.deposits())
}

// decideOnce runs the decision on what was loaded.
func (op *changeOp) decideOnce() {
	op.change = payment.Change{}
	if op.err != nil {
		return
	}
	op.result = *op.before
	op.err = db.Guard(func() (err error) {
		op.change, err = op.decide(*op.before)
		return err
	})
}

// prepare prepares the writes of what was decided.
func (op *changeOp) prepare(sealer *secret.Sealer) {
	if op.err != nil || op.change.None() {
		return
	}
	if op.err = checkChange(*op.before, op.change); op.err == nil {
		op.writes, op.err = op.save()
		for _, m := range op.change.Mails {
			op.writes = append(op.writes, table.SaleMail(sealer, m))
		}
	}
}

// postChanges posts the entries of all decisions, and refuses those whose
// entries are not covered.
func postChanges(ctx context.Context, c conn, ops []*changeOp) (*table.Posting, error) {
	var p table.Posting
	var entries []ledger.Entry
	for _, op := range ops {
		if op.err == nil {
			entries = append(entries, op.change.Entries...)
		}
	}
	if len(entries) == 0 {
		return &p, nil
	}
	if err := p.Load(ctx, c, entries); err != nil {
		return nil, err
	}
	for _, op := range ops {
		if op.err == nil {
			op.err = p.Post(op.change.Entries)
		}
	}
	return &p, nil
}

// checkChange refuses what no decision may change.
func checkChange(before payment.Payment, c payment.Change) error {
	p := c.Payment
	if p.ID != before.ID || p.Number != before.Number || p.KeyID != before.KeyID || p.Kind != before.Kind ||
		p.Amount != before.Amount || p.Terms != before.Terms || p.Credits != before.Credits ||
		p.CampaignID != before.CampaignID || p.LinkID != before.LinkID {
		return fmt.Errorf("a decision changed the identity of payment %s", before.ID)
	}
	if p.Credited < before.Credited {
		return fmt.Errorf("a decision took credits of top-up %s back", before.ID)
	}
	if slices.ContainsFunc(before.Refunded, func(b payment.Refunded) bool {
		return !b.Arrived.IsZero() && !slices.ContainsFunc(p.Refunded, func(r payment.Refunded) bool {
			return r.Network == b.Network && r.Contract == b.Contract && r.Arrived.Cmp(b.Arrived) >= 0
		})
	}) {
		return fmt.Errorf("a decision took back what was paid back of payment %s", before.ID)
	}
	if len(p.Routes) < len(before.Routes) {
		return fmt.Errorf("a decision removed a route of payment %s", before.ID)
	}
	return checkEvents(p, before.Seq, c.Events)
}

// A change is written only if the payment still has the sequence number that the
// decision saw.
var updatePayment = payments.Update("id", "seq")

// save returns the statements that write the change.
func (op *changeOp) save() ([]*db.Stmt, error) {
	after := op.change.Payment
	all := []*db.Stmt{updatePayment.With(payments.Changes(rowOf(after), after.Number, int64(op.before.Seq))...)}
	routes, err := op.saveRoutes()
	if err != nil {
		return nil, err
	}
	all = append(all, routes...)
	for _, d := range op.change.Deposits {
		save, err := saveDeposit(after, d)
		if err != nil {
			return nil, err
		}
		all = append(all, append(unsweep(*op.before, d), save)...)
	}
	all = append(all, saveDonation(after)...)
	all = append(all, saveSale(*op.before, after)...)
	op.result = normal(after)
	all = append(all, saveEvents(after, op.change.Events, op.before.Status.Final())...)
	if k := op.change.Kept; k != nil {
		all = append(all, table.FinishIdempotent(*k))
	}
	return append(all, table.InsertAudit(op.change.Audit, table.AuditFields{})...), nil
}

var (
	insertRoute = routes.Insert("")
	updateRoute = routes.Update("payment_id", "network")

	// A payment of before a restore may have been started, and paid, in the time that is lost: its address is the same.
	readLostTime = db.ForRows(`INSERT INTO set_aside (payment_id, network, from_number, since, attempts, next_at, reason)
		SELECT n.payment_id, n.network, c.restored_number, n.since, 0, n.since, 'started after a restore' FROM {rows}
		JOIN cursors AS c ON c.network = n.network WHERE c.restored_number > 0 ON CONFLICT DO NOTHING`,
		"payment_id bigint", "network text", "since timestamptz")
)

// saveRoutes returns the statements that store new routes and new tokens of old
// ones.
func (op *changeOp) saveRoutes() ([]*db.Stmt, error) {
	var all []*db.Stmt
	for _, r := range op.change.Payment.Routes {
		row := &routeRow{r, op.before.Number}
		old := slices.IndexFunc(op.before.Routes, func(o payment.Route) bool { return o.Network == r.Network })
		if old < 0 {
			all = append(all, insertRoute.With(routes.Values(row)...))
			if backup.Continued(op.before.Seq) {
				all = append(all, readLostTime.With(row.Owner, string(r.Network), r.Since).AnyNumber())
			}
			continue
		}
		if !sameRoute(op.before.Routes[old], r) {
			return nil, fmt.Errorf("a decision changed the %s route of payment %s", r.Network, op.id)
		}
		if !slices.Equal(op.before.Routes[old].Tokens, r.Tokens) {
			all = append(all, updateRoute.With(routes.Changes(row, row.Owner, string(r.Network))...))
		}
	}
	return all, nil
}

// sameRoute compares what is fixed when a route is made.
func sameRoute(a, b payment.Route) bool {
	return a.Address.Address == b.Address.Address && slices.Equal(a.Address.Raw, b.Address.Raw) &&
		a.Settlement == b.Settlement && a.Scheme == b.Scheme && a.Finality == b.Finality &&
		slices.Equal(a.Also, b.Also)
}

// normal returns the payment as it will be read back, with times in UTC and whole
// microseconds.
func normal(p payment.Payment) payment.Payment {
	if len(p.Metadata) == 0 {
		p.Metadata = nil
	}
	row := paymentRow{Payment: p}
	payments.AsStored(&row)
	p = row.Payment
	p.Routes, p.Deposits = slices.Clone(p.Routes), slices.Clone(p.Deposits)
	for i, r := range p.Routes {
		p.Routes[i].Since = db.At(r.Since)
	}
	for i, d := range p.Deposits {
		row := table.DepositRow{Deposit: d}
		table.Deposits.AsStored(&row)
		p.Deposits[i] = row.Deposit
	}
	return p
}
