package main

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/sandbox/devchain"
)

// bench is a chain on which both ways are measured.
type bench struct {
	*devchain.Chain
	sender *sender.Sweeps
	asset  chain.Asset
	next   uint16         // of the last payment
	each   map[int]uint64 // gas for one payment, by the size of a sweep
}

// merchantWallet is the merchant's wallet, which already has some of the token.
const merchantWallet = chain.Address("0x52908400098527886E0F7030069857D2E4169EE7")

// faucet signs as the gas wallet.
type faucet struct{}

func (faucet) Address() common.Address { return devchain.FaucetAddress() }

func (faucet) SignTx(tx *types.Transaction, id *big.Int) (*types.Transaction, error) {
	return types.SignTx(tx, types.LatestSignerForChainID(id), devchain.FaucetKey())
}

func startChain(ctx context.Context) (*bench, error) {
	c, err := devchain.Start(devchain.Config{ChainID: 137})
	if err != nil {
		return nil, err
	}
	if err := c.Setup(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	token := c.Tokens().USDT
	b := &bench{Chain: c, each: make(map[int]uint64), asset: chain.Asset{
		Network: chain.Polygon, Contract: chain.AddressOf(
			chain.Polygon, token.Address[:],
		).Address, Symbol: token.Symbol,
		Decimals: int(token.Decimals), Token: money.USDT,
	}}
	profile := chain.Profile{
		Network: chain.Polygon, ChainID: 137, Coin: "POL", Assets: []chain.Asset{b.asset},
		Finality: chain.Finality{Tag: chain.TagFinalized},
	}
	adapter, err := evm.New(evm.Config{Profile: profile, Endpoints: []string{c.URL()}})
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	b.sender = sender.NewSweeps(
		adapter, sender.Config{Signer: faucet{}, MaxPrice: money.UnitsFromUint64(1e13)},
	)
	return b, b.mint(ctx, common.HexToAddress(string(merchantWallet)))
}

// line is the gas cost of one payment.
type line struct{ first, again, hot uint64 }

func (b *bench) measure(ctx context.Context, n int) (l line, err error) {
	items, err := b.payments(n)
	if err != nil {
		return line{}, err
	}
	if l.first, err = b.sweep(ctx, items); err != nil {
		return line{}, err
	}
	if l.again, err = b.sweep(ctx, items); err != nil {
		return line{}, err
	}
	l.hot, err = b.hotWallet(ctx, n)
	return l, err
}

// payments returns n new payments to one merchant, each with an address of its own.
func (b *bench) payments(n int) (items []chain.SweepItem, err error) {
	for range n {
		b.next++
		id := chain.TxnID{15: byte(b.next), 14: byte(b.next >> 8)}.String()
		at, err := evm.NewDepositor(chain.Polygon).DepositAddress(chain.Settlement{
			Network: chain.Polygon, Wallet: merchantWallet, PaymentID: id, Scheme: chain.SchemeTxnID,
		})
		if err != nil {
			return nil, err
		}
		items = append(items, chain.SweepItem{
			PaymentID: id, Scheme: chain.SchemeTxnID, Address: at, Settlement: merchantWallet, Asset: b.asset,
			Expected: money.NewUnits(amount),
		})
	}
	return items, nil
}

// amount is the amount of each payment, with non-zero digits as real ones have.
var amount = big.NewInt(123_456_789)

// sweep pays every item and settles them as the program does; it returns the gas for one.
func (b *bench) sweep(ctx context.Context, items []chain.SweepItem) (uint64, error) {
	for _, i := range items {
		if err := b.mint(ctx, common.Address(i.Address.Raw)); err != nil {
			return 0, err
		}
	}
	b.Commit()
	a, err := b.sender.Sign(ctx, items, nil, time.Now())
	if err != nil {
		return 0, err
	}
	if err := b.sender.Broadcast(ctx, a); err != nil {
		return 0, err
	}
	gas, err := b.used(ctx, common.HexToHash(string(a.Tx)))
	if err != nil {
		return 0, err
	}
	b.Mine(devchain.DefaultFinalDepth)
	seen, err := b.sender.Track(ctx, items, []chain.Attempt{a})
	if err == nil && (seen.Status != chain.TxFinal || len(seen.Moved) != len(items)) {
		err = fmt.Errorf("a sweep of %d ended as %s and moved %d", len(items), seen.Status, len(seen.Moved))
	}
	return gas / uint64(len(items)), err
}

func (b *bench) mint(ctx context.Context, to common.Address) error {
	_, err := b.Mint(ctx, common.HexToAddress(string(b.asset.Contract)), to, amount)
	return err
}

// used makes a block and returns the gas that a transaction in it used.
func (b *bench) used(ctx context.Context, tx common.Hash) (uint64, error) {
	b.Commit()
	r, err := b.WaitReceipt(ctx, tx)
	if err != nil {
		return 0, err
	}
	if r.Status != types.ReceiptStatusSuccessful {
		return 0, fmt.Errorf("transaction %s failed", tx)
	}
	return r.GasUsed, nil
}

// hotWallet settles n payments to fresh keys: it sends coins to each, then each transfers its tokens. It returns the
// gas for one.
func (b *bench) hotWallet(ctx context.Context, n int) (uint64, error) {
	var total uint64
	for range n {
		key, err := crypto.GenerateKey()
		if err != nil {
			return 0, err
		}
		gas, err := b.hotPayment(ctx, key)
		if err != nil {
			return 0, err
		}
		total += gas
	}
	return total / uint64(n), nil
}

func (b *bench) hotPayment(ctx context.Context, key *ecdsa.PrivateKey) (uint64, error) {
	deposit := crypto.PubkeyToAddress(key.PublicKey)
	if err := b.mint(ctx, deposit); err != nil {
		return 0, err
	}
	b.Commit()
	fund, err := b.FundNative(ctx, deposit, big.NewInt(1e18))
	if err != nil {
		return 0, err
	}
	funding, err := b.used(ctx, fund)
	if err != nil {
		return 0, err
	}
	b.Commit() // the pool must know of the coins
	tx, err := b.Transfer(
		ctx, key, common.HexToAddress(string(b.asset.Contract)), common.HexToAddress(string(merchantWallet)),
		amount,
	)
	if err != nil {
		return 0, err
	}
	transfer, err := b.used(ctx, tx)
	return funding + transfer, err
}
