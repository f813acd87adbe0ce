package identity

import (
	"bytes"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/audit"
)

// Account is a user with all that they sign in with, as decisions see it. They are pure: each returns the Change that
// it makes, and leaves the account as it is, so it may run again.
type Account struct {
	User     User           // zero: there is no such user
	Factor   SecondFactor   // without a user: none was set up
	Codes    []RecoveryCode // of the factor, used ones included
	Passkeys []Passkey      // the oldest first
	Link     Link           // the one that it was found by, or that a change adds
}

// By says which account is meant: that of a user, of a session that goes on, or of a link. Empty: one of nobody yet.
type By struct {
	ID              int64
	Email, PublicID string
	Session         Hash
	Link            LinkKind
	Token           Hash // of the link
}

// RecoveryCode replaces a lost authenticator, once.
type RecoveryCode struct {
	UserID int64
	Hash   Hash
	UsedAt time.Time // zero: it is good
}

// Change is what a decision yields. Rows of the account that differ from what was loaded are written.
type Change struct {
	Account Account
	Ends    Ending
	Clear   []Hash // limits of failed attempts that no longer count
	// Dropped: the user's keys, the other members of their team and their open sign-ups end, too.
	Dropped bool
	audit.Record
}

// Ending ends sessions of the user, and voids links that would change the address they sign in with. Where all end, so
// do links to a new password, and the changes that wait in the user's name: whoever asked for them may have been
// somebody else.
type Ending struct {
	At   time.Time // zero: none ends
	All  bool
	One  Hash // the only one that ends; the rest of what is said above goes on
	Keep Hash // the one that goes on where all others end
}

// CodesLeft counts the recovery codes that are not used up.
func (a Account) CodesLeft() (left int) {
	for _, c := range a.Codes {
		if c.UsedAt.IsZero() {
			left++
		}
	}
	return left
}

// SetPassword gives the user another password, or fails with ErrBadPassword if the stored hash is not old.
func (a Account) SetPassword(old, next string, now time.Time, r audit.Record) (Change, error) {
	if a.User.PasswordHash != old {
		return Change{}, ErrBadPassword
	}
	a.User.PasswordHash = next
	return Change{Account: a, Ends: Ending{At: now, All: true}, Record: r}, nil
}

// SetDisabled disables the user at the time given, or enables them with the zero time; or fails with ErrAsItIs.
func (a Account) SetDisabled(when time.Time, r audit.Record) (Change, error) {
	if a.User.DisabledAt.IsZero() == when.IsZero() {
		return Change{}, ErrAsItIs
	}
	a.User.DisabledAt = when
	return Change{Account: a, Ends: Ending{At: when, All: true}, Record: r}, nil
}

// SetOperator makes the user an operator or takes that back, or fails with ErrAsItIs.
func (a Account) SetOperator(operator bool, r audit.Record) (Change, error) {
	if a.User.Operator == operator {
		return Change{}, ErrAsItIs
	}
	a.User.Operator = operator
	return Change{Account: a, Record: r}, nil
}

// Recover does what an operator does for a user who is locked out.
func (a Account) Recover(what Recovery, now time.Time, r audit.Record) Change {
	if what.PasswordHash != "" {
		a.User.PasswordHash = what.PasswordHash
	}
	if what.Factors {
		a.Factor, a.Codes, a.Passkeys = SecondFactor{}, nil, nil
	}
	return Change{Account: a, Ends: Ending{At: now, All: true}, Clear: what.Clear, Record: r}
}

// PutFactor sets an authenticator up that is not in force, in place of another such, or fails with ErrHasFactor.
func (a Account) PutFactor(f SecondFactor) (Change, error) {
	if a.Factor.InForce() {
		return Change{}, ErrHasFactor
	}
	a.Factor = f
	return Change{Account: a}, nil
}

