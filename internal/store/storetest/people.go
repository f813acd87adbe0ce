package storetest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	storeidentity "github.com/florinpay/florin/internal/store/identity"
)

// People makes single changes of users, by the decisions of the domain.
type People struct{ *storeidentity.Store }

// done reports whether a change was made, rather than refused.
func done(err error) (bool, error) {
	if fault.Of(err) != nil {
		return false, nil //nolint:nilerr // a refusal is an answer
	}
	return err == nil, err
}

func (s People) update(
	ctx context.Context, userID int64, decide func(identity.Account) (identity.Change, error),
) error {
	_, err := s.UpdateUser(ctx, identity.By{ID: userID}, decide)
	return err
}

// Record stores what an act left.
func (s People) Record(ctx context.Context, r audit.Record) error {
	return s.update(ctx, 0, func(a identity.Account) (identity.Change, error) {
		return identity.Change{Account: a, Record: r}, nil
	})
}

// CreateUser stores a new user.
func (s People) CreateUser(ctx context.Context, u identity.User, r audit.Record) (identity.User, error) {
	a, err := s.UpdateUser(ctx, identity.By{}, func(a identity.Account) (identity.Change, error) {
		return a.Create(u, r), nil
	})
	return a.User, err
}

// UserByEmail returns a user.
func (s People) UserByEmail(ctx context.Context, email string) (identity.User, error) {
	return known(s.User(ctx, identity.By{Email: email}))
}

// UserByPublicID returns a user.
func (s People) UserByPublicID(ctx context.Context, id string) (identity.User, error) {
	return known(s.User(ctx, identity.By{PublicID: id}))
}

func known(u identity.User, err error) (identity.User, error) {
	if err == nil && u.ID == 0 {
		err = identity.ErrUnknownUser
	}
	return u, err
}

// RevokeSession ends a session.
func (s People) RevokeSession(ctx context.Context, token identity.Hash, now time.Time, r audit.Record) error {
	_, err := s.UpdateUser(ctx, identity.By{Session: token}, func(a identity.Account) (identity.Change, error) {
		return a.EndSession(token, now, r)
	})
	_, err = done(err)
	return err
}

// AddLink stores a link.
func (s People) AddLink(ctx context.Context, l identity.Link, r audit.Record) error {
	return s.update(ctx, 0, func(a identity.Account) (identity.Change, error) {
		a.Link = l
		return identity.Change{Account: a, Record: r}, nil
	})
}

// AddReset stores a link to a new password.
func (s People) AddReset(
	ctx context.Context, token identity.Hash, userID int64, now, until time.Time, r audit.Record,
) error {
	return s.AddLink(ctx, identity.Link{
		Kind: identity.LinkReset, Token: token, User: identity.User{ID: userID}, CreatedAt: now, ExpiresAt: until,
	}, r)
}

// UseReset uses such a link.
func (s People) UseReset(
	ctx context.Context, token identity.Hash, next string, verifies bool, now time.Time, r audit.Record,
) (done identity.Reset, err error) {
	a, err := s.UpdateUser(ctx, identity.By{Link: identity.LinkReset, Token: token},
		func(a identity.Account) (identity.Change, error) {
			c, err := a.FinishReset(next, verifies, now, r)
			done.Dropped = c.Dropped
			return c, err
		})
	done.User = a.User
	return done, err
}

// AddInvitation stores an invitation to sign up.
func (s People) AddInvitation(
	ctx context.Context, token identity.Hash, email string, by int64, now, until time.Time, r audit.Record,
) error {
	return s.AddLink(ctx, identity.Link{
		Kind: identity.LinkInvitation, Token: token, User: identity.User{ID: by, Email: email}, CreatedAt: now,
		ExpiresAt: until,
	}, named(r, email))
}

// CreateInvited uses such an invitation.
func (s People) CreateInvited(
	ctx context.Context, token identity.Hash, u identity.User, r audit.Record,
) (identity.User, error) {
	a, err := s.UpdateUser(ctx, identity.By{Link: identity.LinkInvitation, Token: token},
		func(a identity.Account) (identity.Change, error) { return a.CreateInvited(u, r) })
	return a.User, err
}

// FinishSignUp uses a sign-up.
func (s People) FinishSignUp(
	ctx context.Context, token identity.Hash, now time.Time, r audit.Record,
) (identity.User, error) {
	a, err := s.UpdateUser(ctx, identity.By{Link: identity.LinkSignUp, Token: token},
		func(a identity.Account) (identity.Change, error) { return a.FinishSignUp(now, r) })
	return a.User, err
}

