package payment

import (
	"context"
	"errors"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
)

// CheckAmount refuses, with fault.Unprocessable, an amount that the key's own limits and switches exclude on every
// network: nobody could pay it, and the shop can still act. It fails with merchant.ErrNoCustodian.
func (s *Service) CheckAmount(ctx context.Context, keyID int64, amount money.Micros) error {
	c, err := s.custodians.Custodian(ctx, keyID)
	if err != nil {
		return err
	}
	return s.excludes(c, amount)
}

// excludes returns why the merchant's limits and switches exclude the amount on every network, or nil. What has no
// wallet counts only where nothing has one: a wallet that is missing is no limit.
func (s *Service) excludes(c merchant.Custodian, amount money.Micros) error {
	var bounds fault.Words
	none := true
	for _, n := range s.settled(c) {
		why, excluded := excludes(c, n, amount)
		if !excluded {
			return nil
		}
		if bounds = fault.Text("%s, %s", bounds, why); none {
			bounds = why
		}
		none = false
	}
	if none {
		return nil
	}
	return fault.About(fault.Unprocessable, "amount", "is taken on no network: %s", bounds).
		Because(fault.ReasonAmountNotOffered)
}

// settled are the networks of this installation on which the merchant has a wallet; all of them if there is none.
func (s *Service) settled(c merchant.Custodian) []OfferedNetwork {
	var all, settled []OfferedNetwork
	for _, n := range chain.Networks() {
		network, ok := s.networks.Network(n)
		if !ok {
			continue
		}
		all = append(all, network)
		if c.Wallets[n] != "" {
			settled = append(settled, network)
		}
	}
	if len(settled) == 0 {
		return all
	}
	return settled
}

// excludes says why the merchant's options exclude the amount on the network, with their bounds; empty if they do not.
func excludes(c merchant.Custodian, n OfferedNetwork, amount money.Micros) (why fault.Words, excluded bool) {
	name := n.Profile.Network
	o, limited := c.Networks[n.Profile.Network]
	switch {
	case !limited:
		return why, false
	case !o.Enabled:
		return fault.Text("%s is switched off", name), true
	case amount >= o.MinAmount && (o.MaxAmount == 0 || amount <= o.MaxAmount):
		return why, false
	case o.MinAmount == 0:
		return fault.Text("%s takes at most %s", name, o.MaxAmount), true
	case o.MaxAmount == 0:
		return fault.Text("%s takes at least %s", name, o.MinAmount), true
	}
	return fault.Text("%s takes %s to %s", name, o.MinAmount, o.MaxAmount), true
}

// obstacles says what stands in the way of every payer of payments to the custodian: no wallet where there is a
// network, or nothing left to pay a start with. A payment is created all the same, since the merchant can mend it until
// it is paid. A network that cannot be read at the moment is no obstacle.
func (s *Service) obstacles(ctx context.Context, keyID int64, c merchant.Custodian) ([]fault.Warning, error) {
	balance, err := s.custodians.Balance(ctx, keyID)
	if err != nil {
		return nil, err
	}
	var list []fault.Warning
	networks := s.settled(c)
	switch {
	case c.Closed:
		list = append(list, fault.Warn("apiKey", "the operator has closed this account, so nobody can pay yet"))
	case len(networks) == 0:
		list = append(list, fault.Warn("network", "no network is set up on this server, so nobody can pay yet"))
	case c.Wallets[networks[0].Profile.Network] == "":
		list = append(list, fault.Warn("wallets", "the custodian has no settlement wallet on a network of this server, "+
			"so nobody can pay yet: give one with updateCustodianDetails, or under Payouts"))
	}
	if s.opts.Meter.Affords(balance, ledger.Credit) != nil {
		list = append(list, fault.Warn("apiKey", "the key has no credits left, so nobody can pay yet: buy credits"))
	}
	return list, nil
}

// Blocked reports whether nobody can pay the payment until its merchant mends something. A payment that is started, or
// that goes to the operator, is not blocked.
func (s *Service) Blocked(ctx context.Context, p Payment) (bool, error) {
	if p.Kind == KindTopUp || p.Status != Pending {
		return false, nil
	}
	c, err := s.custodians.Custodian(ctx, p.KeyID)
	switch {
	case errors.Is(err, merchant.ErrNoCustodian):
		return true, nil // it had one once
	case err != nil:
		return false, err
	case s.excludes(c, p.Amount) != nil:
		return true, nil //nolint:nilerr // the refusal is for who creates one
	}
	list, err := s.obstacles(ctx, p.KeyID, c)
	return len(list) > 0, err
}