// ConfirmFactor brings the authenticator into force by the code of a step, with new recovery codes. It fails with
// ErrHasFactor, or with ErrBadCode if another has taken its place meanwhile, whose secret may be another user's.
func (a Account) ConfirmFactor(
	f SecondFactor, step int64, codes []Hash, now time.Time, r audit.Record,
) (Change, error) {
	switch {
	case a.Factor.Secret.Empty() || a.Factor.InForce():
		return Change{}, ErrHasFactor
	case !a.Factor.Secret.Equal(f.Secret):
		return Change{}, ErrBadCode
	}
	a.Factor.ConfirmedAt, a.Factor.Session, a.Factor.LastStep = now, Hash{}, step
	a.Codes = nil
	for _, code := range codes {
		a.Codes = append(a.Codes, RecoveryCode{UserID: f.UserID, Hash: code})
	}
	return Change{Account: a, Ends: Ending{At: now, Keep: f.Session}, Record: r}, nil
}

// TakeStep uses the code of a time step up, or fails with ErrBadCode if it, or a later one, was used before.
func (a Account) TakeStep(step int64) (Change, error) {
	if !a.Factor.InForce() || step <= a.Factor.LastStep {
		return Change{}, ErrBadCode
	}
	a.Factor.LastStep = step
	return Change{Account: a}, nil
}

// TakeCode uses a recovery code up, or fails with ErrBadCode.
func (a Account) TakeCode(code Hash, now time.Time, r audit.Record) (Change, error) {
	at := slices.IndexFunc(a.Codes, func(c RecoveryCode) bool { return c.Hash == code && c.UsedAt.IsZero() })
	if at < 0 {
		return Change{}, ErrBadCode
	}
	a.Codes = slices.Clone(a.Codes)
	a.Codes[at].UsedAt = now
	return Change{Account: a, Record: r}, nil
}

// RemoveFactor removes the authenticator with its recovery codes.
func (a Account) RemoveFactor(keep Hash, now time.Time, r audit.Record) Change {
	a.Factor, a.Codes = SecondFactor{}, nil
	return Change{Account: a, Ends: Ending{At: now, Keep: keep}, Record: r}
}

// AddPasskey adds a passkey, or fails with ErrTooManyPasskeys or ErrHasPasskey.
func (a Account) AddPasskey(p Passkey, keep Hash, r audit.Record) (Change, error) {
	if err := MayAddPasskey(len(a.Passkeys)); err != nil {
		return Change{}, err
	}
	if slices.ContainsFunc(a.Passkeys, func(x Passkey) bool { return bytes.Equal(x.Credential, p.Credential) }) {
		return Change{}, ErrHasPasskey
	}
	a.Passkeys = append(slices.Clone(a.Passkeys), p)
	return Change{Account: a, Ends: Ending{At: p.CreatedAt, Keep: keep}, Record: r}, nil
}

// passkey returns the place of a passkey, or ErrUnknownPasskey, in a list that may be changed.
func (a *Account) passkey(id string) (int, error) {
	at := slices.IndexFunc(a.Passkeys, func(p Passkey) bool { return p.ID == id })
	if at < 0 {
		return 0, ErrUnknownPasskey
	}
	a.Passkeys = slices.Clone(a.Passkeys)
	return at, nil
}

// UsePasskey stores the record after an answer, or fails with ErrBadPasskey if another answer changed it since it was
// read, or it was removed.
func (a Account) UsePasskey(before, after Passkey) (Change, error) {
	at, err := a.passkey(before.ID)
	if err != nil || !a.Passkeys[at].Record.Equal(before.Record) {
		return Change{}, ErrBadPasskey
	}
	a.Passkeys[at].Record, a.Passkeys[at].UsedAt = after.Record, after.UsedAt
	return Change{Account: a}, nil
}

// RenamePasskey gives a passkey another name, or fails with ErrUnknownPasskey. record is given the name before.
func (a Account) RenamePasskey(id, name string, record func(before string) audit.Record) (Change, error) {
	at, err := a.passkey(id)
	if err != nil {
		return Change{}, err
	}
	before := a.Passkeys[at].Name
	a.Passkeys[at].Name = name
	return Change{Account: a, Record: record(before)}, nil
}

// RemovePasskey removes a passkey, or fails with ErrUnknownPasskey. record is given it.
func (a Account) RemovePasskey(id string, keep Hash, now time.Time, record func(Passkey) audit.Record) (Change, error) {
	at, err := a.passkey(id)
	if err != nil {
		return Change{}, err
	}
	p := a.Passkeys[at]
	a.Passkeys = slices.Delete(a.Passkeys, at, at+1)
	return Change{Account: a, Ends: Ending{At: now, Keep: keep}, Record: record(p)}, nil
}
