package devchain

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/chain/evm/contracts/contractstest"
)

// FaucetKey is the private key of an account with practically unlimited native coins. It is public, and the
// same on every development chain.
func FaucetKey() *ecdsa.PrivateKey { return faucetKey() }

var faucetKey = sync.OnceValue(func() *ecdsa.PrivateKey {
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("florin development chain faucet")))
	if err != nil {
		panic(err) // a constant
	}
	return key
})

// FaucetAddress is the account of FaucetKey.
func FaucetAddress() common.Address { return crypto.PubkeyToAddress(FaucetKey().PublicKey) }

// Gas limits of the plain transactions, above what they use.
const (
	transferGas       = 100_000
	nativeTransferGas = 100_000 // a recipient may be a contract
)

// defaultTip is what a transaction pays above the base fee, in wei per gas.
const defaultTip = 1_000_000_000

// Mint sends a transaction that mints test tokens, in base units, and returns its hash. The token must be one
// of Tokens, or another TestToken.
func (c *Chain) Mint(ctx context.Context, token, to common.Address, units *big.Int) (common.Hash, error) {
	data := contractstest.NewTestToken().PackMint(to, units)
	return c.fromFaucet(ctx, Tx{To: &token, Gas: transferGas, Data: data})
}

// FundNative sends a transaction with native coin from the faucet, in wei, and
// returns its hash.
func (c *Chain) FundNative(ctx context.Context, to common.Address, wei *big.Int) (common.Hash, error) {
	return c.fromFaucet(ctx, Tx{To: &to, Gas: nativeTransferGas, Value: wei})
}

// Transfer sends a transaction that moves tokens of the key's account, in base
// units, and returns its hash. The account must have native coin for the gas.
func (c *Chain) Transfer(
	ctx context.Context, from *ecdsa.PrivateKey, token, to common.Address, units *big.Int,
) (common.Hash, error) {
	data := contractstest.NewTestToken().PackTransfer(to, units)
	return c.Send(ctx, from, Tx{To: &token, Gas: transferGas, Data: data})
}

func (c *Chain) fromFaucet(ctx context.Context, tx Tx) (common.Hash, error) {
	return c.Send(ctx, FaucetKey(), tx)
}

// Tx is a transaction to send. Only To is required, and not even that to
// create a contract.
type Tx struct {
	To    *common.Address // nil creates a contract
	Value *big.Int        // wei; nil is none
	Data  []byte
	Gas   uint64   // limit; zero estimates it on the newest block
	Nonce *uint64  // nil takes the sender's next; a used one replaces what is in the pool
	Tip   *big.Int // wei per gas above the base fee; nil is 1 gwei. A replacement must pay at least 10 % more
}

// Send signs and sends a transaction and returns its hash. The transaction waits in the pool for the next
// block.
func (c *Chain) Send(ctx context.Context, from *ecdsa.PrivateKey, tx Tx) (common.Hash, error) {
	c.sending.Lock()
	defer c.sending.Unlock()
	full, err := c.complete(ctx, crypto.PubkeyToAddress(from.PublicKey), tx)
	if err != nil {
		return common.Hash{}, err
	}
	signed, err := types.SignNewTx(from, types.LatestSignerForChainID(full.ChainID), full)
	if err != nil {
		return common.Hash{}, fmt.Errorf("devchain: sign: %w", err)
	}
	if err := c.send(signed); err != nil {
		return common.Hash{}, fmt.Errorf("devchain: send: %w", err)
	}
	return signed.Hash(), nil
}

// complete fills in the fields that Tx leaves open.
func (c *Chain) complete(ctx context.Context, from common.Address, tx Tx) (*types.DynamicFeeTx, error) {
	full := &types.DynamicFeeTx{
		ChainID: new(big.Int).SetUint64(c.config.ChainID),
		To:      tx.To, Value: tx.Value, Data: tx.Data, Gas: tx.Gas, GasTipCap: tx.Tip,
	}
	if full.GasTipCap == nil {
		full.GasTipCap = big.NewInt(defaultTip)
	}
	// The base fee moves by an eighth a block at most: twice it holds for long.
	baseFee := new(big.Int).SetUint64(c.head().baseFee)
	full.GasFeeCap = new(big.Int).Add(full.GasTipCap, new(big.Int).Lsh(baseFee, 1))
	var err error
	if tx.Nonce != nil {
		full.Nonce = *tx.Nonce
	} else if full.Nonce, err = c.client.PendingNonceAt(ctx, from); err != nil {
		return nil, fmt.Errorf("devchain: nonce: %w", err)
	}
	if full.Gas == 0 {
		call := ethereum.CallMsg{From: from, To: tx.To, Value: tx.Value, Data: tx.Data}
		if full.Gas, err = c.client.EstimateGas(ctx, call); err != nil {
			return nil, fmt.Errorf("devchain: estimate gas: %w", err)
		}
	}
	return full, nil
}

// receiptPoll is the polling interval of WaitReceipt.
const receiptPoll = 10 * time.Millisecond

// WaitReceipt waits until a transaction is in a block and returns its receipt, whatever its status. Without a
// timer another goroutine must call Commit.
func (c *Chain) WaitReceipt(ctx context.Context, tx common.Hash) (*types.Receipt, error) {
	for {
		receipt, err := c.client.TransactionReceipt(ctx, tx)
		if err == nil {
			return receipt, nil
		}
		if !errors.Is(err, ethereum.NotFound) {
			return nil, fmt.Errorf("devchain: receipt of %s: %w", tx, err)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("devchain: %s is in no block: %w", tx, ctx.Err())
		case <-time.After(receiptPoll):
		}
	}
}
