package views

// CustodianProps is where the money of a key goes and how its merchant is told. Each panel is a form of its own.
//
//	GET  /dashboard/custodian?key=           CustodianPage
//	POST /dashboard/custodian/name           fields key, name                                   → 303 (creates the custodian too)
//	POST /dashboard/custodian/wallets        fields key, BEP20, POLYGON, BASE, SOL, password, code
//	POST /dashboard/custodian/callback       fields key, callbackUrl, password, code
//	POST /dashboard/custodian/secret         fields key, secret, password, code
//	POST /dashboard/custodian/signing        fields key, password, code                         → 200 with NewSecret
//	POST /dashboard/custodian/ping           field key                                          → 303 with a flash that says the answer
//	POST /dashboard/custodian/networks       fields key, and for each network <NET>.enabled, .USDT, .USDC, .min, .max, .finality, .sweepMin
//	POST /dashboard/custodian/policy         fields key, shortPercent, lateHours
type CustodianProps struct {
	Dash
	// Exists: the key has a custodian.
	Exists bool
	Name   string
	// Wallets are in the order they are shown.
	Wallets     []WalletField
	CallbackURL string
	// HasSecret: a secret is set; it is never shown again. SigningSecrets is how many sign webhooks now, 0 to 2.
	HasSecret      bool
	SigningSecrets int
	// NewSecret is a signing secret that was just made; nil otherwise.
	NewSecret *NewSecret
	Networks  []NetworkField
	// ShortPercent and LateHours are the acceptance policy, plain decimals.
	ShortPercent, LateHours string
	// Code: a second factor is in force, so forms that move money or news ask for its code beside the password.
	Code bool
	// Forms are by panel: name, wallets, callback, secret, signing, networks, policy.
	Forms map[string]Form
}

// WalletField is a settlement wallet.
type WalletField struct {
	// Network is the enum value and the field's name; Address what is stored.
	Network, Address string
	// Configured: this installation offers the network. Without it the field is shown with that reason.
	Configured bool
	// Note says what a check of the address found, such as "This address is a contract"; may be empty.
	Note string
}

// NetworkField is what a merchant wants of one network.
type NetworkField struct {
	Network string
	Enabled bool
	// USDT and USDC: the token is taken.
	USDT, USDC bool
	// Min, Max and SweepMin are plain decimals in US dollars, empty for none.
	Min, Max, SweepMin string
	// Finality is empty for the network's own; FinalityHint says what that is.
	Finality, FinalityHint string
}
