package evm

import (
	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/fault"
)

// Depositor derives the deposit addresses of one EVM network: forwarders whose
// code can pay only the settlement wallet.
type Depositor struct {
	network  chain.Network
	instance [16]byte
}

var _ chain.Depositor = Depositor{}

// NewDepositor returns the depositor of an EVM network for an installation.
// The instance id keeps two installations that settle to one wallet apart; a
// different one gives different addresses.
func NewDepositor(n chain.Network, instance [16]byte) Depositor { return Depositor{n, instance} }

// DepositAddress returns the forwarder of the settlement. The zero address,
// which would burn the money, and numbers below 1 are refused.
func (d Depositor) DepositAddress(s chain.Settlement) (chain.Watched, error) {
	if s.Network != d.network {
		return chain.Watched{}, fault.New(
			fault.Internal, "a deposit address of %s was asked of %s", s.Network, d.network,
		)
	}
	if s.Number < 1 {
		return chain.Watched{}, fault.New(fault.Internal, "payment number %d", s.Number)
	}
	wallet, err := chain.ParseAddress(s.Network, string(s.Wallet))
	if err != nil {
		return chain.Watched{}, err
	}
	salt := contracts.Salt(uint64(s.Number), d.instance)
	forwarder := contracts.ForwarderAddress(contracts.FactoryAddress(), common.Address(wallet.Raw), salt)
	return chain.AddressOf(d.network, forwarder[:]), nil
}
