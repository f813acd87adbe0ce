package devchain

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/eth/gasestimator"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/holiman/uint256"
)

// Limits of a call that is only asked for, as in geth.
const (
	maxCallGas    = 50_000_000
	callTimeout   = 5 * time.Second
	estimateError = 0.015 // by which an estimate may be too high
)

// request is a transaction that is only asked for.
type request struct {
	From                 common.Address   `json:"from"`
	To                   *common.Address  `json:"to"`
	Gas                  hexutil.Uint64   `json:"gas"`
	GasPrice             *hexutil.Big     `json:"gasPrice"`
	MaxFeePerGas         *hexutil.Big     `json:"maxFeePerGas"`
	MaxPriorityFeePerGas *hexutil.Big     `json:"maxPriorityFeePerGas"`
	Value                *hexutil.Big     `json:"value"`
	Data                 *hexutil.Bytes   `json:"data"`
	Input                *hexutil.Bytes   `json:"input"` // the newer name of data
	AccessList           types.AccessList `json:"accessList"`
}

// message is the request at a base fee. Without a price it pays nothing.
func (r request) message(baseFee uint64) (*core.Message, error) {
	if r.GasPrice != nil && (r.MaxFeePerGas != nil || r.MaxPriorityFeePerGas != nil) {
		return nil, errors.New("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified")
	}
	m := &core.Message{
		From: r.From, To: r.To, Value: amount(r.Value), GasLimit: uint64(r.Gas), AccessList: r.AccessList,
		GasPrice: amount(r.GasPrice), GasFeeCap: amount(r.GasPrice), GasTipCap: amount(r.GasPrice),
	}
	if r.GasPrice == nil {
		m.GasFeeCap, m.GasTipCap = amount(r.MaxFeePerGas), amount(r.MaxPriorityFeePerGas)
		if !m.GasFeeCap.IsZero() || !m.GasTipCap.IsZero() {
			m.GasPrice.Add(m.GasTipCap, uint256.NewInt(baseFee))
			if m.GasPrice.Gt(m.GasFeeCap) {
				m.GasPrice = m.GasFeeCap
			}
		}
	}
	if r.Input != nil {
		m.Data = *r.Input
	} else if r.Data != nil {
		m.Data = *r.Data
	}
	return m.SkipNonceCheck().SkipEOACheck().SkipGasLimitCapCheck(), nil
}

func amount(b *hexutil.Big) *uint256.Int {
	if b == nil {
		return new(uint256.Int)
	}
	n, _ := uint256.FromBig(b.ToInt())
	return n
}

// Call runs a request on a block's state and returns what it returns.
func (a *ethAPI) Call(ctx context.Context, r request, at *rpc.BlockNumberOrHash) (hexutil.Bytes, error) {
	b, on, err := a.state(at)
	if err != nil {
		return nil, err
	}
	if r.Gas == 0 || r.Gas > maxCallGas {
		r.Gas = maxCallGas
	}
	message, err := r.message(b.baseFee)
	if err != nil {
		return nil, err
	}
	block := core.NewEVMBlockContext(b.header(), ancestry{a.chain.rules, b}, nil)
	if message.GasPrice.IsZero() {
		block.BaseFee = new(big.Int) // who pays nothing is not refused
	}
	evm := vm.NewEVM(block, on, a.chain.rules, vm.Config{NoBaseFee: true})
	defer evm.Release()
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	defer context.AfterFunc(ctx, evm.Cancel)()
	result, err := core.ApplyMessage(evm, message, core.NewGasPool(maxCallGas))
	switch {
	case evm.Cancelled():
		return nil, fmt.Errorf("execution aborted (timeout = %v)", callTimeout)
	case err != nil:
		return nil, fmt.Errorf("err: %w (supplied gas %d)", err, message.GasLimit)
	case errors.Is(result.Err, vm.ErrExecutionReverted):
		return nil, newRevert(result.Revert())
	}
	return result.Return(), result.Err
}

// EstimateGas is the gas with which a request succeeds.
func (a *ethAPI) EstimateGas(ctx context.Context, r request, at *rpc.BlockNumberOrHash) (hexutil.Uint64, error) {
	b, on, err := a.state(at)
	if err != nil {
		return 0, err
	}
	message, err := r.message(b.baseFee)
	if err != nil {
		return 0, err
	}
	gas, reason, err := gasestimator.Estimate(ctx, message, &gasestimator.Options{
		Config: a.chain.rules, Chain: ancestry{a.chain.rules, b}, Header: b.header(), State: on,
		ErrorRatio: estimateError,
	}, maxCallGas)
	if errors.Is(err, vm.ErrExecutionReverted) {
		return 0, newRevert(reason)
	}
	return hexutil.Uint64(gas), err
}

// revert is a contract's refusal, with its reason.
type revert struct {
	error
	data hexutil.Bytes
}

var _ rpc.DataError = (*revert)(nil)

func newRevert(data []byte) *revert {
	if reason, err := abi.UnpackRevert(data); err == nil {
		return &revert{fmt.Errorf("%w: %s", vm.ErrExecutionReverted, reason), data}
	}
	return &revert{vm.ErrExecutionReverted, data}
}

// ErrorCode is the code by which clients tell a refusal.
func (r *revert) ErrorCode() int { return 3 }

// ErrorData is what the contract returned.
func (r *revert) ErrorData() any { return r.data.String() }
