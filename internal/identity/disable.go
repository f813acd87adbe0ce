package identity

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
)

// Refusals of what an operator does to others; package merchant shares them.
var (
	ErrSelf       = fault.New(fault.Conflict, "you cannot disable yourself; another operator can")
	ErrAsItIs     = fault.New(fault.Conflict, "that is so already; look again")
	ErrNoOperator = fault.New(fault.Forbidden, "only an operator may do this")
)

// SetUserDisabled disables a user or enables them again. A disabled user cannot
// sign in and none of their keys is accepted. Started payments go on: their
// money is settled and their webhooks are sent. It fails with ErrSelf, ErrNoOperator or
// ErrAsItIs.
func (s *Service) SetUserDisabled(ctx context.Context, by, user User, disabled bool, act audit.Act) error {
	switch {
	case !by.Operator:
		return ErrNoOperator
	case disabled && by.ID == user.ID:
		return ErrSelf
	}
	var when time.Time
	action := audit.ActionEnableUser
	if disabled {
		when, action = s.now().UTC(), audit.ActionDisableUser
	}
	r := act.Record(user.ID, action, user.Email, "")
	return s.update(ctx, user.ID, func(a Account) (Change, error) { return a.SetDisabled(when, r) })
}
