package security

import (
	"slices"
	"time"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
)

// FactorProps is the form that sets up an authenticator.
type FactorProps struct {
	panel.Frame

	Secret string
	QR     views.QR
	Code   panel.Field
	// Password is the re-authentication; Problem belongs to the form.
	Password panel.Field
	Problem  string
}

// CodesProps is the recovery codes. They are shown once.
type CodesProps struct {
	panel.Frame

	Codes []string
}

// Props is the password, second factor, passkeys, sessions and audit log of a user.
type Props struct {
	panel.Frame

	// NewEmail are the inputs that ask for another address, and Mails whether a link can be mailed there.
	NewEmail      []panel.Field
	EmailProblem  string
	Mails         bool
	Problem       string
	Password      []panel.Field
	InForce       bool
	CodesLeft     int
	FactorProblem string
	// Unverified: the user could verify their e-mail address, and has not.
	Unverified     bool
	RemovePassword panel.Field
	// PasskeysAt is the public address passkeys work at; empty if they are not offered.
	PasskeysAt     string
	Passkeys       []PasskeyRow
	PasskeysFull   bool // no more may be added
	PasskeyProblem string
	PasskeyName    panel.Field
	PasskeyReauth  panel.Reauth
	Logins         []LoginRow
	SessionReauth  panel.Reauth // of the forms that end sessions
	SessionProblem string
	Audit          []panel.AuditRow
	NextURL        string
}

// languages are those to choose from.
func (p Props) languages() (all []panel.Choice) {
	for _, l := range views.Languages() {
		all = append(all, panel.Choice{Value: l.Tag, Text: l.Name})
	}
	return all
}

// LoginRow is a session.
type LoginRow struct {
	ID, Agent            string // Agent is the User-Agent; may be empty
	CreatedAt, ExpiresAt time.Time
	Here                 bool
}

// EmailRefused reports whether an input of the form of another address was refused.
func (p Props) EmailRefused() bool {
	return slices.ContainsFunc(p.NewEmail, func(f panel.Field) bool { return f.Problem != "" })
}
