package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// createOp is one new payment to store.
type createOp struct {
	row    *paymentRow
	events []payment.Event
	audit  []audit.Entry
	kept   *idempotency.Kept
	// exists: a payment with this ID was there before; row is as it was given.
	exists bool
}

// CreatePayment stores a new payment with its events and returns it with its
// Number. Creating the same ID again returns what is stored. Texts that no
// database can hold (NUL, invalid UTF-8) are fault.Invalid.
func (s *Store) CreatePayment(ctx context.Context, c payment.Change) (payment.Payment, error) {
	op, err := newCreateOp(c)
	if err != nil {
		return payment.Payment{}, err
	}
	changes, began := s.recent.changesOf(c.Payment.ID), time.Now()
	if err := s.create(ctx, op); err != nil {
		return payment.Payment{}, fmt.Errorf("create payment %s: %w", c.Payment.ID, err)
	}
	if op.exists {
		return s.Payment(ctx, c.Payment.ID)
	}
	s.grown(op.row.Number)
	s.hooks.stored(ctx, payment.Stored{Change: c, Began: began})
	p := normal(c.Payment)
	p.Number = op.row.Number
	s.recent.put(p, changes, time.Now()) // the caller is about to read it
	return p, nil
}

func newCreateOp(c payment.Change) (*createOp, error) {
	p := c.Payment
	if p.Number != 0 || len(p.Routes)+len(p.Deposits)+len(c.Deposits)+len(c.Entries) != 0 {
		return nil, fmt.Errorf("payment %s is not new", p.ID)
	}
	if err := checkEvents(p, 0, c.Events); err != nil {
		return nil, err
	}
	if err := checkDetails(p); err != nil {
		return nil, err
	}
	return &createOp{row: rowOf(p), events: c.Events, audit: c.Audit, kept: c.Kept}, nil
}

var (
	insertPayment = payments.Insert(" ON CONFLICT (public_id) DO NOTHING")
	// insertCreated inserts payments with the event of their creation.
	insertCreated = db.InsertWith(payments, "public_id", events, "payment_id")
)

// create stores a new payment, together with those of other callers if it leaves
// nothing but the event of its creation.
func (s *Store) create(ctx context.Context, op *createOp) error {
	err := db.ErrRunSingly
	if len(op.events) == 1 && len(op.audit) == 0 && op.kept == nil && !op.events[0].Type.Public() {
		err = s.creates.Do(ctx, op)
	}
	if errors.Is(err, db.ErrRunSingly) {
		err = s.db.Hot(ctx, func(ctx context.Context, c conn) error { return op.insert(ctx, c) })
	}
	return err
}

// createBatch stores payments in one transaction. On PostgreSQL they are one
// statement (see db.InsertWith), which fails if a payment is there twice.
func (s *Store) createBatch(ctx context.Context, ops []*createOp) error {
	if !s.db.Dialect().ManyWriters {
		return s.db.HotBatch(ctx, func(ctx context.Context, c conn) error {
			for _, op := range ops {
				if err := op.insert(ctx, c); err != nil {
					return err
				}
			}
			return nil
		})
	}
	rows, byID := make([][]any, len(ops)), make(map[payment.ID]*createOp, len(ops))
	for i, op := range ops {
		op.row.Number = 0
		byID[op.row.ID] = op
		rows[i] = append(payments.Values(op.row), events.Values(rowOfEvent(0, op.events[0]))[1:]...)
	}
	err := s.db.WriteBatch(ctx, insertCreated.QueryMany(func(scan scan) error {
		var id payment.ID
		var number int64
		if err := scan(&id, &number); err != nil {
			return err
		}
		byID[id].row.Number = number
		return nil
	}, rows))
	for _, op := range ops {
		op.exists = op.row.Number == 0
	}
	return err
}

// insert stores the payment with what comes with it, unless it exists.
func (op *createOp) insert(ctx context.Context, c conn) error {
	insert := insertPayment.Numbered(&op.row.Number, payments.Values(op.row)...)
	if err := c.Run(ctx, insert); err != nil {
		return err
	}
	if op.exists = insert.Affected() == 0; op.exists {
		return nil
	}
	err := db.RunEach(ctx, c, append(saveEvents(op.row.Payment, op.events, false),
		table.InsertAudit(op.audit, table.AuditFields{Subject: string(op.row.ID)})...))
	if err != nil {
		return err
	}
	return table.KeepAnswer(ctx, c, op.kept)
}

// OpenPayment stores a new payment and starts it, both or neither. If a payment
// of that ID exists, that one is started.
func (s *Store) OpenPayment(
	ctx context.Context, c payment.Change, start func(payment.Payment) (payment.Change, error),
) (payment.Payment, error) {
	created, err := newCreateOp(c)
	if err != nil {
		return payment.Payment{}, err
	}
	started := &changeOp{id: c.Payment.ID, decide: start, began: time.Now()}
	err = s.db.Hot(ctx, func(ctx context.Context, c conn) error {
		if err := created.insert(ctx, c); err != nil {
			return err
		}
		return s.changeOne(ctx, c, started)
	})
	db.Repanic(err)
	err = started.superseded(err)
	if err != nil {
		return payment.Payment{}, fmt.Errorf("open payment %s: %w", c.Payment.ID, err)
	}
	if !created.exists {
		s.hooks.stored(ctx, payment.Stored{Change: c, Began: started.began})
	}
	s.changed(ctx, started)
	return started.result, nil
}

// saveDonation returns the statement that records the money a completed donation
// received; none for any other payment. The merchant's review of it stays.
func saveDonation(p payment.Payment) []*db.Stmt {
	if p.Kind != payment.KindDonation || p.Status != payment.Completed {
		return nil
	}
	review := "WAITING"
	if p.DonorName == "" && p.DonorMessage == "" {
		review = "APPROVED" // there is nothing to look at
	}
	received := max(p.Received().Micros(), 0)
	return []*db.Stmt{db.Exec(`INSERT INTO donations (payment_id, campaign_id, received, worth, review)
		VALUES (?, ?, ?, ?, ?) ON CONFLICT (payment_id) DO UPDATE SET received = EXCLUDED.received, worth = EXCLUDED.worth`,
		p.Number, p.CampaignID, int64(received), p.Price.Of(received), review)}
}
