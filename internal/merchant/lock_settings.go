package merchant

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
)

// NewSettings are what a waiting change sets. Its kind says which part counts.
type NewSettings struct {
	Custodian   CustodianInput
	Logo        *Logo         // an uploaded logo; nil: it stays
	Title, Text *string       // of a campaign; nil: they stay
	Old, Next   identity.Hash // of the text of a key
	Signing     secret.Text
	Reason      string // why a payment is completed by hand
	Accept      bool   // with what came, instead of in any case
	Permissions Permissions
	Sources     Sources
	Role        Role
	Member      string // e-mail address, for the audit log
}

// waitingInput is NewSettings as it is stored, sealed.
type waitingInput struct {
	Name        *string
	Wallets     map[chain.Network]string
	CallbackURL *string
	Secret      *string
	Networks    []waitingNetwork
	ShortBasis  *int64
	LateFor     *time.Duration
	KeepOver    *int64
	Repeats     *bool
	Restarts    *bool
	Offer       *bool
	Pricing     *exchange.Pricing
	Permissions []Permission
	Sources     Sources
	Role        Role
	Member      string
	Branding    *BrandingInput
	Logo        *Logo
	Title, Text *string
	Old, Next   identity.Hash
	Signing     string
	Reason      string
	Accept      bool
}

// waitingNetwork is a NetworkInput as it is stored: amounts are whole micros.
type waitingNetwork struct {
	Network                        chain.Network
	Enabled                        *bool
	Tokens                         *[]money.Token
	MinAmount, MaxAmount, SweepMin *int64
	Finality                       *string
}

func (to NewSettings) stored() waitingInput {
	in := to.Custodian
	x := waitingInput{
		Name: in.Name, Wallets: in.Wallets, CallbackURL: in.CallbackURL, ShortBasis: in.ShortBasis, LateFor: in.LateFor,
		KeepOver:    (*int64)(in.KeepOver),
		Repeats:     in.Repeats,
		Restarts:    in.Restarts,
		Offer:       in.OfferRefunds,
		Pricing:     in.Pricing,
		Permissions: to.Permissions.List(), Sources: to.Sources, Role: to.Role, Member: to.Member,
		Branding: in.Branding, Logo: to.Logo, Title: to.Title, Text: to.Text, Old: to.Old, Next: to.Next,
		Signing: to.Signing.Reveal(), Reason: to.Reason, Accept: to.Accept,
	}
	if in.Secret != nil {
		text := in.Secret.Reveal()
		x.Secret = &text
	}
	for _, n := range in.Networks {
		x.Networks = append(x.Networks, waitingNetwork{
			Network: n.Network, Enabled: n.Enabled, Tokens: n.Tokens, Finality: n.Finality,
			MinAmount: (*int64)(n.MinAmount), MaxAmount: (*int64)(n.MaxAmount), SweepMin: (*int64)(n.SweepMin),
		})
	}
	return x
}

// Settings returns what a change that is due sets.
func (w Waiting) Settings() (NewSettings, error) {
	var x waitingInput
	if err := json.Unmarshal([]byte(w.Body.Reveal()), &x); err != nil {
		return NewSettings{}, fmt.Errorf("read the change %s: %w", w.ID, err)
	}
	in := CustodianInput{
		Name: x.Name, Wallets: x.Wallets, CallbackURL: x.CallbackURL, ShortBasis: x.ShortBasis, LateFor: x.LateFor,
		KeepOver:     (*money.Micros)(x.KeepOver),
		Repeats:      x.Repeats,
		Restarts:     x.Restarts,
		OfferRefunds: x.Offer,
		Pricing:      x.Pricing,
		Branding:     x.Branding,
	}
	if x.Secret != nil {
		text := secret.New(*x.Secret)
		in.Secret = &text
	}
	for _, n := range x.Networks {
		in.Networks = append(in.Networks, NetworkInput{
			Network: n.Network, Enabled: n.Enabled, Tokens: n.Tokens, Finality: n.Finality,
			MinAmount: (*money.Micros)(n.MinAmount), MaxAmount: (*money.Micros)(n.MaxAmount),
			SweepMin: (*money.Micros)(n.SweepMin),
		})
	}
	return NewSettings{
		Custodian: in, Permissions: permissionsOf(x.Permissions), Sources: x.Sources, Role: x.Role, Member: x.Member,
		Logo: x.Logo, Title: x.Title, Text: x.Text, Old: x.Old, Next: x.Next, Signing: secret.New(x.Signing),
		Reason: x.Reason, Accept: x.Accept,
	}, nil
}