// SetPassword sets the hash of a password.
func (s People) SetPassword(ctx context.Context, userID int64, old, next string, now time.Time, r audit.Record) error {
	return s.update(ctx, userID, func(a identity.Account) (identity.Change, error) {
		return a.SetPassword(old, next, now, r)
	})
}

// DisableUser disables a user, or enables them with the zero time.
func (s People) DisableUser(ctx context.Context, userID int64, when time.Time, r audit.Record) (bool, error) {
	return done(s.update(ctx, userID, func(a identity.Account) (identity.Change, error) {
		return a.SetDisabled(when, r)
	}))
}

// SetOperator makes a user an operator, or takes that back.
func (s People) SetOperator(ctx context.Context, userID int64, operator bool, r audit.Record) (bool, error) {
	return done(s.update(ctx, userID, func(a identity.Account) (identity.Change, error) {
		return a.SetOperator(operator, r)
	}))
}

// RecoverUser does what an operator does for a user who is locked out.
func (s People) RecoverUser(
	ctx context.Context, userID int64, what identity.Recovery, now time.Time, r audit.Record,
) error {
	return s.update(ctx, userID, func(a identity.Account) (identity.Change, error) {
		return a.Recover(what, now, r), nil
	})
}

// PutSecondFactor stores an authenticator that is not in force.
func (s People) PutSecondFactor(ctx context.Context, f identity.SecondFactor) error {
	return s.update(ctx, f.UserID, func(a identity.Account) (identity.Change, error) { return a.PutFactor(f) })
}

// ConfirmSecondFactor brings an authenticator into force.
func (s People) ConfirmSecondFactor(
	ctx context.Context, f identity.SecondFactor, step int64, codes []identity.Hash, now time.Time, r audit.Record,
) error {
	return s.update(ctx, f.UserID, func(a identity.Account) (identity.Change, error) {
		return a.ConfirmFactor(f, step, codes, now, r)
	})
}

// TakeStep uses the code of a time step up.
func (s People) TakeStep(ctx context.Context, userID, step int64) (bool, error) {
	return done(s.update(ctx, userID, func(a identity.Account) (identity.Change, error) {
		return a.TakeStep(step)
	}))
}

// TakeRecoveryCode uses a recovery code up.
func (s People) TakeRecoveryCode(
	ctx context.Context, userID int64, code identity.Hash, now time.Time, r audit.Record,
) (bool, error) {
	return done(s.update(ctx, userID, func(a identity.Account) (identity.Change, error) {
		return a.TakeCode(code, now, r)
	}))
}

// RemoveSecondFactor removes an authenticator with its recovery codes.
func (s People) RemoveSecondFactor(
	ctx context.Context, userID int64, keep identity.Hash, now time.Time, r audit.Record,
) error {
	return s.update(ctx, userID, func(a identity.Account) (identity.Change, error) {
		return a.RemoveFactor(keep, now, r), nil
	})
}

// AddPasskey stores a passkey.
func (s People) AddPasskey(ctx context.Context, p identity.Passkey, keep identity.Hash, r audit.Record) error {
	return s.update(ctx, p.UserID, func(a identity.Account) (identity.Change, error) {
		return a.AddPasskey(p, keep, named(r, p.Name))
	})
}

// named gives the entries of a record that have none a subject.
func named(r audit.Record, subject string) audit.Record {
	r.Entries = slices.Clone(r.Entries)
	for i := range r.Entries {
		r.Entries[i].Subject = cmp.Or(r.Entries[i].Subject, subject)
	}
	return r
}

// PasskeysOf lists the passkeys of a user.
func (s People) PasskeysOf(ctx context.Context, userID int64) ([]identity.Passkey, error) {
	a, err := s.UserAccount(ctx, identity.By{ID: userID})
	return a.Passkeys, err
}

// UsePasskey stores the record of a passkey after an answer.
func (s People) UsePasskey(ctx context.Context, before, after identity.Passkey) (bool, error) {
	return done(s.update(ctx, before.UserID, func(a identity.Account) (identity.Change, error) {
		return a.UsePasskey(before, after)
	}))
}

// RenamePasskey gives a passkey another name.
func (s People) RenamePasskey(ctx context.Context, userID int64, id, name string, r audit.Record) error {
	return s.update(ctx, userID, func(a identity.Account) (identity.Change, error) {
		return a.RenamePasskey(id, name, func(before string) audit.Record { return named(r, before) })
	})
}

// RemovePasskey removes a passkey.
func (s People) RemovePasskey(
	ctx context.Context, userID int64, id string, keep identity.Hash, now time.Time, r audit.Record,
) error {
	return s.update(ctx, userID, func(a identity.Account) (identity.Change, error) {
		return a.RemovePasskey(id, keep, now, func(p identity.Passkey) audit.Record { return named(r, p.Name) })
	})
}
