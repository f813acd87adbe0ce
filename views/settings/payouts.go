package settings

import (
	"slices"

	"github.com/florinpay/florin/views/panel"
)

// PayoutsProps is where the money of a key settles, and what counts as paid.
type PayoutsProps struct {
	panel.Frame

	Key      panel.KeyChoice
	HasKey   bool
	Exists   bool
	Problem  string // of the wallets
	Money    []panel.Field
	Password panel.Field
	Networks []NetworkForm
	// Locked: the owners locked the account. LockReauth is the re-authentication of
	// the forms that change that, Waiting the changes that wait for 24 hours.
	Locked      bool
	LockProblem string
	LockReauth  panel.Reauth
	Waiting     []WaitingRow
	Policy      []panel.Field
	// Repeats: references repeat by design. RepeatsStored is its check box as it is stored.
	Repeats       bool
	RepeatsStored panel.Field
	// Restarts: customers may start expired orders again.
	Restarts       bool
	RestartsStored panel.Field
	// Offer: payers are offered refunds. OfferStored is its check box as it is stored.
	Offer       bool
	OfferStored panel.Field
	Pricing     []panel.Field
	// OptionsPassword is the re-authentication for Networks and Policy.
	OptionsPassword panel.Field
	OptionsProblem  string
}

// NetworkForm is the options of one network.
type NetworkForm struct {
	Network, Name string
	Enabled       bool
	Tokens        []TokenBox
	Stored        []panel.Field // the check boxes as they are stored
	Fields        []panel.Field
}

// TokenBox is whether a network offers a token.
type TokenBox struct {
	Token   string
	Offered bool
}

// limited reports whether any limit is set or refused, so that it must be seen.
func (n NetworkForm) limited() bool {
	return slices.ContainsFunc(n.Fields, func(f panel.Field) bool { return f.Value != "" || f.Problem != "" })
}

// priced reports whether the merchant wants anything of the rates of his prices, or entered what is wrong.
func (p PayoutsProps) priced() bool {
	for _, f := range p.Pricing {
		if f.Problem != "" || f.Value != "" && f.Name != "rateOf" {
			return true
		}
	}
	return false
}
