package payment

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
)

// Offer is a network as it is offered for one payment.
type Offer struct {
	Network chain.Network
	Profile chain.Profile
	Tokens  []money.Token
	// Reason says, for the payer, why it cannot be chosen now; empty when it can.
	Reason string
	// FinalIn is how long money usually takes to be final there.
	FinalIn time.Duration
}

// Reasons why a choice is refused.
var (
	errNetworkOff = fault.New(fault.Unprocessable, "this network is not offered for this payment").Because(fault.ReasonNetworkNotOffered)
	errNoWallet   = fault.New(fault.Unprocessable, "the merchant has no settlement wallet on this network, so it is not offered").Because(fault.ReasonNoWallet)
	errClosed     = fault.New(fault.Unprocessable, "the merchant takes no payments at the moment").Because(fault.ReasonMerchantClosed)
	errTokenOff   = fault.New(fault.Unprocessable, "this token is not offered on this network for this payment").Because(fault.ReasonTokenNotOffered)
)

// Offers lists the networks of the payment in their order. A network that cannot
// be chosen at the moment has a Reason; one that the merchant or the operator
// has not set up is left out.
func (s *Service) Offers(ctx context.Context, p Payment) ([]Offer, error) {
	terms, err := s.takerOf(ctx, p)
	if err != nil {
		return nil, err
	}
	var offers []Offer
	for _, n := range chain.Networks() {
		network, ok := s.networks.Network(n)
		if !ok {
			continue
		}
		o := Offer{Network: n, Profile: network.Profile, FinalIn: network.Profile.TypicalFinal}
		o.Tokens = terms.tokens(network, p.Amount)
		if len(o.Tokens) == 0 {
			continue
		}
		health := s.networks.Health(n)
		if health.FinalIn > 0 {
			o.FinalIn = health.FinalIn
		}
		if !health.OK {
			o.Reason = health.Reason
		}
		offers = append(offers, o)
	}
	return offers, nil
}

// offered is a choice that can be made.
type offered struct {
	network OfferedNetwork
	taker   taker
	// others are the other networks where the same address exists.
	others []OfferedNetwork
}

// offered checks that the choice can be made for the payment now: 422 for what
// is not offered, 503 for a network that is behind.
func (s *Service) offered(ctx context.Context, p Payment, choice Choice) (offered, error) {
	network, ok := s.networks.Network(choice.Network)
	if !ok {
		return offered{}, errNetworkOff
	}
	taker, err := s.takerOf(ctx, p)
	if err != nil {
		return offered{}, err
	}
	if err := taker.settlement(network, choice, p.Amount); err != nil {
		return offered{}, err
	}
	if h := s.networks.Health(choice.Network); !h.OK {
		return offered{}, fault.Retry(fault.Unavailable, retryBehind,
			"%s is not available at the moment: %s", network.Profile.Name, h.Reason)
	}
	return offered{network, taker, s.sameWallets(choice.Network)}, nil
}

// sameWallets are the other EVM networks that this installation has.
func (s *Service) sameWallets(n chain.Network) []OfferedNetwork {
	var all []OfferedNetwork
	for _, other := range chain.Networks() {
		if other == n || !n.EVM() || !other.EVM() {
			continue
		}
		if network, ok := s.networks.Network(other); ok {
			all = append(all, network)
		}
	}
	return all
}

// route returns the payment's route on the network of the choice: the one it
// has, or a new one, whose address derives from the txnid.
func (o offered) route(p Payment, choice Choice) (Route, error) {
	if i := p.route(choice.Network); i >= 0 {
		return p.Routes[i], nil
	}
	wallet := o.taker.wallet(o.network)
	address, err := o.network.Depositor.DepositAddress(
		chain.Settlement{Network: choice.Network, Wallet: wallet, PaymentID: string(p.ID), Scheme: chain.SchemeTxnID},
	)
	if err != nil {
		return Route{}, err
	}
	finality := o.taker.custodian.Networks[choice.Network].Finality
	return Route{
		Network: choice.Network, Address: address, Settlement: wallet, Scheme: chain.SchemeTxnID, Finality: finality,
		Tokens: o.taker.tokens(o.network, p.Amount), Also: o.also(wallet, p.Amount),
	}, nil
}

// tokens are those that the merchant takes on the network.
func (t taker) tokens(n OfferedNetwork, amount money.Micros) []money.Token {
	var all []money.Token
	for _, token := range money.Tokens() {
		if t.settlement(n, Choice{n.Profile.Network, token}, amount) == nil {
			all = append(all, token)
		}
	}
	return all
}

// also are the other EVM networks, with tokens, which the merchant takes at the same
// wallet: the address is the same there. One where the merchant waits longer than
// the network's own rule is left out, since money there counts by that rule.
func (o offered) also(wallet chain.Address, amount money.Micros) []Choice {
	var all []Choice
	for _, n := range o.others {
		custom := o.taker.custodian.Networks[n.Profile.Network].Finality
		if o.taker.wallet(n) != wallet || custom.Tag != "" && custom.Tag != n.Profile.Finality.Tag {
			continue
		}
		for _, token := range o.taker.tokens(n, amount) {
			all = append(all, Choice{n.Profile.Network, token})
		}
	}
	return all
}

// retryBehind is when a caller should ask again about a network that is behind.
const retryBehind = 15 * time.Second

// taker receives a payment's money: the merchant's custodian, or the operator's
// treasury for a top-up.
type taker struct {
	operator  bool
	custodian merchant.Custodian
}

func (s *Service) takerOf(ctx context.Context, p Payment) (taker, error) {
	if p.Kind == KindTopUp {
		return taker{operator: true}, nil
	}
	c, err := s.custodians.Custodian(ctx, p.KeyID)
	if err != nil {
		return taker{}, err
	}
	return taker{custodian: c}, nil
}

func (t taker) wallet(n OfferedNetwork) chain.Address {
	if t.operator {
		return n.Treasury
	}
	return t.custodian.Wallets[n.Profile.Network]
}

// settlement returns why the choice is not offered for the amount, or nil. The
// amount is 0 while it is not known.
func (t taker) settlement(n OfferedNetwork, c Choice, amount money.Micros) error {
	if _, ok := n.Profile.Asset(c.Token); !ok {
		return errTokenOff
	}
	if t.wallet(n) == "" {
		return errNoWallet
	}
	if t.operator {
		return nil
	}
	if t.custodian.Closed {
		return errClosed
	}
	options, limited := t.custodian.Networks[c.Network]
	if limited && !options.Enabled {
		return errNetworkOff
	}
	if !t.custodian.Offers(c.Network, c.Token) {
		return errTokenOff
	}
	if limited && amount > 0 && amount < options.MinAmount {
		return fault.New(fault.Unprocessable, "this network is offered from an amount of %s on", options.MinAmount).
			Because(fault.ReasonAmountNotOffered)
	}
	if limited && options.MaxAmount > 0 && amount > options.MaxAmount {
		return fault.New(fault.Unprocessable, "this network is offered up to an amount of %s", options.MaxAmount).
			Because(fault.ReasonAmountNotOffered)
	}
	return nil
}
