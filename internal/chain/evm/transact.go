package evm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/florinpay/florin/internal/chain"
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
	reader  *Adapter
	pool    *pool
	profile chain.Profile
}

func newClient(a *Adapter) client { return client{a, a.pool, a.profile} }

// text returns an address as people read it.
func (c client) text(raw address) chain.Address {
	return chain.AddressOf(c.profile.Network, raw[:]).Address
}

// maxTxGas is the most gas one transaction may ask for on any of the networks
// (EIP-7825).
const maxTxGas = 1 << 24

// gasMargin is what is asked for beyond the estimate, in per cent: the state
// may change until the transaction is included.
const gasMargin = 20

// intent is a transaction that is to be made.
type intent struct {
	from  common.Address
	to    *common.Address // nil creates a contract
	value *big.Int        // wei; nil is none
	data  []byte
}

func (i intent) object() map[string]string {
	o := map[string]string{"from": address(i.from).String(), "data": hexText(i.data)}
	if i.to != nil {
		o["to"] = address(*i.to).String()
	}
	if i.value != nil {
		o["value"] = "0x" + i.value.Text(16)
	}
	return o
}

// priced is an intent with the gas it may use and what that may cost.
type priced struct {
	intent
	gas  uint64
	fees Fees
	cost *big.Int // the most, in wei, value not included
}

// price estimates an intent by running it on the node's newest block. It fails
// with fault.Unprocessable if it would revert.
func (c client) price(ctx context.Context, e *endpoint, i intent) (priced, error) {
	fees, err := c.fees(ctx, e)
	if err != nil {
		return priced{}, err
	}
	replies, err := e.ask(ctx, call{"eth_estimateGas", []any{i.object()}})
	if err != nil {
		return priced{}, err
	}
	if r := replies[0]; r.err != nil {
		return priced{}, refusal{r.err}
	}
	estimate, ok := parseText(replies[0].result)
	if !ok {
		return priced{}, malformed("eth_estimateGas")
	}
	gas := estimate + estimate*gasMargin/100
	if estimate > maxTxGas || gas > maxTxGas {
		return priced{}, fault.New(fault.Unprocessable, "the transaction needs %d gas, more than the %d one may use", gas, maxTxGas)
	}
	p := priced{intent: i, gas: gas, fees: fees}
	extra, err := c.extraFee(ctx, e, p.size(), gas)
	if err != nil {
		return priced{}, err
	}
	p.cost = new(big.Int).Mul(fees.Max, new(big.Int).SetUint64(gas))
	p.cost.Add(p.cost, extra)
	return p, nil
}

// refusal is a node's verdict on a transaction: it says nothing against the
// node.
type refusal struct{ err *rpcError }

func (r refusal) Error() string { return "the network refuses the transaction: " + r.err.Message }

// size is about how many bytes the transaction has unsigned: its data, and
// what the other fields take at most.
func (p priced) size() uint64 { return uint64(len(p.data)) + 150 }

// unsigned builds the transaction.
func (p priced) unsigned(chainID *big.Int, nonce uint64) *types.Transaction {
	return types.NewTx(&types.DynamicFeeTx{
		ChainID: chainID, Nonce: nonce, To: p.to, Value: p.value, Data: p.data,
		Gas: p.gas, GasTipCap: p.fees.Tip, GasFeeCap: p.fees.Max,
	})
}

// account is what the network knows of an account.
type account struct {
	balance        *big.Int // wei
	nonce, pending uint64   // transactions in blocks; those and the waiting ones
}

func readAccount(ctx context.Context, e *endpoint, of common.Address) (account, error) {
	text := address(of).String()
	results, err := e.results(ctx,
		call{"eth_getBalance", []any{text, "latest"}},
		call{"eth_getTransactionCount", []any{text, "latest"}},
		call{"eth_getTransactionCount", []any{text, "pending"}})
	if err != nil {
		return account{}, err
	}
	var balance string
	var acc account
	okBalance := json.Unmarshal(results[0], &balance) == nil
	if okBalance {
		acc.balance, okBalance = parseBig(balance)
	}
	var okNonce, okPending bool
	acc.nonce, okNonce = parseText(results[1])
	acc.pending, okPending = parseText(results[2])
	if !okBalance || !okNonce || !okPending {
		return account{}, malformed("an account")
	}
	return acc, nil
}

// broadcast gives signed bytes to the network. Bytes it has already are no
// error: whether it has them is asked, not guessed from the text of its error.
func (c client) broadcast(ctx context.Context, tx hash, raw []byte) error {
	var refused *rpcError
	err := c.pool.do(ctx, func(ctx context.Context, e *endpoint) error {
		replies, err := e.ask(ctx, call{"eth_sendRawTransaction", []any{hexText(raw)}})
		if err != nil || replies[0].err == nil {
			refused = nil
			return err
		}
		refused = replies[0].err
		results, err := e.results(ctx, call{"eth_getTransactionByHash", []any{tx.String()}})
		if err == nil && !isNull(results[0]) {
			refused = nil
		}
		return err
	})
	if err == nil && refused != nil {
		return refusal{refused}
	}
	return err
}

// spread gives signed bytes to every endpoint that can be asked: some keep what
// they are given to themselves. One that takes them is enough.
func (c client) spread(ctx context.Context, id chain.TxHash, raw []byte) error {
	tx, ok := parseHash(string(id))
	if !ok {
		return fmt.Errorf("broadcast: %q is no transaction hash", id)
	}
	var failed []error
	taken := false
	for _, e := range c.pool.ready() {
		var refused error
		err := c.pool.try(ctx, e, func(ctx context.Context, e *endpoint) (err error) {
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
func (c client) await(ctx context.Context, tx hash) (receipt, error) {
	for {
		var r receipt
		err := c.pool.do(ctx, func(ctx context.Context, e *endpoint) error {
			results, err := e.results(ctx, receiptCall(tx))
			if err != nil {
				return err
			}
			got, ok, err := parseReceipt(results[0], tx)
			if err == nil && !ok {
				return errLacking
			}
			r = got
			return err
		})
		if err == nil {
			return r, nil
		}
		if !sleep(ctx, receiptPoll) {
			return receipt{}, errors.Join(fmt.Errorf("transaction %s is in no block yet", tx), ctx.Err())
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

func txHash(tx *types.Transaction) chain.TxHash { return chain.TxHash(hash(tx.Hash()).String()) }
