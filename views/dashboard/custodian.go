package dashboard

import "github.com/florinpay/florin/views/panel"

// CustodianProps is where the money of a key goes and how its owner is told.
type CustodianProps struct {
	panel.Frame

	Key       panel.KeyChoice
	HasKey    bool
	Exists    bool
	Problem   string // of the form at the top
	Money     []panel.Field
	Password  panel.Field
	Secret    panel.Field
	SecretSet bool
	// SecretProof is asked for in each form about the secrets of webhooks.
	SecretReauth panel.Reauth
	// Signing is a signing secret that was just made; shown only now.
	Signing      string
	SigningCount int
	Networks     []NetworkForm
	Policy       []panel.Field
	// OptionsPassword is asked for beside Networks and Policy.
	OptionsPassword panel.Field
	// OptionsProblem and SecretProblem are of the forms below.
	OptionsProblem, SecretProblem string
}

// NetworkForm is what a merchant wants of one network.
type NetworkForm struct {
	Network, Name string
	Enabled       bool
	USDT, USDC    bool
	Fields        []panel.Field
}
