package identity

import (
	"cmp"
	"context"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// Generated statements of the rows of an account.
var (
	factors = db.NewTable[factorRow]("second_factors", `
		fixed:   user_id
		changes: secret=Sealed session created_at confirmed_at last_step`)
	codes = db.NewTable[identity.RecoveryCode]("recovery_codes", `
		fixed:   user_id hash
		changes: used_at`)
	passkeys = db.NewTable[passkeyRow]("passkeys", `
		fixed:   public_id=ID credential user_id created_at
		changes: name record=Sealed used_at`)
)

// factorRow is a user's authenticator as it is stored.
type factorRow struct {
	identity.SecondFactor

	Sealed string // Secret
}

// passkeyRow is a passkey as it is stored.
type passkeyRow struct {
	identity.Passkey

	Sealed string // Record
}

// rows are those of an account.
type rows struct {
	users    []identity.User
	factors  []factorRow
	codes    []identity.RecoveryCode
	passkeys []passkeyRow
	unread   error // of what is sealed
}

// UserAccount reads a user with all that they sign in with; an empty one if there is no such user.
func (s *Store) UserAccount(ctx context.Context, userID int64) (identity.Account, error) {
	a, loaded, err := s.loadAccount(ctx, s.db.Reader(), "", userID)
	return a, db.Wrap(cmp.Or(err, loaded.unread), "account of user %d", userID)
}

// loadAccount reads an account. The rows whose sealed texts are written back are locked: they may be sealed anew. One
// that cannot be opened is without its text, so that an operator can remove it.
func (s *Store) loadAccount(
	ctx context.Context, from bun.IDB, lock string, userID int64,
) (a identity.Account, r rows, err error) {
	if r.users, err = db.All[identity.User](ctx, from, "SELECT * FROM users WHERE id = ?", userID); err != nil {
		return a, r, err
	}
	r.factors, err = db.All[factorRow](ctx, from, "SELECT * FROM second_factors WHERE user_id = ?"+lock, userID)
	if err != nil {
		return a, r, err
	}
	r.codes, err = db.All[identity.RecoveryCode](ctx, from, "SELECT * FROM recovery_codes WHERE user_id = ?", userID)
	if err != nil {
		return a, r, err
	}
	r.passkeys, err = db.All[passkeyRow](ctx, from,
		"SELECT * FROM passkeys WHERE user_id = ? ORDER BY created_at, public_id"+lock, userID)
	if err != nil {
		return a, r, err
	}
	for i := range r.factors {
		f := &r.factors[i]
		f.Secret, err = s.sealer.Open(table.FactorPlace(userID), f.Sealed)
		r.unread = cmp.Or(r.unread, err)
		a.Factor = f.SecondFactor
	}
	for i := range r.passkeys {
		p := &r.passkeys[i]
		p.Record, err = s.sealer.Open(table.PasskeyPlace(p.ID), p.Sealed)
		r.unread = cmp.Or(r.unread, db.Wrap(err, "passkey %s", p.ID))
		a.Passkeys = append(a.Passkeys, p.Passkey)
	}
	for _, u := range r.users {
		a.User = u
	}
	a.Codes = r.codes
	return a, r, nil
}

// UpdateUser locks the user, calls decide and writes its Change, all in one transaction.
func (s *Store) UpdateUser(
	ctx context.Context, userID int64, decide func(identity.Account) (identity.Change, error),
) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, audit.Record{},
		func(ctx context.Context, t db.Tx, fields *table.AuditFields) error {
			if err := table.LockUser(ctx, t, userID); err != nil {
				return err
			}
			before, loaded, err := s.loadAccount(ctx, t, t.ForUpdate(), userID)
			if err != nil {
				return err
			}
			change, err := decide(before)
			if err != nil {
				return err
			}
			fields.More = change.Record
			return s.saveAccount(ctx, t, userID, loaded, change)
		})
	if db.IsDuplicate(err) { // nothing else of an account is unique among users
		return identity.ErrHasPasskey
	}
	return db.Wrap(err, "change user %d", userID)
}

// saveAccount writes what differs.
func (s *Store) saveAccount(ctx context.Context, t db.Tx, userID int64, before rows, c identity.Change) error {
	var after rows
	if c.Account.User.ID != 0 {
		after.users = []identity.User{c.Account.User}
	}
	if f := c.Account.Factor; f.UserID != 0 {
		sealed := s.sealer.Seal(table.FactorPlace(userID), f.Secret)
		for _, old := range before.factors {
			if old.Secret.Equal(f.Secret) {
				sealed = old.Sealed
			}
		}
		after.factors = []factorRow{{f, sealed}}
	}
	for _, p := range c.Account.Passkeys {
		if err := db.CheckTexts("a passkey", p.Name); err != nil {
			return err
		}
		sealed := s.sealer.Seal(table.PasskeyPlace(p.ID), p.Record)
		for _, old := range before.passkeys {
			if old.ID == p.ID && old.Record.Equal(p.Record) {
				sealed = old.Sealed
			}
		}
		after.passkeys = append(after.passkeys, passkeyRow{p, sealed})
	}
	writes := table.Users.Save(before.users, after.users, "id")
	writes = append(writes, factors.Save(before.factors, after.factors, "user_id")...)
	writes = append(writes, codes.Save(before.codes, c.Account.Codes, "user_id", "hash")...)
	writes = append(writes, passkeys.Save(before.passkeys, after.passkeys, "public_id")...)
	for _, limit := range c.Clear {
		writes = append(writes, db.Exec("DELETE FROM throttles WHERE name = ?", limit[:]).AnyNumber())
	}
	if err := db.RunEach(ctx, t, writes); err != nil {
		return err
	}
	switch e := c.Ends; {
	case e.At.IsZero():
		return nil
	case e.All:
		return s.endSessions(ctx, t, userID, e.At)
	default:
		return endOtherSessions(ctx, t, userID, e.Keep, e.At)
	}
}
