package main

import (
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/sandbox/devsol"
	"github.com/florinpay/florin/views/sandbox"
)

// Chain is the development chain of an EVM network.
func (s *Sandbox) Chain(n chain.Network) *devchain.Chain { return s.chains[n] }

// Ledger is the development ledger of Solana.
func (s *Sandbox) Ledger() *devsol.Ledger { return s.sol }

// Received returns the webhooks of one payment that the inbox has.
func (s *Sandbox) Received(txnid string) []sandbox.Delivery {
	return slices.DeleteFunc(s.inbox.Deliveries(), func(d sandbox.Delivery) bool { return d.TxnID != txnid })
}
