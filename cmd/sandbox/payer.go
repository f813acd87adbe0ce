package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store"
)

// Act is a way of paying a payment with test money.
type Act string

// Ways of paying.
const (
	Exactly    Act = "exactly"
	Short      Act = "short"
	Over       Act = "over"
	Late       Act = "late"
	WrongToken Act = "wrong-token"
	OtherChain Act = "other-chain"
	Reorg      Act = "reorg"
)

const (
	shortBy money.Micros = 370_000
	overBy  money.Micros = 1_100_000
)

// Payer pays payments on the development chains, correctly or with the mistakes that customers make.
type Payer struct {
	faucets map[chain.Network]faucet
	store   *store.Store
}

// Pay performs the act and returns one sentence about it.
func (p *Payer) Pay(ctx context.Context, id payment.ID, act Act) (string, error) {
	x, err := p.store.Payment(ctx, id)
	if err != nil {
		return "", err
	}
	route, ok := x.Route()
	if !ok {
		return "", fault.New(fault.Conflict, "this payment ended before a network was chosen, so it has no address")
	}
	due := x.Due()
	switch act {
	case Exactly:
		return p.send(ctx, route, x.Choice, due)
	case Short:
		if due <= shortBy {
			return p.send(ctx, route, x.Choice, max(due/2, 1))
		}
		return p.send(ctx, route, x.Choice, due-shortBy)
	case Over:
		return p.send(ctx, route, x.Choice, due+overBy)
	case Late:
		if err := p.end(ctx, x); err != nil {
			return "", err
		}
		return p.send(ctx, route, x.Choice, due)
	case WrongToken:
		return p.wrongToken(ctx, route, x.Choice, due)
	case OtherChain:
		return p.elsewhere(ctx, route, x.Choice, due)
	case Reorg:
		return p.reorg(route)
	}
	return "", fault.New(fault.Invalid, "how must be one of exactly, short, over, late, wrong-token, other-chain, reorg")
}

func (p *Payer) send(ctx context.Context, r payment.Route, c payment.Choice, amount money.Micros) (string, error) {
	from, err := p.faucet(c.Network)
	if err != nil {
		return "", err
	}
	tx, err := from.pay(ctx, c.Token, r.Address.Address, amount)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Sent %s %s on %s in %s.", amount.Display(), c.Token, c.Network, tx), nil
}

// wrongToken sends the other stablecoin, which counts where the merchant takes it, and a counterfeit, which is not
// even shown.
func (p *Payer) wrongToken(
	ctx context.Context, r payment.Route, c payment.Choice, amount money.Micros,
) (string, error) {
	from, err := p.faucet(r.Network)
	if err != nil {
		return "", err
	}
	other := money.USDT
	if c.Token == money.USDT {
		other = money.USDC
	}
	if err := from.counterfeit(ctx, r.Address.Address, amount); err != nil {
		return "", err
	}
	if _, err := p.send(ctx, r, payment.Choice{Network: c.Network, Token: other}, amount); err != nil {
		return "", err
	}
	return fmt.Sprintf("Sent %s %s instead of %s, and as much of a counterfeit USDT.", amount.Display(), other, c.Token), nil
}

// elsewhere pays the same address on another EVM network, which counts where the merchant takes it at the same wallet.
func (p *Payer) elsewhere(ctx context.Context, r payment.Route, c payment.Choice, amount money.Micros) (string, error) {
	for _, n := range chain.Networks() {
		if n != r.Network && n.EVM() && r.Network.EVM() {
			return p.send(ctx, r, payment.Choice{Network: n, Token: c.Token}, amount)
		}
	}
	return "", fault.New(fault.Unprocessable, "an address of %s exists on no other network", r.Network)
}

func (p *Payer) reorg(r payment.Route) (string, error) {
	on, err := p.faucet(r.Network)
	if err != nil {
		return "", err
	}
	depth, err := on.reorg()
	if err != nil {
		return "", fmt.Errorf("replace blocks of %s: %w", r.Network, err)
	}
	return fmt.Sprintf("Replaced the newest %d blocks of %s. Payments in them are gone.", depth, r.Network), nil
}

// end makes the payment expire now.
func (p *Payer) end(ctx context.Context, x payment.Payment) error {
	_, err := p.store.UpdatePayment(ctx, x.ID, func(x payment.Payment) (payment.Change, error) {
		now := time.Now().UTC()
		if x.Status.Final() {
			return payment.Change{Payment: x}, nil
		}
		x.ExpiresAt = now
		seen := payment.Coverage{}
		for _, r := range x.Routes {
			seen[r.Network] = now
		}
		return x.Expire(seen, now)
	})
	return err
}

func (p *Payer) faucet(n chain.Network) (faucet, error) {
	if from, ok := p.faucets[n]; ok {
		return from, nil
	}
	return nil, errors.New("the sandbox runs no chain for " + string(n))
}
