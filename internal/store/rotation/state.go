package rotation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
)

// What is sealed to recognise a key, and where.
const (
	checkPlace = "instance/key_check"
	checkText  = "florin"
)

// Check returns the text by which a database recognises the key that the sealer seals with.
func Check(s *secret.Sealer) string { return s.Seal(checkPlace, secret.New(checkText)) }

var (
	errAnotherKey = errors.New("it was made with another FLORIN_SECRET_KEY")
	errNewKey     = errors.New("its secrets are being sealed with a new key: set FLORIN_SECRET_KEY to the new key and " +
		"FLORIN_OLD_SECRET_KEY to the key before it")
	errOldKey = errors.New("not all of its secrets are sealed with the new FLORIN_SECRET_KEY yet: set " +
		"FLORIN_OLD_SECRET_KEY to the key before it until `florin secret rotate` is done")
)

// state is what the database says of its key.
type state struct {
	KeyCheck   string
	NextCheck  string
	SwitchedAt time.Time
}

const selectState = "SELECT key_check, next_check, switched_at FROM instance"

// lockState reads the state and holds it until the transaction ends.
func lockState(ctx context.Context, t db.Tx) (s state, err error) {
	err = t.NewRaw(selectState+t.ForUpdate()).Scan(ctx, &s)
	return s, err
}

// Settle makes the sealer seal as the database wants it, or fails with secret.ErrSealed if it lacks a key that values
// may be sealed with.
func Settle(ctx context.Context, t db.Tx, sealer *secret.Sealer) error {
	s, err := lockState(ctx, t)
	if err != nil {
		return err
	}
	return s.apply(sealer)
}

// Verify is Settle without a change: it fails with secret.ErrSealed if the sealer lacks a key that values may be sealed
// with.
func Verify(ctx context.Context, r bun.IDB, sealer *secret.Sealer) error {
	var s state
	if err := r.NewRaw(selectState).Scan(ctx, &s); err != nil {
		return db.Wrap(err, "secret key of the database")
	}
	return s.check(sealer)
}

// current is the id of the key of every value, or of every value that is not resealed yet.
func (s state) current() string { return secret.KeyIDOf(s.KeyCheck) }

// next is the id of the key that the key is changed to; empty if it is not changed.
func (s state) next() string { return secret.KeyIDOf(s.NextCheck) }

// seals is the id of the key that programs seal with.
func (s state) seals() string {
	if s.SwitchedAt.IsZero() {
		return s.current()
	}
	return s.next()
}

// apply makes the sealer seal as the database wants it, or fails with secret.ErrSealed if it lacks a key that values
// may be sealed with.
func (s state) apply(sealer *secret.Sealer) error {
	if err := s.check(sealer); err != nil {
		return err
	}
	sealer.Use(s.seals())
	return nil
}

// check fails with secret.ErrSealed if the sealer lacks a key that values may be sealed with.
func (s state) check(sealer *secret.Sealer) error {
	_, noCurrent := sealer.Open(checkPlace, s.KeyCheck)
	_, noNext := sealer.Open(checkPlace, s.NextCheck)
	switch {
	case noCurrent != nil && s.NextCheck != "" && noNext == nil:
		return fmt.Errorf("%w (%w)", errOldKey, noCurrent)
	case noCurrent != nil:
		return fmt.Errorf("%w: %w", errAnotherKey, noCurrent)
	case noNext != nil && !s.SwitchedAt.IsZero():
		return fmt.Errorf("%w (%w)", errNewKey, noNext)
	}
	return nil
}
