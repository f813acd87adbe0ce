package identity

import (
	"cmp"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
)

// LinkKind is what a link that is mailed, or passed on, is for.
type LinkKind int

// The kinds.
const (
	LinkReset      LinkKind = iota + 1 // sets a new password of a user
	LinkSignUp                         // makes a user, or verifies the address of one who exists
	LinkInvitation                     // lets the holder of an address sign up
)

// Link is good once, for whoever has its token, until it expires.
type Link struct {
	Kind  LinkKind
	Token Hash
	// User is whose password is set or whose address is verified; without an ID, the user to make. An invitation has
	// the address that is invited, and the ID of who invites. The password hash is the present one of a user who
	// exists.
	User                         User
	CreatedAt, ExpiresAt, UsedAt time.Time
	// Before is the present address of a user who exists, and Locked whether an account that they belong to is locked.
	// They are read with a sign-up.
	Before string
	Locked bool
}

// good reports whether the link is of the kind, and good at the time.
func (l Link) good(kind LinkKind, now time.Time) bool {
	return l.Kind == kind && l.UsedAt.IsZero() && l.ExpiresAt.After(now)
}

// invites reports whether the link is an invitation of the address that is good at the time.
func (l Link) invites(email string, now time.Time) bool {
	return l.good(LinkInvitation, now) && l.User.Email == email
}

// changesEmail reports whether the link is for another address of a user who exists.
func (l Link) changesEmail() bool { return l.User.ID != 0 && l.Before != l.User.Email }

// waits reports whether it is too early to finish: where an account of the user is locked, another address waits.
func (l Link) waits(now time.Time) bool {
	return l.changesEmail() && l.Locked && now.Before(l.ExpiresAt.Add(EmailChangeWait-EmailChangeTTL))
}

// Create makes the user of an account that has none.
func (a Account) Create(u User, r audit.Record) Change {
	u.ID = 0
	a.User = u
	return Change{Account: a, Record: by(u, r, "")}
}

// CreateInvited makes the user whom a link invites and uses it up, or fails with ErrBadInvitation.
func (a Account) CreateInvited(u User, r audit.Record) (Change, error) {
	if !a.Link.invites(u.Email, u.CreatedAt) {
		return Change{}, ErrBadInvitation
	}
	a.Link.UsedAt = u.CreatedAt
	return a.Create(u, r), nil
}

// FinishSignUp uses a sign-up up: it makes its user, or verifies the address of the one it is about. Another address
// than theirs takes its place, and ends every session. It fails with ErrBadVerification.
func (a Account) FinishSignUp(now time.Time, r audit.Record) (Change, error) {
	if !a.Link.good(LinkSignUp, now) {
		return Change{}, ErrBadVerification
	}
	a.Link.UsedAt = now
	if u := a.Link.User; u.ID == 0 {
		u.CreatedAt, u.VerifiedAt = now, now
		return a.Create(u, r), nil
	}
	c := Change{Record: by(a.Link.User, r, "")}
	switch {
	case a.User.Email != a.Link.User.Email:
		a.User.Email, a.User.VerifiedAt, c.Ends = a.Link.User.Email, now, Ending{At: now, All: true}
	case a.User.VerifiedAt.IsZero():
		a.User.VerifiedAt = now
	}
	c.Account = a
	return c, nil
}

// FinishReset uses a reset up, sets the password and ends every session, or fails with ErrBadReset. Where it verifies
// an address that was not, what somebody else may have made before its owner showed up is taken away.
func (a Account) FinishReset(next string, verifies bool, now time.Time, r audit.Record) (Change, error) {
	if !a.Link.good(LinkReset, now) {
		return Change{}, ErrBadReset
	}
	c, detail := Change{Ends: Ending{At: now, All: true}}, ""
	a.Link.UsedAt, a.User.PasswordHash = now, next
	if verifies && a.User.VerifiedAt.IsZero() {
		a.User.VerifiedAt, a.Factor, a.Codes, a.Passkeys = now, SecondFactor{}, nil, nil
		c.Dropped = true
		detail = mail.T("the address was not verified: factors, passkeys, API keys and members were dropped").Kept()
	}
	c.Account, c.Record = a, by(a.User, r, detail)
	return c, nil
}

// by completes the entries of a record of a stranger, who turned out to be the user.
func by(u User, r audit.Record, detail string) audit.Record {
	r.Entries = slices.Clone(r.Entries)
	for i := range r.Entries {
		e := &r.Entries[i]
		e.UserID, e.Actor, e.Detail = cmp.Or(e.UserID, u.ID), cmp.Or(e.Actor, u.Email), e.Detail+detail
	}
	return r
}
