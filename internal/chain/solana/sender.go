package solana

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"

	"github.com/florinpay/florin/internal/wallet"
)

// Signer is the gas wallet: it pays fees and signs the message of a
// transaction.
type Signer interface {
	PublicKey() [solanago.PublicKeyLength]byte
	Sign(message []byte) [solanago.SignatureLength]byte
}

// Vault derives the owners of deposit accounts, who must sign what leaves
// them: wallet.Seed.
type Vault interface {
	Keys
	// Deposit returns the n-th deposit key.
	Deposit(n int64) (*wallet.Solana, error)
}

// SenderConfig says how Solana is swept.
type SenderConfig struct {
	Gas   Signer
	Vault Vault
	// MaxPrice is the most one unit of compute may cost, in micro-lamports;
	// 0 is DefaultMaxPrice. Sweeps wait while it costs more.
	MaxPrice uint64
}

const (
	// DefaultMaxPrice makes a sweep of five deposits cost less than a tenth of
	// a cent's worth of SOL on an ordinary day, and some cents at the most.
	DefaultMaxPrice = 2_000_000
	// SweepBatch is how many deposits to one settlement wallet fit a
	// transaction: each brings a signature and two accounts into its 1,232
	// bytes. Those to different wallets need more, and fewer fit.
	SweepBatch = 5
	// maxTransaction is what fits a packet of the cluster, for transactions of
	// the legacy version.
	maxTransaction = 1_232
)

// Sender sweeps the deposit accounts of Solana. A transaction moves what is
// recorded on each account to the settlement wallet's associated account,
// which it makes if there is none, and closes accounts that are empty then;
// their rent goes to the gas wallet. It carries all items or none.
//
// Its invariant: money that is not recorded stays where it is, so that an
// account that is gone has nothing in its history that was not seen.
type Sender struct {
	adapter  *Adapter
	gas      Signer
	vault    Vault
	maxPrice uint64
}

var _ chain.SweepSender = (*Sender)(nil)

// NewSender returns the sender of the adapter's cluster.
func NewSender(a *Adapter, c SenderConfig) *Sender {
	if c.MaxPrice == 0 {
		c.MaxPrice = DefaultMaxPrice
	}
	return &Sender{adapter: a, gas: c.Gas, vault: c.Vault, maxPrice: c.MaxPrice}
}

// Network names the network it sweeps.
func (s *Sender) Network() chain.Network { return s.adapter.profile.Network }

func (s *Sender) payer() solanago.PublicKey { return s.gas.PublicKey() }

// Gas tells what the gas wallet holds.
func (s *Sender) GasWallet(ctx context.Context) (chain.GasWallet, error) {
	var lamports uint64
	err := s.adapter.pool.do(ctx, func(ctx context.Context, e *endpoint) error {
		got, _, err := e.accounts(ctx, []solanago.PublicKey{s.payer()}, 0)
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

// Broadcast gives the signed bytes to every endpoint that can be asked: some
// do not pass on what they are given. One that takes them is enough. What is
// in a block already, or can be in none any more, is dropped without a word.
func (s *Sender) Broadcast(ctx context.Context, a chain.Attempt) error {
	var failed []error
	taken := false
	for _, e := range s.adapter.pool.ready() {
		err := s.adapter.pool.try(ctx, e, func(ctx context.Context, e *endpoint) error { return e.offer(ctx, a) })
		if err != nil {
			failed = append(failed, fmt.Errorf("%s %w", e.name, err))
		}
		taken = taken || err == nil
	}
	switch {
	case taken:
		return nil
	case len(failed) == 0:
		return chain.ErrNoEndpoint
	}
	return fmt.Errorf("broadcast %s on %s: %w", a.Tx, s.Network(), errors.Join(failed...))
}

// offer gives signed bytes to one node. One that has them already may refuse
// them, which is no refusal: whether it has them is asked, not guessed from
// the text of its error.
func (e *endpoint) offer(ctx context.Context, a chain.Attempt) error {
	var signature string
	err := e.ask(ctx, &signature, "sendTransaction", base64.StdEncoding.EncodeToString(a.Raw),
		options{"encoding": "base64", "skipPreflight": true})
	switch {
	case err == nil && signature != string(a.Tx):
		return malformed("sendTransaction")
	case code(err) == 0:
		return err
	}
	statuses, asked := e.statuses(ctx, []string{string(a.Tx)})
	if asked == nil && statuses[string(a.Tx)] != nil {
		return nil
	}
	return err
}
