package identity

import (
	"cmp"
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
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

// User reads a user; an empty one if there is no such user.
func (s *Store) User(ctx context.Context, by identity.By) (identity.User, error) {
	u, err := userBy(ctx, s.db.Reader(), "", by)
	return u, db.Wrap(err, "a user")
}

func userBy(ctx context.Context, from bun.IDB, lock string, by identity.By) (identity.User, error) {
	where, arg := "id = ?", any(by.ID)
	switch {
	case !db.Storable(by.Email + by.PublicID):
		return identity.User{}, nil
	case by.Email != "":
		where, arg = "email = ?", by.Email
	case by.PublicID != "":
		where, arg = "public_id = ?", by.PublicID
	}
	return db.First[identity.User](ctx, from, nil, "SELECT * FROM users WHERE "+where+lock, arg)
}

// UserAccount reads a user with all that they sign in with; an empty one if there is no such user. A link is good
// although something that is sealed cannot be opened.
func (s *Store) UserAccount(ctx context.Context, by identity.By) (identity.Account, error) {
	a, loaded, err := s.loadAccount(ctx, s.db.Reader(), "", by)
	if err == nil && by.Link == 0 {
		err = loaded.unread
	}
	return a, db.Wrap(err, "account of a user")
}

// loadAccount reads an account, and locks its user. The rows whose sealed texts are written back are locked, too: they
// may be sealed anew. One
// that cannot be opened is without its text, so that an operator can remove it.
func (s *Store) loadAccount(
	ctx context.Context, from bun.IDB, lock string, by identity.By,
) (a identity.Account, r rows, err error) {
	switch {
	case by.Link != 0:
		if a.Link, err = loadLink(ctx, from, lock, by); err == nil && by.Link != identity.LinkInvitation {
			by.ID = a.Link.User.ID
		}
	case by.Session != identity.Hash{}:
		by.ID, err = db.First[int64](ctx, from, nil,
			"SELECT user_id FROM sessions WHERE token = ? AND revoked_at IS NULL"+lock, by.Session[:])
	}
	if err != nil || by.ID == 0 && by.Email == "" && by.PublicID == "" {
		return a, r, err
	}
	if a.User, err = userBy(ctx, from, lock, by); err != nil || a.User.ID == 0 {
		return a, r, err
	}
	userID := a.User.ID
	r.users = []identity.User{a.User}
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
	a.Codes = r.codes
	return a, r, nil
}

// UpdateUser locks the account, calls decide and writes its Change, all in one transaction.
func (s *Store) UpdateUser(
	ctx context.Context, by identity.By, decide func(identity.Account) (identity.Change, error),
) (stored identity.Account, err error) {
	renamed := false
	err = table.WriteAudited(ctx, s.db, s.sealer, audit.Record{},
		func(ctx context.Context, t db.Tx, fields *table.AuditFields) error {
			before, loaded, err := s.loadAccount(ctx, t, t.ForUpdate(), by)
			if err != nil {
				return err
			}
			change, err := decide(before)
			if err != nil {
				return err
			}
			renamed = change.Account.User.Email != before.User.Email
			stored, fields.More = change.Account, change.Record
			if err := s.saveUser(ctx, t, before.User, &stored.User); err != nil {
				return err
			}
			fields.User = stored.User.ID
			change.Account = stored
			return s.saveAccount(ctx, t, before, loaded, change)
		})
	switch {
	case db.IsDuplicate(err) && renamed:
		err = identity.ErrEmailTaken
	case db.IsDuplicate(err): // nothing else of an account is unique among users
		err = identity.ErrHasPasskey
	}
	if err != nil {
		return identity.Account{}, db.Wrap(err, "change a user")
	}
	return stored, nil
}

// saveUser stores a new user, the owner of a merchant account of their own, and gives them their ID. One who exists is
// named anew where others refer to the address.
func (s *Store) saveUser(ctx context.Context, t db.Tx, before identity.User, u *identity.User) error {
	switch {
	case u.ID == 0 && u.PublicID != "":
		err := db.CheckTexts("texts of a user", u.PublicID, u.Email, u.FirstName, u.LastName, u.Language)
		if err != nil {
			return err
		}
		if err := table.InsertUser(ctx, t, u); err != nil {
			return err
		}
		return table.InsertMember(ctx, t, u.ID, u.ID, merchant.RoleOwner, u.CreatedAt)
	case u.ID != 0 && u.Email != before.Email:
		_, err := t.NewRaw("UPDATE team_invitations SET invited_by = ? WHERE invited_by = ?", u.Email, before.Email).Exec(ctx)
		return err
	}
	return nil
}

// saveAccount writes what differs.
func (s *Store) saveAccount(ctx context.Context, t db.Tx, was identity.Account, before rows, c identity.Change) error {
	var after rows
	userID := c.Account.User.ID
	if len(before.users) > 0 {
		after.users = []identity.User{c.Account.User}
	}
	l := c.Account.Link.User
	if err := db.CheckTexts("texts of a user", l.PublicID, l.Email, l.FirstName, l.LastName, l.Language); err != nil {
		return err
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
	writes := append(saveLink(was.Link, c.Account.Link), table.Users.Save(before.users, after.users, "id")...)
	writes = append(writes, factors.Save(before.factors, after.factors, "user_id")...)
	writes = append(writes, codes.Save(before.codes, c.Account.Codes, "user_id", "hash")...)
	writes = append(writes, passkeys.Save(before.passkeys, after.passkeys, "public_id")...)
	for _, limit := range c.Clear {
		writes = append(writes, db.Exec("DELETE FROM throttles WHERE name = ?", limit[:]).AnyNumber())
	}
	if c.Dropped {
		writes = append(writes, dropped(userID, c.Ends.At)...)
	}
	if err := db.RunEach(ctx, t, writes); err != nil {
		return err
	}
	return s.end(ctx, t, userID, c.Ends)
}

// dropped takes away what others may share of an account, and what would verify another address of it.
func dropped(userID int64, now time.Time) []*db.Stmt {
	drops := []*db.Stmt{
		db.Exec("UPDATE api_keys SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL", now, userID),
		db.Exec("DELETE FROM memberships WHERE merchant_id = ? AND user_id <> ?", userID, userID),
		db.Exec("UPDATE team_invitations SET ended_at = ? WHERE merchant_id = ? AND ended_at IS NULL", now, userID),
		db.Exec("DELETE FROM sign_ups WHERE user_id = ?", userID),
	}
	for _, x := range drops {
		x.AnyNumber()
	}
	return drops
}
