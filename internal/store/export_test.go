package store

import (
	"context"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
)

// Engine returns the database, for tests of how it is used.
func (s *Store) Engine() db.Engine { return s.db }

// OnEngine is a store that changes the secret key of another engine's database, as the command does.
func OnEngine(e db.Engine, sealer *secret.Sealer) *Store { return &Store{db: e, sealer: sealer} }

// SmallRetained has batches of so few rows that every test reads several.
func (s *Store) SmallRetained() *Retained { return &Retained{s.db, 3} }

// FewOpen sets how many open payments are read each time.
func (s *Store) FewOpen(n int64) { s.open.few = n }

// Decision is one decision of a batch, with its outcome after ChangeBatch.
type Decision struct {
	ID     payment.ID
	Decide func(payment.Payment) (payment.Change, error)
	Result payment.Payment
	Err    error
}

// ChangeBatch runs the decisions in one batch.
func (s *Store) ChangeBatch(ctx context.Context, list []*Decision) error {
	ops := make([]*changeOp, len(list))
	byOp := make(map[*changeOp]*Decision, len(list))
	for i, d := range list {
		ops[i] = &changeOp{id: d.ID, decide: d.Decide}
		byOp[ops[i]] = d
	}
	err := s.changeBatch(ctx, ops)
	for op, d := range byOp {
		d.Result, d.Err = op.result, op.err
	}
	return err
}

// Creation is one new payment of a batch, with its outcome after CreateBatch.
type Creation struct {
	Change payment.Change
	Number int64
	Exists bool
}

// CreateBatch stores the payments in one batch.
func (s *Store) CreateBatch(ctx context.Context, list []*Creation) error {
	ops := make([]*createOp, len(list))
	for i, c := range list {
		op, err := newCreateOp(c.Change)
		if err != nil {
			return err
		}
		ops[i] = op
	}
	err := s.createBatch(ctx, ops)
	for i, op := range ops {
		list[i].Number, list[i].Exists = op.row.Number, op.exists
	}
	return err
}
