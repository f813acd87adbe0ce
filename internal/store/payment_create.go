package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/payment"
)

// createOp is one new payment on its way into the database.
type createOp struct {
	row    *paymentRow
	events []payment.Event
	lines  []audit.Entry // what it leaves in the audit log; nil but for what merchants do
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
	op.lines = audit.LinesOf(ctx)
	changes := s.recent.changesOf(c.Payment.ID)
	if err := s.create(ctx, op); err != nil {
		return payment.Payment{}, fmt.Errorf("create payment %s: %w", c.Payment.ID, err)
	}
	if op.exists {
		return s.Payment(ctx, c.Payment.ID)
	}
	p := normal(c.Payment)
	p.Number = op.row.ID
	s.recent.put(p, changes, time.Now()) // whoever creates one is about to ask for it
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
	row, err := rowOf(p)
	if err != nil {
		return nil, fmt.Errorf("payment %s: %w", p.ID, err)
	}
	return &createOp{row: row, events: c.Events}, nil
}

const insertPayment = "INSERT INTO payments (" + paymentColumns + ") VALUES (" + paymentMarks + ") ON CONFLICT (public_id) DO NOTHING"

func insertOne(ctx context.Context, db conn, op *createOp) error {
	op.row.ID = 0
	insert := query(func(scan func(...any) error) error { return scan(&op.row.ID) }, insertPayment+" RETURNING id", op.row.values()...)
	if err := db.run(ctx, insert); err != nil {
		return err
	}
	op.exists = op.row.ID == 0
	if op.exists {
		return nil
	}
	return runAll(ctx, db, op.parts())
}

// parts returns the calls that write what comes with the payment.
func (op *createOp) parts() []*call {
	return append(saveEvents(op.row, op.events), saveLines(op.lines, about{subject: op.row.PublicID})...)
}

// checkEvents refuses events that would leave a gap in the sequence, which
// ends with p.Seq.
func checkEvents(p payment.Payment, before int, events []payment.Event) error {
	for i, e := range events {
		if e.PaymentID != p.ID || e.Seq != before+1+i {
			return fmt.Errorf("event %s is number %d of payment %s, not %d", e.ID, e.Seq, p.ID, before+1+i)
		}
	}
	if p.Seq != before+len(events) {
		return fmt.Errorf("payment %s counts %d events and has %d", p.ID, p.Seq, before+len(events))
	}
	if p.Seq == 0 {
		return errors.New("a payment has at least the event of its creation")
	}
	return nil
}

// saveEvents returns the calls that store events and, for public ones, their
// row in the feed and the delivery to the owner's callback URL if there is one.
func saveEvents(p *paymentRow, events []payment.Event) []*call {
	var calls []*call
	for _, e := range events {
		event := statement("INSERT INTO events (payment_id, seq, event_id, type, at, data) VALUES (?, ?, ?, ?, ?, ?)",
			p.ID, int64(e.Seq), e.ID, string(e.Type), at(e.At), string(e.Data))
		event.many = insertEvents
		calls = append(calls, event)
		if e.Type.Public() {
			delivery := statement("INSERT INTO deliveries (payment_id, seq, custodian_id, lane, state, attempt, due_at) "+
				"SELECT ?, ?, id, lane, 'WAITING', 0, ? FROM custodians WHERE key_id = ? AND callback_url <> ''",
				p.ID, int64(e.Seq), at(e.At), p.KeyID)
			delivery.many = insertDeliveries
			delivery.anyNumber = true // none without a callback URL
			feed := statement("INSERT INTO feed (payment_id, seq, key_id) VALUES (?, ?, ?)", p.ID, int64(e.Seq), p.KeyID)
			feed.many = insertFeed
			calls = append(calls, delivery, feed)
		}
	}
	return calls
}

var (
	insertEvents = insertMany("events", "payment_id bigint", "seq bigint", "event_id text", "type text", "at timestamptz", "data text")
	insertFeed   = insertMany("feed", "payment_id bigint", "seq bigint", "key_id bigint")

	insertDeliveries = "INSERT INTO deliveries (payment_id, seq, custodian_id, lane, state, attempt, due_at) " +
		"SELECT n.payment_id, n.seq, c.id, c.lane, 'WAITING', 0, n.due_at FROM " +
		table("payment_id bigint", "seq bigint", "due_at timestamptz", "key_id bigint") +
		" JOIN custodians AS c ON c.key_id = n.key_id WHERE c.callback_url <> ''"
)
