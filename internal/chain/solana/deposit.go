package solana

import (
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/wallet"
)

// NewDepositor returns the depositor of Solana. Its addresses are owners whose keys come from the operator's seed and
// the txnid (see wallet.Seed).
func NewDepositor(seed *wallet.Seed) chain.Depositor {
	return func(s chain.Settlement) (chain.Watched, error) { return ownerOf(seed, s) }
}

// ownerOf returns the owner for the txnid. The settlement wallet does not enter into it, but must be a valid
// address. So a payment has one owner, whatever happens to the merchant's wallet, and the wallet of the first start
// is stored with it: a payment never gets a second route on a network.
func ownerOf(seed *wallet.Seed, s chain.Settlement) (chain.Watched, error) {
	if s.Network != chain.Solana {
		return chain.Watched{}, fault.New(fault.Internal, "a deposit address of %s was asked of Solana", s.Network)
	}
	if err := s.Scheme.Check(); err != nil {
		return chain.Watched{}, err
	}
	id, err := chain.ParseTxnID(s.PaymentID)
	if err != nil {
		return chain.Watched{}, err
	}
	if _, err := parseKey(string(s.Wallet)); err != nil {
		return chain.Watched{}, err
	}
	return seed.DepositAddress(id), nil
}
