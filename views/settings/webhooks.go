package settings

import "github.com/florinpay/florin/views/panel"

// WebhooksProps is where the shop of a key is notified, and with which secrets.
type WebhooksProps struct {
	panel.Frame

	Key      panel.KeyChoice
	HasKey   bool
	Exists   bool
	Waiting  []WaitingRow
	Problem  string // of the callback address
	Callback panel.Field
	Password panel.Field
	// Signing is a new signing secret. It is shown once.
	Signing       string
	SigningWaits  bool // it is valid in 24 hours
	SigningCount  int
	Secret        panel.Field
	SecretSet     bool
	SecretProblem string
	// SecretReauth is the re-authentication of the forms about secrets.
	SecretReauth panel.Reauth
}
