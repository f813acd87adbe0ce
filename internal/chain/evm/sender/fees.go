package sender

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/money"
)

// gasFees is what a transaction pays for gas, in wei (EIP-1559).
type gasFees struct {
	Base *big.Int // of the newest block; the network sets it
	Tip  *big.Int // offered per gas on top
	Max  *big.Int // the most it may cost per gas
}

// gwei is 10^9 wei.
const gwei = 1_000_000_000

// tipRange is the range of a network's tips, in wei per gas. Nodes or validators
// do not take a transaction below the least, although nodes suggest less, even
// zero. After one transaction that overpaid, or by malice, a node suggests far
// too much; the most is above what a busy day takes.
func tipRange(n chain.Network) (least, most int64) {
	switch n {
	case chain.BEP20:
		return gwei / 20, gwei // the least is a convention of validators and builders
	case chain.Polygon:
		return 25 * gwei, 100 * gwei // the least is enforced by the nodes (PIP-35)
	}
	return gwei / 1000, gwei / 10
}

// fees reads what gas costs now. Max is twice the base fee plus the tip, so that
// a transaction is still valid after several full blocks, each of which raises
// the base fee by an eighth.
func (c client) fees(ctx context.Context, e *rpc.Endpoint) (gasFees, error) {
	replies, err := e.Ask(ctx, rpc.BlockByTag("latest"), rpc.NewCall("eth_maxPriorityFeePerGas"))
	if err != nil {
		return gasFees{}, err
	}
	if replies[0].Err != nil {
		return gasFees{}, rpc.CallError(replies[0].Err)
	}
	base, err := parseBaseFee(replies[0].Result)
	if err != nil {
		return gasFees{}, err
	}
	tip := larger(c.tip(replies[1]), c.pool.LeastTip())
	most := new(big.Int).Lsh(base, 1)
	return gasFees{Base: base, Tip: tip, Max: most.Add(most, tip)}, nil
}

// tip reads the answer to eth_maxPriorityFeePerGas, which not every node
// implements, and keeps it in the network's range.
func (c client) tip(r rpc.Reply) *big.Int {
	least, most := tipRange(c.profile.Network)
	tip := big.NewInt(least)
	var text string
	if r.Err != nil || json.Unmarshal(r.Result, &text) != nil {
		return tip
	}
	suggested, ok := rpc.ParseBig(text)
	switch {
	case !ok || suggested.Cmp(tip) <= 0:
		return tip
	case suggested.Cmp(big.NewInt(most)) > 0:
		return big.NewInt(most)
	}
	return suggested
}

// parseBaseFee reads the base fee of a block; 0 on a chain without base fees.
func parseBaseFee(raw []byte) (*big.Int, error) {
	var block *struct{ BaseFeePerGas *string }
	if json.Unmarshal(raw, &block) != nil || block == nil {
		return nil, rpc.Malformed("block")
	}
	if block.BaseFeePerGas == nil {
		return new(big.Int), nil
	}
	fee, ok := rpc.ParseBig(*block.BaseFeePerGas)
	if !ok {
		return nil, rpc.Malformed("base fee")
	}
	return fee, nil
}

// gasPriceOracle is the contract with the fees an OP Stack chain charges beside gas.
var gasPriceOracle = rpc.Address{0: 0x42, 19: 0x0f}

// Selectors of the oracle.
const (
	l1FeeUpperBoundSelector = "0xf1c7a58b" // getL1FeeUpperBound(uint256 unsignedTxSize), since Fjord
	operatorFeeSelector     = "0x275aedd2" // getOperatorFee(uint256 gasUsed), since Isthmus
)

// extraFee returns what Base charges beside gas, in wei, for a transaction of
// that size in bytes and that much gas: for publishing it on Ethereum and for
// the operator of the chain. A development chain has no oracle and no such fee.
func (c client) extraFee(ctx context.Context, e *rpc.Endpoint, size, gas uint64) (*big.Int, error) {
	sum := new(big.Int)
	if c.profile.Network != chain.Base {
		return sum, nil
	}
	replies, err := e.Ask(ctx,
		rpc.ContractCall(gasPriceOracle, l1FeeUpperBoundSelector+wordOf(size)),
		rpc.ContractCall(gasPriceOracle, operatorFeeSelector+wordOf(gas)))
	if err != nil {
		return nil, err
	}
	for _, r := range replies {
		if fee, ok := rpc.ParseWord(r.Result); r.Err == nil && ok {
			sum.Add(sum, fee)
		}
	}
	return sum, nil
}

// gweiDecimals is the scale of gwei in wei.
const gweiDecimals = 9

// gweiText formats a price of gas, given in wei, in gwei.
func gweiText(wei *big.Int) string { return money.NewUnits(wei).Format(gweiDecimals) }

// wordOf writes a number as an argument of a contract call.
func wordOf(v uint64) string { return fmt.Sprintf("%064x", v) }
