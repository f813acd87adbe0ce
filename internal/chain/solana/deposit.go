package solana

import (
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/wallet"
)

// Depositor derives the deposit addresses of Solana: owners whose keys come
// from the operator's seed (SLIP-0010, m/44'/501'/n'/0').
type Depositor struct{ seed *wallet.Seed }

var _ chain.Depositor = Depositor{}

// NewDepositor returns the depositor of a seed.
func NewDepositor(seed *wallet.Seed) Depositor { return Depositor{seed} }

// DepositAddress returns the owner for the payment number. The settlement wallet does not enter into it, but
// must be a valid address.
func (d Depositor) DepositAddress(s chain.Settlement) (chain.Watched, error) {
	if s.Network != chain.Solana {
		return chain.Watched{}, fault.New(
			fault.Internal, "a deposit address of %s was asked of %s", s.Network, chain.Solana,
		)
	}
	if s.Number < 1 {
		return chain.Watched{}, fault.New(fault.Internal, "payment number %d", s.Number)
	}
	if _, err := parseKey(string(s.Wallet)); err != nil {
		return chain.Watched{}, err
	}
	return d.seed.DepositAddress(s.Number)
}
