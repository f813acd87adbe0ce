package signin

import (
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
)

// EntryProps is a page of a user who is not signed in.
type EntryProps struct {
	views.Page

	Notice  panel.Notice
	Problem string
	Next    string // path to open after signing in; may be empty
	// Fields in the order of the form.
	Fields []panel.Field
	// SignUp links to signing up, Forgot to setting a new password.
	SignUp, Forgot bool
	// Invite is the token of an invitation to sign up, Token that of a password reset
	// or of an address to verify.
	Invite, Token string
	// PasskeyAt is the public address passkeys work at; empty if they are not offered.
	PasskeyAt string
	// Once: the form makes something, so it has a number.
	Once bool
	// Sent: a mail is on its way, whether or not the account exists.
	Sent bool
}
