package main_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit"
)

// testChain is a development chain with the settings by which florin reads it.
type testChain struct {
	*devchain.Chain
	name string
}

// evmNetworks have the decimals that they have in production.
var evmNetworks = []struct {
	name     string
	id       uint64
	decimals uint8
}{{"BEP20", 56, 18}, {"POLYGON", 137, 6}, {"BASE", 8453, 6}}

// startChains runs the three EVM networks.
func startChains(t testing.TB) []testChain {
	t.Helper()
	return startChainsOf(t, 1, 2)
}

// startChainsOf runs the three EVM networks with the safe and the final block so many below the head.
func startChainsOf(t testing.TB, safe, final uint64) (chains []testChain) {
	t.Helper()
	for i := range evmNetworks {
		chains = append(chains, startChain(t, i, safe, final))
	}
	return chains
}

// startChain runs one of the EVM networks with one block a second.
func startChain(t testing.TB, which int, safe, final uint64) testChain {
	t.Helper()
	n := evmNetworks[which]
	c, err := devchain.Start(devchain.Config{
		ChainID: n.id, Decimals: n.decimals, BlockTime: time.Second, SafeDepth: safe, FinalDepth: final,
	})
	testkit.Must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	testkit.Must(t, c.Setup(t.Context()))
	return testChain{c, n.name}
}

func (c testChain) environ() []string {
	tokens := c.Tokens()
	return []string{
		"FLORIN_" + c.name + "_RPC=" + c.URL(),
		"FLORIN_" + c.name + "_USDT=" + tokens.USDT.Address.Hex(),
		"FLORIN_" + c.name + "_USDC=" + tokens.USDC.Address.Hex(),
	}
}

// pay sends an amount of the token in cents and returns the transaction.
func (c testChain) pay(t testing.TB, token devchain.Token, to string, cents int64) string {
	t.Helper()
	units := new(
		big.Int,
	).Mul(big.NewInt(cents), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(token.Decimals)-2), nil))
	tx, err := c.Mint(t.Context(), token.Address, common.HexToAddress(to), units)
	testkit.Must(t, err)
	return tx.Hex()
}

func (c testChain) token(name string) devchain.Token {
	switch name {
	case "USDT":
		return c.Tokens().USDT
	case "USDC":
		return c.Tokens().USDC
	}
	return c.Tokens().Counterfeit
}
