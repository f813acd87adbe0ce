package settings

import "github.com/florinpay/florin/views/panel"

// CustodianProps is where the money of a key settles, and how its owner is notified.
type CustodianProps struct {
	panel.Frame

	Key       panel.KeyChoice
	HasKey    bool
	Exists    bool
	Problem   string // of the first form
	Money     []panel.Field
	Password  panel.Field
	Secret    panel.Field
	SecretSet bool
	// SecretReauth is the re-authentication of the forms about webhook secrets.
	SecretReauth panel.Reauth
	// Signing is a new signing secret. It is shown once.
	Signing      string
	SigningCount int
	Networks     []NetworkForm
	// Locked: the owners locked the account. LockReauth is the re-authentication of
	// the forms that change that, Waiting the changes that wait for 24 hours.
	Locked      bool
	LockProblem string
	LockReauth  panel.Reauth
	Waiting     []WaitingRow
	Policy      []panel.Field
	// OptionsPassword is the re-authentication for Networks and Policy.
	OptionsPassword panel.Field
	// OptionsProblem and SecretProblem belong to the forms below.
	OptionsProblem, SecretProblem string
}

// NetworkForm is the options of one network.
type NetworkForm struct {
	Network, Name string
	Enabled       bool
	USDT, USDC    bool
	Fields        []panel.Field
}
