package sender

import (
	"context"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/fault"
)

const (
	// maxTxGas is the most gas one transaction may use on any of the networks
	// (EIP-7825).
	maxTxGas = 1 << 24
	// gasMargin is added to an estimate, in per cent: the state may change
	// until the transaction is included.
	gasMargin = 20
)

// txRequest is a transaction to make.
type txRequest struct {
	from  common.Address
	to    *common.Address // nil creates a contract
	value *big.Int        // wei; nil is none
	data  []byte
}

// object is the request as eth_estimateGas takes it.
func (r txRequest) object() map[string]string {
	o := map[string]string{"from": rpc.Address(r.from).String(), "data": rpc.Hex(r.data)}
	if r.to != nil {
		o["to"] = rpc.Address(*r.to).String()
	}
	if r.value != nil {
		o["value"] = "0x" + r.value.Text(16)
	}
	return o
}

// estimateGas runs the request on the node's newest block and returns the gas
// it takes. failed is the node's error where the request itself fails.
func (r txRequest) estimateGas(ctx context.Context, e *rpc.Endpoint) (gas uint64, failed *rpc.Error, err error) {
	replies, err := e.Ask(ctx, rpc.NewCall("eth_estimateGas", r.object()))
	if err != nil {
		return 0, nil, err
	}
	if failed := replies[0].Err; failed != nil {
		return 0, failed, nil
	}
	gas, ok := rpc.ParseNumber(replies[0].Result)
	if !ok {
		return 0, nil, rpc.Malformed("eth_estimateGas")
	}
	return gas, nil, nil
}

// rejected is a node's refusal of a transaction. It is not a fault of the node.
type rejected struct{ err *rpc.Error }

func (r rejected) Error() string { return "the network refuses the transaction: " + r.err.Message }

// pricedTx is a request with the gas it may use and what that may cost.
type pricedTx struct {
	txRequest
	gas  uint64
	fees gasFees
	cost *big.Int // the most, in wei, value not included
}

// price estimates a request and what it may cost. It fails with rejected if
// the transaction would revert, and with fault.Unprocessable if it needs more
// gas than one transaction may use.
func (c client) price(ctx context.Context, e *rpc.Endpoint, r txRequest) (pricedTx, error) {
	fees, err := c.fees(ctx, e)
	if err != nil {
		return pricedTx{}, err
	}
	estimate, failed, err := r.estimateGas(ctx, e)
	if err != nil {
		return pricedTx{}, err
	}
	if failed != nil {
		return pricedTx{}, rejected{failed}
	}
	gas := estimate + estimate*gasMargin/100
	if estimate > maxTxGas || gas > maxTxGas {
		return pricedTx{}, fault.New(fault.Unprocessable,
			"the transaction needs %d gas, more than the %d one may use", gas, maxTxGas)
	}
	p := pricedTx{txRequest: r, gas: gas, fees: fees}
	return p, c.setCost(ctx, e, &p)
}

// setCost computes the most the transaction can cost from its gas and fees.
func (c client) setCost(ctx context.Context, e *rpc.Endpoint, p *pricedTx) error {
	extra, err := c.extraFee(ctx, e, p.size(), p.gas)
	if err != nil {
		return err
	}
	p.cost = new(big.Int).Mul(p.fees.Max, new(big.Int).SetUint64(p.gas))
	p.cost.Add(p.cost, extra)
	return nil
}

// envelope is the most the fields beside the data take, in bytes.
const envelope = 150

// size is about how many bytes the transaction has unsigned.
func (p pricedTx) size() uint64 { return uint64(len(p.data)) + envelope }

// unsigned builds the transaction.
func (p pricedTx) unsigned(chainID *big.Int, nonce uint64) *types.Transaction {
	return types.NewTx(&types.DynamicFeeTx{
		ChainID: chainID, Nonce: nonce, To: p.to, Value: p.value, Data: p.data,
		Gas: p.gas, GasTipCap: p.fees.Tip, GasFeeCap: p.fees.Max,
	})
}
