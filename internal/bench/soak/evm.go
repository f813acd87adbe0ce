package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/chain/evm/contracts/testtoken"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/sandbox/devchain"
)

// evmNetworks are the EVM networks with the decimals their stablecoins have in production.
var evmNetworks = []struct {
	name     string
	id       uint64
	decimals uint8
	// credited is by how many blocks what is credited trails the head: Base credits what is safe, the others what is
	// finalized.
	credited uint64
}{{"BEP20", 56, 18, finalDepth}, {"POLYGON", 137, 6, finalDepth}, {"BASE", 8453, 6, safeDepth}}

// Depths of the labels below the head, in blocks of a second.
const (
	safeDepth  = 3
	finalDepth = 6
)

const evmWallet = "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0"

// evmChain is a development chain as payers use it.
type evmChain struct{ *devchain.Chain }

// startEVM starts the development chain of one of evmNetworks and gives the gas wallet coins.
func startEVM(ctx context.Context, which int, gas common.Address) (*network, error) {
	spec := evmNetworks[which]
	dev, err := devchain.Start(devchain.Config{
		ChainID: spec.id, Decimals: spec.decimals, BlockTime: time.Second, SafeDepth: safeDepth, FinalDepth: finalDepth,
	})
	if err != nil {
		return nil, err
	}
	c := evmChain{dev}
	n := &network{
		name: spec.name, wallet: evmWallet, stop: dev.Close, pay: c.pay, included: c.included, balance: c.balance,
		deepest: spec.credited - 1,
	}
	n.reorg = func(blocks uint64) error { _, err := dev.Reorg(blocks); return err }
	if err := c.equip(ctx, gas); err != nil {
		return nil, errors.Join(err, n.close())
	}
	addresses, err := n.open(dev.URL(), nil)
	if err != nil {
		return nil, errors.Join(err, n.close())
	}
	prefix, tokens := "FLORIN_"+spec.name+"_", dev.Tokens()
	n.environ = []string{
		prefix + "RPC=" + addresses, prefix + "USDT=" + tokens.USDT.Address.Hex(),
		prefix + "USDC=" + tokens.USDC.Address.Hex(), prefix + "MAX_GAS_PRICE=1000",
	}
	return n, nil
}

// equip deploys the contracts and gives the gas wallet a hundred coins.
func (c evmChain) equip(ctx context.Context, gas common.Address) error {
	if err := c.Setup(ctx); err != nil {
		return err
	}
	tx, err := c.FundNative(ctx, gas, new(big.Int).Mul(big.NewInt(100), big.NewInt(1e18)))
	if err != nil {
		return err
	}
	c.Mine(finalDepth + 1)
	_, err = c.WaitReceipt(ctx, tx)
	return err
}

func (c evmChain) token(name string) devchain.Token {
	switch name {
	case usdt:
		return c.Tokens().USDT
	case usdc:
		return c.Tokens().USDC
	}
	return c.Tokens().Counterfeit
}

func (c evmChain) pay(ctx context.Context, token, to string, amount money.Micros) (string, error) {
	t := c.token(token)
	tx, err := c.Mint(ctx, t.Address, common.HexToAddress(to), amount.Units(int(t.Decimals)).Big())
	return tx.Hex(), err
}

func (c evmChain) included(ctx context.Context, tx string) (at time.Time, ok bool, err error) {
	receipt, err := c.Client().TransactionReceipt(ctx, common.HexToHash(tx))
	if errors.Is(err, ethereum.NotFound) {
		return at, false, nil
	}
	if err != nil {
		return at, false, err
	}
	if receipt.Status == 0 {
		return at, false, fmt.Errorf("the payment %s failed", tx)
	}
	head, err := c.Client().HeaderByHash(ctx, receipt.BlockHash)
	if err != nil {
		return at, false, err
	}
	return time.Unix(int64(head.Time), 0), true, nil //nolint:gosec // a time of this century
}

func (c evmChain) balance(ctx context.Context, token, of string) (money.Micros, error) {
	t, binding := c.token(token), testtoken.NewTestToken()
	out, err := c.Client().CallContract(
		ctx, ethereum.CallMsg{To: &t.Address, Data: binding.PackBalanceOf(common.HexToAddress(of))}, nil,
	)
	if err != nil {
		return 0, err
	}
	units, err := binding.UnpackBalanceOf(out)
	if err != nil {
		return 0, err
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Decimals)-6), nil)
	micros, rest := new(big.Int).QuoRem(units, scale, new(big.Int))
	if rest.Sign() != 0 {
		return 0, fmt.Errorf("%s holds a fraction of a millionth of %s", of, token)
	}
	return money.Micros(micros.Int64()), nil
}
