package sender

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// Signer signs with the gas wallet's key, which it does not show.
type Signer interface {
	Address() common.Address
	SignTx(tx *types.Transaction, chainID *big.Int) (*types.Transaction, error)
}

// client asks the endpoints of one network about transactions and gives them
// new ones.
type client struct {
	reader  *evm.Adapter
	pool    *rpc.Pool
	profile chain.Profile
}

func newClient(a *evm.Adapter) client { return client{a, a.Pool(), a.Profile()} }

// text returns an address as people read it.
func (c client) text(raw rpc.Address) chain.Address {
	return chain.AddressOf(c.profile.Network, raw[:]).Address
}

// maxTxGas is the most gas one transaction may ask for on any of the networks
// (EIP-7825).
const maxTxGas = 1 << 24

// gasMargin is what is asked for beyond the estimate, in per cent: the state
// may change until the transaction is included.
const gasMargin = 20

// intent is a transaction that is to be made.
type txRequest struct {
	from  common.Address
	to    *common.Address // nil creates a contract
	value *big.Int        // wei; nil is none
	data  []byte
}

func (i txRequest) object() map[string]string {
	o := map[string]string{"from": rpc.Address(i.from).String(), "data": rpc.Hex(i.data)}
	if i.to != nil {
		o["to"] = rpc.Address(*i.to).String()
	}
	if i.value != nil {
		o["value"] = "0x" + i.value.Text(16)
	}
	return o
}

// priced is an intent with the gas it may use and what that may cost.
type pricedTx struct {
	txRequest
	gas  uint64
	fees Fees
	cost *big.Int // the most, in wei, value not included
}

// price estimates an intent by running it on the node's newest block. It fails
// with fault.Unprocessable if it would revert.
func (c client) price(ctx context.Context, e *rpc.Endpoint, i txRequest) (pricedTx, error) {
	fees, err := c.fees(ctx, e)
	if err != nil {
		return pricedTx{}, err
	}
	replies, err := e.Ask(ctx, rpc.NewCall("eth_estimateGas", i.object()))
	if err != nil {
		return pricedTx{}, err
	}
	if r := replies[0]; r.Err != nil {
		return pricedTx{}, rejected{r.Err}
	}
	estimate, ok := rpc.ParseNumber(replies[0].Result)
	if !ok {
		return pricedTx{}, rpc.Malformed("eth_estimateGas")
	}
	gas := estimate + estimate*gasMargin/100
	if estimate > maxTxGas || gas > maxTxGas {
		return pricedTx{}, fault.New(fault.Unprocessable, "the transaction needs %d gas, more than the %d one may use", gas, maxTxGas)
	}
	p := pricedTx{txRequest: i, gas: gas, fees: fees}
	extra, err := c.extraFee(ctx, e, p.size(), gas)
	if err != nil {
		return pricedTx{}, err
	}
	p.cost = new(big.Int).Mul(fees.Max, new(big.Int).SetUint64(gas))
	p.cost.Add(p.cost, extra)
	return p, nil
}

// refusal is a node's verdict on a transaction: it says nothing against the
// node.
type rejected struct{ err *rpc.Error }

func (r rejected) Error() string { return "the network refuses the transaction: " + r.err.Message }

// size is about how many bytes the transaction has unsigned: its data, and
// what the other fields take at most.
func (p pricedTx) size() uint64 { return uint64(len(p.data)) + 150 }

// unsigned builds the transaction.
func (p pricedTx) unsigned(chainID *big.Int, nonce uint64) *types.Transaction {
	return types.NewTx(&types.DynamicFeeTx{
		ChainID: chainID, Nonce: nonce, To: p.to, Value: p.value, Data: p.data,
		Gas: p.gas, GasTipCap: p.fees.Tip, GasFeeCap: p.fees.Max,
	})
}

// broadcast gives signed bytes to the network. Bytes it has already are no
// error: whether it has them is asked, not guessed from the text of its error.
func (c client) broadcast(ctx context.Context, tx rpc.Hash, raw []byte) error {
	var refused *rpc.Error
	err := c.pool.Do(ctx, func(ctx context.Context, e *rpc.Endpoint) error {
		replies, err := e.Ask(ctx, rpc.NewCall("eth_sendRawTransaction", rpc.Hex(raw)))
		if err != nil || replies[0].Err == nil {
			refused = nil
			return err
		}
		refused = replies[0].Err
		results, err := e.Results(ctx, rpc.TransactionCall(tx))
		if err == nil && !rpc.IsNull(results[0]) {
			refused = nil
		}
		return err
	})
	if err == nil && refused != nil {
		return rejected{refused}
	}
	return err
}

// spread gives signed bytes to every endpoint that can be asked: some keep what
// they are given to themselves. One that takes them is enough.
func (c client) spread(ctx context.Context, id chain.TxHash, raw []byte) error {
	tx, ok := rpc.ParseHash(string(id))
	if !ok {
		return fmt.Errorf("broadcast: %q is no transaction hash", id)
	}
	var failed []error
	taken := false
	for _, e := range c.pool.Ready() {
		var refused error
		err := c.pool.Try(ctx, e, func(ctx context.Context, e *rpc.Endpoint) (err error) {
			refused, err = offer(ctx, e, tx, raw)
			return err
		})
		if err = errors.Join(err, refused); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", e.Name(), err))
		} else {
			taken = true
		}
	}
	if taken {
		return nil
	}
	if len(failed) == 0 {
		return chain.ErrNoEndpoint
	}
	return fmt.Errorf("broadcast %s on %s: %w", tx, c.profile.Network, errors.Join(failed...))
}

// receiptPoll is how often a receipt is asked for: about the block time of the
// networks.
const receiptPoll = 500 * time.Millisecond

// await waits until the transaction is in a block and returns its receipt.
// It asks until ctx ends; endpoints that fail meanwhile are no reason to stop.
func (c client) await(ctx context.Context, tx rpc.Hash) (rpc.Receipt, error) {
	for {
		var r rpc.Receipt
		err := c.pool.Do(ctx, func(ctx context.Context, e *rpc.Endpoint) error {
			results, err := e.Results(ctx, rpc.ReceiptCall(tx))
			if err != nil {
				return err
			}
			got, ok, err := rpc.ParseReceipt(results[0], tx)
			if err == nil && !ok {
				return rpc.ErrNotFound
			}
			r = got
			return err
		})
		if err == nil {
			return r, nil
		}
		if !sleep(ctx, receiptPoll) {
			return rpc.Receipt{}, errors.Join(fmt.Errorf("transaction %s is in no block yet", tx), ctx.Err())
		}
	}
}

// sleep reports false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// wei returns an amount of the native coin as people read it.
func (c client) wei(v *big.Int) string {
	return money.NewUnits(v).Format(c.profile.Network.CoinDecimals()) + " " + c.profile.Coin
}

func (c client) chainID() *big.Int { return new(big.Int).SetUint64(c.profile.ChainID) }

func txHash(tx *types.Transaction) chain.TxHash { return chain.TxHash(rpc.Hash(tx.Hash()).String()) }
