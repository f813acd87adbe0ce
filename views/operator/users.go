package operator

import (
	"time"

	"github.com/florinpay/florin/views/panel"
)

// UsersProps lists users.
type UsersProps struct {
	panel.Frame

	Text      string // the search text
	Users     []UserRow
	NextURL   string
	Invite    panel.Field
	MayInvite bool
	Problem   string
	Link      string // of a new invitation
}

// UserRow is a user.
type UserRow struct {
	ID, Email, Name       string
	Keys                  int64
	Operator              bool
	Takes                 bool
	CreatedAt, DisabledAt time.Time
}

// UserProps is a user with their keys.
type UserProps struct {
	panel.Frame

	User    UserRow
	You     bool
	Keys    []KeyRow
	Audit   []panel.AuditRow
	NextURL string
	Reauth  panel.Reauth
	Credits panel.Field // of a grant
	Problem string
	// Factor: an authenticator is in force; Passkeys: how many there are.
	Factor   bool
	Passkeys int64
	// ResetLink is a new link to a new password, shown once; Mails: it is mailed instead.
	ResetLink string
	Mails     bool
	// GrantID makes the form that grants count once, however often it is sent.
	GrantID string
}

// GrantField returns the number of credits as the form of the action shows it: the
// typed value and its problem appear in the form that was posted only.
func (p UserProps) GrantField(action string) panel.Field {
	f := p.Reauth.For(action, "")
	credits := p.Credits
	credits.Form = f.Form
	if p.Reauth.Posted != action {
		credits.Value, credits.Problem = "", ""
	}
	return credits
}

// KeyRow is a key of a user.
type KeyRow struct {
	ID, Label             string
	Credits, Queries      int64
	CreatedAt, LastUsedAt time.Time
	RevokedAt, DisabledAt time.Time
}
