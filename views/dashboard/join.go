package dashboard

import "github.com/florinpay/florin/views/panel"

// JoiningProps asks somebody who is signed in whether to join.
type JoiningProps struct {
	panel.Frame

	Merchant, Role, Does, Token string
	// For is who is invited, if that is not the reader.
	For string
}
