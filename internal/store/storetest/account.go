package storetest

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	storemerchant "github.com/florinpay/florin/internal/store/merchant"
)

// Accounts makes single changes of merchant accounts, by the decisions of the domain.
type Accounts struct{ *storemerchant.Store }

// ofKey changes the account of a key.
func (s Accounts) ofKey(
	ctx context.Context, keyID int64, decide func(merchant.Account) (merchant.Change, error),
) (merchant.Done, error) {
	k, _ := s.Key(ctx, keyID) // one that there is not has an account that there is not
	return s.UpdateAccount(ctx, k.UserID, keyID, decide)
}

func (s Accounts) change(ctx context.Context, id int64, decide func(merchant.Account) (merchant.Change, error)) error {
	_, err := s.UpdateAccount(ctx, id, 0, decide)
	return err
}

// CreateKey stores a key with its first entries, which are given key 0.
func (s Accounts) CreateKey(
	ctx context.Context, k merchant.Key, entries func(id int64) []ledger.Entry, r audit.Record,
) (merchant.Key, error) {
	done, err := s.UpdateAccount(ctx, k.UserID, 0, func(a merchant.Account) (merchant.Change, error) {
		return a.AddKey(owned(k, a), entries(0), r), nil
	})
	return done.Key, err
}

// owned is a key with the names of its owner.
func owned(k merchant.Key, a merchant.Account) merchant.Key {
	k.UserPublic, k.FirstName, k.LastName = a.Founder.PublicID, a.Founder.FirstName, a.Founder.LastName
	k.Email = a.Founder.Email
	return k
}

// CreateKeyWithin stores a key with entries that depend on how many there were before, and keeps the answer.
func (s Accounts) CreateKeyWithin(
	ctx context.Context, k merchant.Key, entries func(id, earlier int64) []ledger.Entry,
	keep func(merchant.Key) (*idempotency.Kept, error), r audit.Record,
) (merchant.Key, error) {
	done, err := s.UpdateAccount(ctx, k.UserID, 0, func(a merchant.Account) (merchant.Change, error) {
		c := a.AddKey(owned(k, a), entries(0, int64(len(a.Keys))), r)
		if keep != nil {
			c.Keep = func(d merchant.Done) (*idempotency.Kept, error) { return keep(d.Key) }
		}
		return c, nil
	})
	return done.Key, err
}

// ChangeKey changes a key of the user.
func (s Accounts) ChangeKey(
	ctx context.Context, userID, keyID int64, r audit.Record, change func(*merchant.Key),
) error {
	return s.change(ctx, userID, func(a merchant.Account) (merchant.Change, error) {
		return a.ChangeKey(keyID, r, change)
	})
}

// RevokeKey ends a key of the user.
func (s Accounts) RevokeKey(ctx context.Context, userID, keyID int64, now time.Time, r audit.Record) error {
	return s.ChangeKey(ctx, userID, keyID, r, func(k *merchant.Key) { k.RevokedAt = now })
}

// DisableKey disables a key, or enables it with the zero time; changed is false if it was so already.
func (s Accounts) DisableKey(
	ctx context.Context, keyID int64, when time.Time, r audit.Record,
) (changed bool, err error) {
	_, err = s.ofKey(ctx, keyID, func(a merchant.Account) (merchant.Change, error) {
		return a.DisableKey(keyID, when, r)
	})
	return done(err)
}

// RotateKey gives a key another hash.
func (s Accounts) RotateKey(ctx context.Context, r merchant.Replacement) (ledger.Balance, error) {
	done, err := s.ofKey(ctx, r.KeyID, func(a merchant.Account) (merchant.Change, error) { return a.Replace(r) })
	return done.Left, err
}

// PostEntries posts entries of a key.
func (s Accounts) PostEntries(
	ctx context.Context, keyID int64, entries []ledger.Entry, r audit.Record,
) (ledger.Balance, error) {
	done, err := s.ofKey(ctx, keyID, func(a merchant.Account) (merchant.Change, error) {
		return merchant.Change{Account: a, Entries: entries, Once: true, Record: r}, nil
	})
	return done.Left, err
}

// CreateCustodian stores the custodian of a key.
func (s Accounts) CreateCustodian(
	ctx context.Context, c merchant.Custodian, entries []ledger.Entry, r audit.Record,
) (merchant.Custodian, error) {
	done, err := s.ofKey(ctx, c.KeyID, func(a merchant.Account) (merchant.Change, error) {
		change, err := a.AddCustodian(c, r)
		change.Entries = entries
		return change, err
	})
	return done.Account.Custodian, err
}

