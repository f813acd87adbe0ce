package merchant

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/secret"
)

// signingPrefix marks a signing secret of Standard Webhooks 1.0: the rest is
// base64 of its bytes.
const (
	signingPrefix = "whsec_"
	signingBytes  = 32 // the standard requires 24 to 64
)

// CustodianWrite is what the write of a custodian has made.
type CustodianWrite struct {
	Custodian Custodian
	Signing   secret.Text // of a new custodian; shown only here
	Left      ledger.Balance
}

// CreateCustodian creates the custodian of the key and debits one credit. The new
// signing secret is returned here and never again. It fails with fault.Invalid
// naming the field, ErrHasCustodian, or ledger.ErrNoCredits, and costs nothing then.
func (s *Service) CreateCustodian(
	ctx context.Context, key Key, in CustodianInput, act audit.Act,
) (Custodian, secret.Text, error) {
	if err := s.mayAdd(ctx, key); err != nil {
		return Custodian{}, secret.Text{}, err
	}
	c, signing, err := s.newCustodian(key, in)
	if err == nil {
		err = s.checkWallets(ctx, Custodian{}, c)
	}
	if err != nil {
		return Custodian{}, secret.Text{}, err
	}
	entries, err := s.charge(key, "custodian.create", c.CreatedAt)
	if err != nil {
		return Custodian{}, secret.Text{}, err
	}
	var withSecret idempotency.Keep[CustodianWrite]
	if in.Keep != nil {
		withSecret = func(w CustodianWrite) (*idempotency.Kept, error) {
			w.Signing = signing
			return in.Keep(w)
		}
	}
	c, err = s.store.CreateCustodian(ctx, c, entries, s.custodianRecord(act, key, Custodian{}, c), withSecret)
	if err != nil {
		return Custodian{}, secret.Text{}, err
	}
	return c, signing, nil
}

// mayAdd refuses a key of unknown maker where the account has a custodian already:
// whoever holds a stolen session could otherwise make a key, give it wallets of their
// own, and have the merchant's payments created with it.
func (s *Service) mayAdd(ctx context.Context, key Key) error {
	if key.Confirmed {
		return nil
	}
	keys, err := s.Keys(ctx, key.UserID)
	if err != nil {
		return err
	}
	for _, k := range keys {
		_, err := s.store.Custodian(ctx, k.ID)
		switch {
		case err == nil && k.ID == key.ID:
			return ErrHasCustodian
		case err == nil:
			return ErrNotConfirmed
		case !errors.Is(err, ErrNoCustodian):
			return err
		}
	}
	return nil
}

// UpdateCustodian applies the input to the custodian of the key and debits one
// credit. It fails with fault.Invalid naming the field,
// ErrNoCustodian, or ledger.ErrNoCredits, and costs nothing then.
func (s *Service) UpdateCustodian(
	ctx context.Context, key Key, in CustodianInput, act audit.Act,
) (Custodian, error) {
	now := s.now().UTC()
	// Input that is invalid by itself is refused before the lock; input that is
	// invalid only with the stored values, inside.
	if err := s.checkInput(ctx, key, in); err != nil {
		return Custodian{}, err
	}
	entries, err := s.charge(key, "custodian.update", now)
	if err != nil {
		return Custodian{}, err
	}
	return s.store.UpdateCustodian(ctx, key.ID, entries, s.changing(key, in, now, act), in.Keep)
}

// CustodianChange is a custodian as it is to be stored, and what the act leaves.
type CustodianChange struct {
	Custodian Custodian
	audit.Record
}

// changing returns the decision that makes the change of the input.
func (s *Service) changing(
	key Key, in CustodianInput, now time.Time, act audit.Act,
) func(Custodian) (CustodianChange, error) {
	return func(before Custodian) (CustodianChange, error) {
		if !in.AsOf.IsZero() && !in.AsOf.Equal(before.UpdatedAt) {
			return CustodianChange{}, ErrChangedMeanwhile
		}
		after, err := s.with(before, in)
		after.UpdatedAt = now
		return CustodianChange{after, s.custodianRecord(act, key, before, after)}, err
	}
}

// Custodian returns the custodian of the key, or ErrNoCustodian.
func (s *Service) Custodian(ctx context.Context, keyID int64) (Custodian, error) {
	return s.store.Custodian(ctx, keyID)
}

func newSigningSecret(random io.Reader) (secret.Text, error) {
	raw := make([]byte, signingBytes)
	if _, err := io.ReadFull(random, raw); err != nil {
		return secret.Text{}, fmt.Errorf("make a signing secret: %w", err)
	}
	return secret.New(signingPrefix + base64.StdEncoding.EncodeToString(raw)), nil
}
