package merchant

import (
	"context"
	"encoding/base64"
	"errors"
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
	entries := s.charge(key, "custodian.create", c.CreatedAt)
	r := s.custodianRecord(act, key, Custodian{}, c)
	c, err = s.updateCustodian(ctx, key, entries, func(a Account) (Change, error) { return a.AddCustodian(c, r) },
		act, signing)
	if err != nil {
		return Custodian{}, secret.Text{}, err
	}
	return c, signing, nil
}

// updateCustodian makes or changes the custodian of the key for the entries, and keeps the answer of its request.
func (s *Service) updateCustodian(
	ctx context.Context, key Key, entries []ledger.Entry, decide func(Account) (Change, error),
	act audit.Act, signing secret.Text,
) (Custodian, error) {
	done, err := s.store.UpdateAccount(ctx, key.UserID, key.ID, func(a Account) (Change, error) {
		c, err := decide(a)
		c.Entries = entries
		c.Keep = func(d Done) (*idempotency.Kept, error) {
			return act.Keep.Of(CustodianWrite{d.Account.Custodian, signing, d.Left})
		}
		return c, err
	})
	return done.Account.Custodian, err
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
func (s *Service) UpdateCustodian(ctx context.Context, key Key, in CustodianInput, act audit.Act) (Custodian, error) {
	now := s.now().UTC()
	// Input that is invalid by itself is refused before the lock; input that is
	// invalid only with the stored values, inside.
	if err := s.checkInput(ctx, key, in); err != nil {
		return Custodian{}, err
	}
	entries := s.charge(key, "custodian.update", now)
	return s.updateCustodian(ctx, key, entries, func(a Account) (Change, error) {
		return a.ChangeCustodian(s.changing(key, in, now, act))
	}, act, secret.Text{})
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

func newSigningSecret(random io.Reader) secret.Text {
	raw := make([]byte, signingBytes)
	if _, err := io.ReadFull(random, raw); err != nil {
		panic(err) // crypto/rand never fails
	}
	return secret.New(signingPrefix + base64.StdEncoding.EncodeToString(raw))
}
