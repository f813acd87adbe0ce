package team

import "github.com/florinpay/florin/views/panel"

// JoiningProps is an invitation to a team, for a signed-in user.
type JoiningProps struct {
	panel.Frame

	Merchant, Role, Does, Token string
	// For is the invited address if it is not the user's.
	For string
}
