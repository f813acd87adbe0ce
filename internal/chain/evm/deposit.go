package evm

import (
	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/fault"
)

// NewDepositor returns the depositor of an EVM network. Its addresses are forwarders, whose code can pay only the
// settlement wallet.
func NewDepositor(n chain.Network) chain.Depositor {
	return func(s chain.Settlement) (chain.Watched, error) { return forwarder(n, s) }
}

// forwarder returns the forwarder of the settlement: a function of txnid
// and settlement wallet alone, the same on every EVM network. The zero address,
// which would burn the money, is refused.
func forwarder(n chain.Network, s chain.Settlement) (chain.Watched, error) {
	if s.Network != n {
		return chain.Watched{}, fault.New(fault.Internal, "a deposit address of %s was asked of %s", s.Network, n)
	}
	if err := s.Scheme.Check(); err != nil {
		return chain.Watched{}, err
	}
	id, err := chain.ParseTxnID(s.PaymentID)
	if err != nil {
		return chain.Watched{}, err
	}
	wallet, err := chain.ParseAddress(s.Network, string(s.Wallet))
	if err != nil {
		return chain.Watched{}, err
	}
	at := contracts.ForwarderAddress(contracts.FactoryAddress(), common.Address(wallet.Raw), contracts.Salt(id))
	return chain.AddressOf(n, at[:]), nil
}
