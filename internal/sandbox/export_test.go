package sandbox

import (
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/sandbox/devsol"
)

// Chain is the development chain of an EVM network.
func (s *Sandbox) Chain(n chain.Network) *devchain.Chain { return s.chains[n] }

// Ledger is the development ledger of Solana.
func (s *Sandbox) Ledger() *devsol.Ledger { return s.sol }
