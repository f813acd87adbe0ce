package account

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/fault"
)

// Refusals of what an operator does to others.
var (
	ErrSelf       = fault.New(fault.Conflict, "you cannot disable yourself; another operator can")
	ErrAsItIs     = fault.New(fault.Conflict, "that is so already; look again")
	ErrNoOperator = fault.New(fault.Forbidden, "only an operator may do this")
)

// SetUserDisabled keeps a user from signing in, and every key of theirs from
// being taken, or lets them again. Payments that were started go on: their
// money is settled and told as ever. It fails with ErrSelf, ErrNoOperator or
// ErrAsItIs.
func (s *Service) SetUserDisabled(ctx context.Context, by, user User, disabled bool) error {
	switch {
	case !by.Operator:
		return ErrNoOperator
	case disabled && by.ID == user.ID:
		return ErrSelf
	}
	changed, err := s.opts.Security.DisableUser(ctx, user.ID, s.when(disabled))
	return asItIs(changed, err)
}

// SetKeyDisabled is SetUserDisabled for one key.
func (s *Service) SetKeyDisabled(ctx context.Context, by User, key Key, disabled bool) error {
	if !by.Operator {
		return ErrNoOperator
	}
	changed, err := s.opts.Security.DisableKey(ctx, key.ID, s.when(disabled))
	return asItIs(changed, err)
}

// when is now, or the zero time for what is not so.
func (s *Service) when(is bool) time.Time {
	if !is {
		return time.Time{}
	}
	return s.now().UTC()
}

func asItIs(changed bool, err error) error {
	if err == nil && !changed {
		return ErrAsItIs
	}
	return err
}
