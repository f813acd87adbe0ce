package main_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit"
)

// The first key of the well-known mnemonic of development chains.
const (
	gasKey     = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
	gasAddress = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
)

func TestDeploy(t *testing.T) {
	t.Parallel()
	c, err := devchain.Start(devchain.Config{ChainID: 8453, BlockTime: time.Second})
	testkit.Must(t, err)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	i := newInstallation(t, "FLORIN_BASE_RPC="+c.URL(), "FLORIN_EVM_GAS_KEY="+gasKey)

	r := i.run(t, "", "deploy", "--network", "base", "--yes")
	if r.status != 1 || !strings.Contains(r.stderr, gasAddress) || !strings.Contains(r.stderr, "cannot pay") {
		t.Fatalf("with an empty gas wallet: status %d, %s", r.status, r.stderr)
	}
	fund(t, c)
	if r := i.run(t, "", "deploy", "--network", "base"); r.status != 1 || !strings.Contains(r.stderr, "--yes") ||
		strings.Contains(r.stdout, "sending") {
		t.Fatalf("without a terminal to confirm on: status %d, %s %s", r.status, r.stdout, r.stderr)
	}
	if out := i.must(t, "", "deploy", "--network", "BASE", "--plan"); !strings.Contains(out, "forwarder factory") ||
		!strings.Contains(out, "The factory will be at 0x") || strings.Contains(out, "sending") {
		t.Errorf("the plan is %s", out)
	}
	if out := i.must(t, "", "deploy", "--network", "base", "--yes"); !strings.Contains(out, "sending 0x") ||
		!strings.Contains(out, "The factory is at 0x") {
		t.Errorf("deploying prints %s", out)
	}
	if out := i.must(t, "", "deploy", "--network", "base"); !strings.Contains(out, "already") ||
		strings.Contains(out, "sending") {
		t.Errorf("deploying again prints %s", out)
	}
}

// fund gives the gas wallet a coin, more than any deployment costs.
func fund(t *testing.T, c *devchain.Chain) {
	t.Helper()
	tx, err := c.FundNative(t.Context(), common.HexToAddress(gasAddress), big.NewInt(1e18))
	testkit.Must(t, err)
	if _, err := c.WaitReceipt(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
}

func TestDeploy_Refuses(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	deploy := func(network string) []string { return []string{"deploy", "--network", network, "--yes"} }
	i.refuses(t, 1, deploy("sol"), "--network", "Solana")
	i.refuses(t, 1, deploy("tron"), "--network")
	i.refuses(t, 1, deploy("base"), "FLORIN_BASE_RPC")
	i.env = append(i.env, "FLORIN_BASE_RPC=http://127.0.0.1:1/canary")
	i.refuses(t, 1, deploy("base"), "FLORIN_EVM_GAS_KEY")
	i.env = append(i.env, "FLORIN_EVM_GAS_KEY="+gasKey)
	r := i.run(t, "", deploy("base")...)
	if r.status != 1 || strings.Count(r.stderr, "\n") != 1 || strings.Contains(r.stderr, "canary") ||
		strings.Contains(r.stderr, gasKey[2:]) {
		t.Errorf("without an endpoint that answers: status %d, %q", r.status, r.stderr)
	}
}

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
