package devchain

import (
	"cmp"
	"errors"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/rpc"
)

// MaxPriorityFeePerGas is the tip with which a transaction is in the next block, in wei per gas.
func (a *ethAPI) MaxPriorityFeePerGas() *hexutil.Big { return (*hexutil.Big)(big.NewInt(defaultTip)) }

// GasPrice is base fee and tip together, for transactions that know only one price.
func (a *ethAPI) GasPrice() *hexutil.Big {
	price := new(big.Int).SetUint64(a.chain.head().baseFee)
	return (*hexutil.Big)(price.Add(price, big.NewInt(defaultTip)))
}

// feeHistory is what blocks cost, oldest first, with the base fee of the one after them.
type feeHistory struct {
	OldestBlock  hexutil.Uint64   `json:"oldestBlock"`
	BaseFee      []hexutil.Uint64 `json:"baseFeePerGas"`
	GasUsedRatio []float64        `json:"gasUsedRatio"`
	Reward       [][]*hexutil.Big `json:"reward,omitempty"`
}

// maxFeeBlocks is the most blocks of one answer.
const maxFeeBlocks = 1024

// FeeHistory returns the fees of the blocks that end with the last: base fees, how full they were, and for each of
// the percentiles of gas the tip that was paid.
func (a *ethAPI) FeeHistory(count math.HexOrDecimal64, last rpc.BlockNumber, percentiles []float64) (
	*feeHistory, error,
) {
	b, err := a.block(rpc.BlockNumberOrHashWithNumber(last))
	if err != nil {
		return nil, err
	}
	outside := func(percentile float64) bool { return percentile < 0 || percentile > 100 }
	if !slices.IsSorted(percentiles) || slices.ContainsFunc(percentiles, outside) {
		return nil, errors.New("invalid reward percentile")
	}
	next := newBlock(b, a.chain.rules, b.time+1, 0)
	history := &feeHistory{BaseFee: []hexutil.Uint64{hexutil.Uint64(next.baseFee)}, GasUsedRatio: []float64{}}
	for range min(count, maxFeeBlocks) {
		history.OldestBlock = hexutil.Uint64(b.number)
		history.BaseFee = append(history.BaseFee, hexutil.Uint64(b.baseFee))
		history.GasUsedRatio = append(history.GasUsedRatio, float64(b.header().GasUsed)/blockGasLimit)
		if len(percentiles) > 0 {
			history.Reward = append(history.Reward, b.tips(percentiles))
		}
		if b = b.parent; b == nil {
			break
		}
	}
	slices.Reverse(history.BaseFee)
	slices.Reverse(history.GasUsedRatio)
	slices.Reverse(history.Reward)
	return history, nil
}

// tips are those that the percentiles of a block's gas paid, cheapest first; zero in an empty block.
func (b *block) tips(percentiles []float64) []*hexutil.Big {
	type paid struct {
		tip *big.Int
		gas uint64
	}
	baseFee, total := new(big.Int).SetUint64(b.baseFee), uint64(0)
	var all []paid
	for i, tx := range b.transactions() {
		gas := b.receipts()[i].GasUsed
		all = append(all, paid{tipOf(tx, baseFee), gas})
		total += gas
	}
	slices.SortFunc(all, func(a, b paid) int { return a.tip.Cmp(b.tip) })
	tips := make([]*hexutil.Big, len(percentiles))
	for i, percentile := range percentiles {
		tips[i] = new(hexutil.Big)
		sum := uint64(0)
		for _, p := range all {
			tips[i] = (*hexutil.Big)(p.tip)
			if sum += p.gas; cmp.Compare(float64(sum), float64(total)*percentile/100) >= 0 {
				break
			}
		}
	}
	return tips
}
