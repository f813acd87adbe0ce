package payment

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/oklog/ulid/v2"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
)

// ErrNoRestart: the payment cannot be started again by its payer.
var ErrNoRestart = fault.New(fault.Conflict, "the payment cannot be started again").
	Because(fault.ReasonPaymentEnded)

// mostRestarts is how often an order is started again, one payment after the other.
const mostRestarts = 20

// lapsed reports whether the payment is an order that expired without any money.
func (p Payment) lapsed() bool {
	return p.OneOrder() && p.Status == Expired && p.Arrived().IsZero() && p.Incoming().IsZero()
}

// Restartable reports whether the payer of an order that expired may start it again: its merchant must allow it, and
// find the order by its reference.
func (s *Service) Restartable(ctx context.Context, p Payment) (bool, error) {
	if !p.lapsed() {
		return false, nil
	}
	c, err := s.custodians.Custodian(ctx, p.KeyID)
	if errors.Is(err, merchant.ErrNoCustodian) {
		return false, nil
	}
	return c.Restarts && !c.Closed, err
}

// StartAgain returns the payment that goes on for an order that expired: a new one of the same reference, details and
// amount, or that of before if the payer asks again. A price in another currency gets the rate of now. The old
// payment's address goes on being read, as that of every payment that ended. It fails
// with ErrNoRestart where the payer may not start the order again.
func (s *Service) StartAgain(ctx context.Context, id string) (Payment, error) {
	p, err := s.Get(ctx, id)
	for n := 0; err == nil; n++ {
		ok, err := s.Restartable(ctx, p)
		switch {
		case err != nil:
			return Payment{}, err
		case !ok && n > 0:
			return p, nil
		case !ok || n == mostRestarts:
			return Payment{}, ErrNoRestart
		}
		if p, err = s.successor(ctx, p); err != nil {
			return Payment{}, err
		}
	}
	return Payment{}, err
}

// successor returns the payment that takes the place of one that expired. Its id follows from the other's, so that
// there is one, whoever asks and how often.
func (s *Service) successor(ctx context.Context, p Payment) (Payment, error) {
	sum := sha256.Sum256([]byte("again:" + string(p.ID)))
	id, err := ulid.New(ulid.Timestamp(p.EndedAt), bytes.NewReader(sum[:]))
	if err != nil {
		return Payment{}, fmt.Errorf("name the payment after %s: %w", p.ID, err)
	}
	known, err := s.Get(ctx, id.String())
	if !errors.Is(err, ErrUnknown) {
		return known, err
	}
	in := CreateInput{ID: ID(id.String()), KeyID: p.KeyID, Details: p.Details, Amount: p.Amount.String()}
	if !p.Price.None() {
		in.Amount, in.Price = "", exchange.Text{Amount: p.Price.Amount(), Currency: string(p.Price.Currency)}
	}
	return s.Create(ctx, in, audit.Act{})
}
