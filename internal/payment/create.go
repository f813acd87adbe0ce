package payment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
)

// CreateInput asks for a payment of a merchant's customer.
type CreateInput struct {
	// ID makes a repeated create the same payment; empty for a fresh one.
	ID     ID
	KeyID  int64
	Amount string // as it stood in the request (money.ParseMicros)
	// Price is instead of Amount, in another currency.
	Price exchange.Text
	// ExpiresInMinutes overrides how long the payment waits; 0 for the default.
	ExpiresInMinutes int64
	LinkID           int64 // the payment link it is opened by; 0: none
	Details          Details
	// Warn takes what stands in the way of every payer, before the payment is stored; nil: nobody asks.
	Warn func(...fault.Warning)
}

// Bounds of a payment's validity when the merchant sets it.
const (
	MinValidMinutes = 5
	MaxValidMinutes = 7 * 24 * 60
)

// Create creates a pending payment of a key that has a custodian. It fails with
// fault.Invalid for invalid input, merchant.ErrNoCustodian, with fault.Unavailable for a price without a rate, or as
// CheckAmount.
func (s *Service) Create(ctx context.Context, in CreateInput, act audit.Act) (Payment, error) {
	asked := mail.Price(in.Price.Amount, in.Price.Currency)
	read, err := s.checked(&in)
	if err != nil {
		return Payment{}, err
	}
	c, err := s.custodians.Custodian(ctx, in.KeyID)
	if err != nil {
		return Payment{}, err
	}
	if in.Warn != nil {
		list, err := s.obstacles(ctx, in.KeyID, c)
		if err != nil {
			return Payment{}, err
		}
		in.Warn(list...)
	}
	amount, price := read.amount, exchange.Price{}
	if read.sum.None() {
		asked = mail.Dollars(amount)
	} else {
		if amount, price, err = s.priced(ctx, read.sum, c.Pricing); err != nil {
			return Payment{}, err
		}
	}
	if err := s.excludes(c, amount); err != nil {
		return Payment{}, err
	}
	return s.create(ctx, Request{
		ID: in.ID, KeyID: in.KeyID, Kind: KindMerchant, Amount: amount, Price: price, ValidFor: read.valid,
		Terms: termsOf(c), LinkID: in.LinkID, Details: in.Details,
	}, act, act.Record(act.Account, audit.ActionCreatePayment, "", asked.Kept()))
}

// termsOf are the terms of a new payment to the custodian.
func termsOf(c merchant.Custodian) Terms { return Terms{c.ShortBasis, c.LateFor, c.KeepOver} }

// Check returns what Create would refuse by itself: every field that breaks a rule, each
// a fault.Invalid (fault.All).
func (s *Service) Check(in CreateInput) error {
	_, err := s.checked(&in)
	return err
}

// checked reads the input and mends its texts.
func (s *Service) checked(in *CreateInput) (r readInput, err error) {
	var badAmount, badTime, badDetails error
	r.amount, r.sum, badAmount = s.asked(in.Amount, in.Price)
	r.valid, badTime = s.validFor(in.ExpiresInMinutes)
	in.Details, _, badDetails = in.Details.Mended()
	return r, errors.Join(badAmount, badTime, badDetails)
}

// readInput is what was read of a CreateInput.
type readInput struct {
	amount money.Micros // 0: there is a sum instead
	sum    exchange.Sum
	valid  time.Duration
}

// asked reads an amount in dollars, or a price instead of it, of which it returns the sum.
func (s *Service) asked(amount string, price exchange.Text) (m money.Micros, sum exchange.Sum, err error) {
	switch {
	case price.None():
		m, err = s.amount(amount)
	case amount != "":
		err = errTwoAmounts
	default:
		sum, err = price.Sum()
	}
	return m, sum, err
}

// TopUpLate is for how long after expiry money still completes a top-up: as
// long as its address is watched, for the operator owes the credits.
const TopUpLate = WatchAfterEnd

// CreateTopUp makes a payment by which a key buys credits.
func (s *Service) CreateTopUp(ctx context.Context, id ID, keyID, credits int64, act audit.Act) (Payment, error) {
	if err := s.opts.Meter.Sells(); err != nil {
		return Payment{}, err
	}
	price, err := ledger.Price(credits)
	if err != nil {
		return Payment{}, err
	}
	return s.create(ctx, Request{
		ID: id, KeyID: keyID, Kind: KindTopUp, Amount: price, ValidFor: s.opts.TTL,
		Terms: Terms{LateFor: TopUpLate}, Credits: credits,
		Details: Details{Description: fmt.Sprintf("%d credits", credits)},
	}, act, act.Record(act.Account, audit.ActionTopUp, act.Key, mail.N("{{.N}} credits for {{.Amount}}",
		"{{.N}} credit for {{.Amount}}", int(credits), "Amount", mail.Dollars(price)).Kept()))
}

func (s *Service) create(ctx context.Context, r Request, act audit.Act, record audit.Record) (Payment, error) {
	now := s.now()
	if r.ID == "" {
		r.ID = s.newID(now)
	}
	c, err := New(r, now).by(act, record, nil)
	if err != nil {
		return Payment{}, err
	}
	return s.store.CreatePayment(ctx, c)
}

func (s *Service) amount(text string) (money.Micros, error) {
	m, err := money.ParseMicros("amount", text)
	if err != nil {
		return 0, err
	}
	if m < s.opts.MinAmount {
		return 0, fault.About(fault.Invalid, "amount", "must be at least %s", s.opts.MinAmount)
	}
	if m > s.opts.MaxAmount {
		return 0, fault.About(fault.Invalid, "amount", "must be at most %s", s.opts.MaxAmount)
	}
	return m, nil
}

// Bounds returns the smallest and the largest amount of a payment.
func (s *Service) Bounds() (least, most money.Micros) { return s.opts.MinAmount, s.opts.MaxAmount }

func (s *Service) validFor(minutes int64) (time.Duration, error) {
	if minutes == 0 {
		return s.opts.TTL, nil
	}
	if minutes < MinValidMinutes || minutes > MaxValidMinutes {
		return 0, fault.About(
			fault.Invalid, "expiresInMinutes", "must be between %d and %d", MinValidMinutes, MaxValidMinutes,
		)
	}
	return time.Duration(minutes) * time.Minute, nil
}
