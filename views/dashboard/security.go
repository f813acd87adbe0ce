package dashboard

import (
	"time"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
)

// FactorProps sets up an authenticator.
type FactorProps struct {
	panel.Frame

	Secret string
	QR     views.QR
	Code   panel.Field
	// Password asks once more who is there; Problem is of the form.
	Password panel.Field
	Problem  string
}

// CodesProps shows recovery codes, once.
type CodesProps struct {
	panel.Frame

	Codes []string
}

// SecurityProps is what guards the account.
type SecurityProps struct {
	panel.Frame

	Problem        string
	Password       []panel.Field
	InForce        bool
	CodesLeft      int
	FactorProblem  string
	RemovePassword panel.Field
	// PasskeysAt is our public address; empty where passkeys are not to be had.
	PasskeysAt     string
	Passkeys       []PasskeyRow
	PasskeysFull   bool // no more may be added
	PasskeyProblem string
	PasskeyName    panel.Field
	PasskeyReauth  panel.Field
	Logins         []LoginRow
	Audit          []panel.AuditRow
	NextURL        string
}

// LoginRow is a session.
type LoginRow struct {
	ID, Agent            string // Agent as the browser calls itself; may be empty
	CreatedAt, ExpiresAt time.Time
	Here                 bool
}
