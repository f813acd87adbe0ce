package devchain

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common/hexutil"
)

// MaxPriorityFeePerGas is the tip with which a transaction is in the next block, in wei per gas.
func (a *ethAPI) MaxPriorityFeePerGas() *hexutil.Big { return (*hexutil.Big)(big.NewInt(defaultTip)) }

// GasPrice is base fee and tip together, for transactions that know only one price.
func (a *ethAPI) GasPrice() *hexutil.Big {
	price := new(big.Int).SetUint64(a.chain.head().baseFee)
	return (*hexutil.Big)(price.Add(price, big.NewInt(defaultTip)))
}
