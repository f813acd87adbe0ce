package solana

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/wallet"
)

// SenderConfig configures sweeps on Solana.
type SenderConfig struct {
	Gas  *wallet.Solana // pays fees, and signs for that
	Seed *wallet.Seed   // derives the owners of deposit accounts, who sign every transfer out of them
	// MaxPrice is the highest price of one compute unit, in micro-lamports; 0 is DefaultMaxPrice. Sweeps wait
	// while the price is higher.
	MaxPrice uint64
}

const (
	// DefaultMaxPrice makes a sweep of five deposits cost less than a tenth of a cent's worth of SOL on an
	// ordinary day, and some cents at most.
	DefaultMaxPrice = 2_000_000
	// SweepBatch is how many deposits to one settlement wallet fit a transaction of 1,232 bytes: each adds a
	// signature and two accounts. With different wallets fewer fit.
	SweepBatch = 5
	// maxTransaction is the size limit in bytes of a transaction of the legacy version: one packet of the
	// cluster.
	maxTransaction = 1_232
)

// Sender sweeps the deposit accounts of Solana. A transaction moves the recorded amount of each account to
// the settlement wallet's associated account, which it creates if there is none. It carries out all items or none.
// Accounts that are empty afterwards are closed by another transaction (CloseEmptied).
//
// Its invariant: money that is not recorded stays where it is, so that a closed account has no unrecorded
// transfer in its history.
type Sender struct {
	adapter  *Adapter
	gas      *wallet.Solana
	seed     *wallet.Seed
	maxPrice uint64
}

var _ chain.SweepSender = (*Sender)(nil)

// SweepsAddress returns the address that every sweep of the seed's deposits names, so that sweeps are found however
// often the gas wallet changes. No payment has it.
func SweepsAddress(seed *wallet.Seed) chain.Address { return seed.SweepsAddress().Address }

// NewSender returns the sender of the adapter's cluster.
func NewSender(a *Adapter, c SenderConfig) *Sender {
	if c.MaxPrice == 0 {
		c.MaxPrice = DefaultMaxPrice
	}
	return &Sender{adapter: a, gas: c.Gas, seed: c.Seed, maxPrice: c.MaxPrice}
}

// Network names the network it sweeps.
func (s *Sender) Network() chain.Network { return s.adapter.profile.Network }

func (s *Sender) payer() solanago.PublicKey { return s.gas.PublicKey() }

// GasWallet returns the address and the balance of the gas wallet.
func (s *Sender) GasWallet(ctx context.Context) (chain.GasWallet, error) {
	var lamports uint64
	err := s.adapter.pool.do(ctx, func(ctx context.Context, e *endpoint) error {
		got, _, err := e.Accounts(ctx, []solanago.PublicKey{s.payer()}, 0)
		if err == nil && got[0] != nil {
			lamports = got[0].Lamports
		}
		return err
	})
	if err != nil {
		return chain.GasWallet{}, fmt.Errorf("gas wallet on %s: %w", s.Network(), err)
	}
	return chain.GasWallet{Address: chain.Address(s.payer().String()), Balance: money.UnitsFromUint64(lamports)}, nil
}

// Broadcast sends the signed bytes to every available endpoint, since some do not forward what they accept.
// One that accepts them is enough. An attempt that is in a block already, or has expired, causes no error.
func (s *Sender) Broadcast(ctx context.Context, a chain.Attempt) error {
	return s.adapter.broadcast(ctx, a)
}

func (a *Adapter) broadcast(ctx context.Context, at chain.Attempt) error {
	var failed []error
	taken := false
	for _, e := range a.pool.ready() {
		err := a.pool.try(ctx, e, func(ctx context.Context, e *endpoint) error { return e.offer(ctx, at) })
		if err != nil {
			failed = append(failed, fmt.Errorf("%s %w", e.Name, err))
		}
		taken = taken || err == nil
	}
	switch {
	case taken:
		return nil
	case len(failed) == 0:
		return chain.ErrNoEndpoint
	}
	return fmt.Errorf("broadcast %s on %s: %w", at.Tx, a.profile.Network, errors.Join(failed...))
}

// offer sends signed bytes to one node. A node that has them already may refuse them, and one that does not know
// their blockhash may be behind, or they have expired: Track finds out. After any other refusal the node's status of
// the signature decides, not the text of the error.
func (e *endpoint) offer(ctx context.Context, a chain.Attempt) error {
	var signature string
	err := e.Ask(ctx, &signature, "sendTransaction", base64.StdEncoding.EncodeToString(a.Raw),
		rpc.Options{"encoding": "base64", "skipPreflight": true})
	switch {
	case err == nil && signature != string(a.Tx):
		return rpc.Malformed("sendTransaction")
	case rpc.CodeOf(err) == 0:
		return err
	case rpc.Harmless(err):
		return nil
	}
	statuses, asked := e.Statuses(ctx, []string{string(a.Tx)})
	if asked == nil && statuses[string(a.Tx)] != nil {
		return nil
	}
	return err
}
