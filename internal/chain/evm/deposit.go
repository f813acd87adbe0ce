package evm

import (
	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/fault"
)

// Depositor derives the deposit addresses of one EVM network: forwarders whose
// code can pay only the settlement wallet.
type Depositor struct{ network chain.Network }

var _ chain.Depositor = Depositor{}

// NewDepositor returns the depositor of an EVM network.
func NewDepositor(n chain.Network) Depositor { return Depositor{n} }

// DepositAddress returns the forwarder of the settlement: a function of txnid
// and settlement wallet alone, the same on every EVM network. The zero address,
// which would burn the money, is refused.
func (d Depositor) DepositAddress(s chain.Settlement) (chain.Watched, error) {
	if s.Network != d.network {
		return chain.Watched{}, fault.New(
			fault.Internal, "a deposit address of %s was asked of %s", s.Network, d.network,
		)
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
	forwarder := contracts.ForwarderAddress(
		contracts.FactoryAddress(), common.Address(wallet.Raw), contracts.Salt(id),
	)
	return chain.AddressOf(d.network, forwarder[:]), nil
}
