package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// Act is one way to pay a payment with test money.
type Act string

// The acts.
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

// Ledger is what the payer changes of a payment to have it end early.
type Ledger interface {
	Payment(ctx context.Context, id payment.ID) (payment.Payment, error)
	UpdatePayment(ctx context.Context, id payment.ID, decide func(payment.Payment) (payment.Change, error)) (payment.Payment, error)
}

// Payer pays payments on the development chains as a customer would, and as
// customers should not.
type Payer struct {
	purses map[chain.Network]purse
	ledger Ledger
}

// Pay does the act and returns one sentence about what it did.
func (p *Payer) Pay(ctx context.Context, id payment.ID, act Act) (string, error) {
	x, err := p.ledger.Payment(ctx, id)
	if err != nil {
		return "", err
	}
	route, ok := x.Route()
	if !ok {
		return "", fault.New(fault.Conflict, "open the payment's link and choose a network first; then it can be paid here")
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
	from, err := p.purse(c.Network)
	if err != nil {
		return "", err
	}
	tx, err := from.pay(ctx, c.Token, r.Address.Address, amount)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Sent %s %s on %s in %s.", amount.Display(), c.Token, c.Network, tx), nil
}

// wrongToken sends the stablecoin that was not asked for, which is shown but
// does not count, and a counterfeit, which is not even shown.
func (p *Payer) wrongToken(ctx context.Context, r payment.Route, c payment.Choice, amount money.Micros) (string, error) {
	from, err := p.purse(r.Network)
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

// elsewhere pays the same address on another EVM network.
func (p *Payer) elsewhere(ctx context.Context, r payment.Route, c payment.Choice, amount money.Micros) (string, error) {
	for _, n := range chain.Networks() {
		if n != r.Network && n.EVM() && r.Network.EVM() {
			return p.send(ctx, r, payment.Choice{Network: n, Token: c.Token}, amount)
		}
	}
	return "", fault.New(fault.Unprocessable, "an address of %s exists on no other network", r.Network)
}

func (p *Payer) reorg(r payment.Route) (string, error) {
	on, err := p.purse(r.Network)
	if err != nil {
		return "", err
	}
	depth, err := on.reorg()
	if err != nil {
		return "", fmt.Errorf("replace blocks of %s: %w", r.Network, err)
	}
	return fmt.Sprintf("Replaced the newest %d blocks of %s. What was paid in them is gone.", depth, r.Network), nil
}

// end lets the payment's time run out now.
func (p *Payer) end(ctx context.Context, x payment.Payment) error {
	_, err := p.ledger.UpdatePayment(ctx, x.ID, func(x payment.Payment) (payment.Change, error) {
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

func (p *Payer) purse(n chain.Network) (purse, error) {
	if from, ok := p.purses[n]; ok {
		return from, nil
	}
	return nil, errors.New("the sandbox runs no chain for " + string(n))
}
