package signin

import (
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
)

// EntryProps is a page for somebody who is not signed in.
type EntryProps struct {
	views.Page

	Notice  panel.Notice
	Problem string
	Next    string // where to go afterwards; a path of our own, or empty
	// Fields in the order of the form.
	Fields []panel.Field
	// SignUp offers to make an account; Forgot to set a new password.
	SignUp, Forgot bool
	// Invite is the invitation that lets sign up; Token the reset that lets set a password.
	Invite, Token string
	// PasskeyAt is our public address if a passkey signs in; may be empty.
	PasskeyAt string
	// Sent says that the mail is on its way, if there is such an account.
	Sent bool
}