// UpdateCustodian changes the custodian of a key.
func (s Accounts) UpdateCustodian(
	ctx context.Context, keyID int64, entries []ledger.Entry,
	decide func(merchant.Custodian) (merchant.CustodianChange, error),
) (merchant.Custodian, error) {
	done, err := s.ofKey(ctx, keyID, func(a merchant.Account) (merchant.Change, error) {
		change, err := a.ChangeCustodian(decide)
		change.Entries = entries
		return change, err
	})
	return done.Account.Custodian, err
}

// PutLogo gives the custodian of a key a logo.
func (s Accounts) PutLogo(ctx context.Context, keyID int64, l merchant.Logo, now time.Time, r audit.Record) error {
	_, err := s.ofKey(ctx, keyID, func(a merchant.Account) (merchant.Change, error) {
		c, err := a.ChangeCustodian(func(c merchant.Custodian) (merchant.CustodianChange, error) {
			c = l.Of(c)
			c.UpdatedAt = now
			return merchant.CustodianChange{Custodian: c, Record: r}, nil
		})
		c.Logo = &l
		return c, err
	})
	return err
}

// Lock locks where the money of an account goes.
func (s Accounts) Lock(ctx context.Context, id int64, now time.Time, r audit.Record) error {
	return s.change(ctx, id, func(a merchant.Account) (merchant.Change, error) {
		return a.Lock(now, r), nil
	})
}

// AddWaiting stores a change that waits.
func (s Accounts) AddWaiting(ctx context.Context, w merchant.Waiting, token identity.Hash, r audit.Record) error {
	w.Token = token
	return s.change(ctx, w.MerchantID, func(a merchant.Account) (merchant.Change, error) {
		return a.Wait(w, r)
	})
}

// EndWaiting ends a change that waits.
func (s Accounts) EndWaiting(
	ctx context.Context, merchantID int64, id string, state merchant.WaitingState, now time.Time,
) error {
	return s.change(ctx, merchantID, func(a merchant.Account) (merchant.Change, error) {
		return a.EndWaiting(id, state, now, audit.Record{})
	})
}

// ApplyWaiting makes a change that is due.
func (s Accounts) ApplyWaiting(
	ctx context.Context, w merchant.Waiting, now time.Time, fresh merchant.Custodian,
	decide func(merchant.Custodian) (merchant.CustodianChange, error),
) error {
	_, err := s.UpdateAccount(ctx, w.MerchantID, w.KeyID, func(a merchant.Account) (merchant.Change, error) {
		return a.Make(w, now, fresh, func(_ merchant.Key, c merchant.Custodian) (merchant.CustodianChange, error) {
			return decide(c)
		})
	})
	return err
}

// AddInvited stores an invitation.
func (s Accounts) AddInvited(ctx context.Context, token identity.Hash, n merchant.Invited, r audit.Record) error {
	n.Token = token
	return s.change(ctx, n.MerchantID, func(a merchant.Account) (merchant.Change, error) {
		return a.Invite(n, r)
	})
}

// ChangeInvited changes an invitation of an account.
func (s Accounts) ChangeInvited(
	ctx context.Context, id int64, invitation string, r audit.Record, change func(*merchant.Invited),
) error {
	return s.change(ctx, id, func(a merchant.Account) (merchant.Change, error) {
		return a.ChangeInvited(invitation, func(n *merchant.Invited) audit.Record {
			change(n)
			return r
		})
	})
}

// JoinTeam makes a user a member by an invitation.
func (s Accounts) JoinTeam(
	ctx context.Context, token identity.Hash, u identity.User, now time.Time, r audit.Record,
) (identity.User, error) {
	a, err := s.Account(ctx, merchant.By{Token: token})
	if err != nil {
		return identity.User{}, err
	}
	done, err := s.UpdateAccount(ctx, a.ID, 0, func(a merchant.Account) (merchant.Change, error) {
		return a.Join(token, u, now, r)
	})
	if err != nil {
		return identity.User{}, err
	}
	return done.Account.Members[len(done.Account.Members)-1].User, nil
}

// SetRole gives a member another role.
func (s Accounts) SetRole(ctx context.Context, id, userID int64, role merchant.Role, r audit.Record) error {
	return s.change(ctx, id, func(a merchant.Account) (merchant.Change, error) {
		return a.SetRole(userID, role, Start, r)
	})
}

// RemoveMember ends a membership.
func (s Accounts) RemoveMember(ctx context.Context, id, userID int64, r audit.Record) error {
	return s.SetRole(ctx, id, userID, "", r)
}

// Members lists the members of an account.
func (s Accounts) Members(ctx context.Context, id int64) ([]merchant.Member, error) {
	a, err := s.Account(ctx, merchant.By{ID: id})
	return a.Members, err
}

// WaitingOf lists the changes of an account that wait.
func (s Accounts) WaitingOf(ctx context.Context, id int64) ([]merchant.Waiting, error) {
	a, err := s.Account(ctx, merchant.By{ID: id})
	return a.Waiting, err
}
