package dashboard

import "github.com/florinpay/florin/views/panel"

// JoiningProps asks a signed-in user whether to join a team.
type JoiningProps struct {
	panel.Frame

	Merchant, Role, Does, Token string
	// For is the invited address if it is not the user's.
	For string
}
