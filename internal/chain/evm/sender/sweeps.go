package sender

import (
	"context"
	"fmt"
	"math/big"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/money"
)

// Config configures the sweeps of one network.
type Config struct {
	Signer Signer
	// MaxPrice is the most one unit of gas may cost, in wei, base fee and tip
	// together; zero takes DefaultMaxPrice. Sweeps wait while it costs more.
	MaxPrice money.Units
}

// Sweeps moves money from the deposit addresses of one EVM network by calling
// the factory's sweep. It is safe for concurrent use.
type Sweeps struct {
	*tracker
	signer   Signer
	maxPrice *big.Int
}

var _ chain.SweepSender = (*Sweeps)(nil)

// NewSweeps returns the sweep sender of the adapter's network.
func NewSweeps(a *evm.Adapter, c Config) *Sweeps {
	price := c.MaxPrice
	if price.IsZero() {
		price = DefaultMaxPrice(a.Network())
	}
	return &Sweeps{tracker: newTracker(a), signer: c.Signer, maxPrice: price.Big()}
}

// DefaultMaxPrice is the most a unit of gas may cost, in wei, unless the
// operator says otherwise: far above an ordinary day, and low enough that one
// payment's share stays below some cents.
func DefaultMaxPrice(n chain.Network) money.Units {
	if n == chain.BEP20 {
		return money.UnitsFromUint64(3 * gwei) // usual: 0.05
	}
	if n == chain.Polygon {
		return money.UnitsFromUint64(1_500 * gwei) // usual: 30 to 300
	}
	return money.UnitsFromUint64(gwei / 2) // Base; usual: 0.006
}

// Network names the network it sweeps.
func (s *Sweeps) Network() chain.Network { return s.profile.Network }

// wallet is the gas wallet.
func (s *Sweeps) wallet() chain.Address { return s.text(rpc.Address(s.signer.Address())) }

// GasWallet returns what the gas wallet holds.
func (s *Sweeps) GasWallet(ctx context.Context) (chain.GasWallet, error) {
	var acc rpc.Account
	err := s.pool.Do(ctx, func(ctx context.Context, e *rpc.Endpoint) (err error) {
		acc, err = rpc.ReadAccount(ctx, e, s.signer.Address())
		return err
	})
	if err != nil {
		return chain.GasWallet{}, fmt.Errorf("gas wallet on %s: %w", s.Network(), err)
	}
	return chain.GasWallet{Address: s.wallet(), Balance: money.NewUnits(acc.Balance)}, nil
}

// Broadcast sends the signed bytes to every available endpoint.
func (s *Sweeps) Broadcast(ctx context.Context, a chain.Attempt) error {
	return s.broadcastToAll(ctx, a.Tx, a.Raw)
}

// final returns the newest block whose sweeps count as done: the newest final
// one by the network's rule, if that rule is a tag of the chain. A rule in
// seconds is a risk the operator takes for single payments; a sweep moves many,
// so for it the chain's own finality counts.
func (s *Sweeps) final(h chain.Heads) chain.Head {
	if s.profile.Finality.Depth > 0 {
		return h.Finalized
	}
	return h.Final
}
