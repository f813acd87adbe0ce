package sender

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/money"
)

// Signer signs with the key of the gas wallet without showing it.
type Signer interface {
	Address() common.Address
	SignTx(tx *types.Transaction, chainID *big.Int) (*types.Transaction, error)
}

// client prices and broadcasts transactions through the endpoints of one
// network.
type client struct {
	reader  *evm.Adapter
	pool    *rpc.Pool
	profile chain.Profile
}

func newClient(a *evm.Adapter) client { return client{a, a.Pool(), a.Profile()} }

// text returns an address with its checksum (EIP-55).
func (c client) text(raw rpc.Address) chain.Address {
	return chain.AddressOf(c.profile.Network, raw[:]).Address
}

// coins formats an amount of the native coin, given in wei, with its name.
func (c client) coins(wei *big.Int) string {
	return money.NewUnits(wei).Format(c.profile.Network.CoinDecimals()) + " " + c.profile.Coin
}

func (c client) chainID() *big.Int { return new(big.Int).SetUint64(c.profile.ChainID) }

func txHash(tx *types.Transaction) chain.TxHash { return chain.TxHash(rpc.Hash(tx.Hash()).String()) }
