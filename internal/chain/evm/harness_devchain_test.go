package evm_test

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/contracts/contractstest"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/sandbox/devchain"
)

// geth is a real go-ethereum chain in this process.
type geth struct {
	t       *testing.T
	chain   *devchain.Chain
	profile chain.Profile
	reader  *evm.Adapter
}

var _ chaintest.Forker = (*geth)(nil)

// newGeth starts a development chain that stands in for the network, with the
// forwarder factory and test tokens on it.
func newGeth(t *testing.T, n chain.Network) *geth {
	t.Helper()
	p, _ := profileOf(n)
	c, err := devchain.Start(devchain.Config{ChainID: p.ChainID, Decimals: uint8(p.Assets[0].Decimals)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := c.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	tokens := c.Tokens()
	p.Assets = []chain.Asset{
		tokenAsset(n, tokens.USDT, money.USDT),
		tokenAsset(n, tokens.USDC, money.USDC),
		tokenAsset(n, tokens.Bridged, ""),
	}
	a, err := evm.New(evm.Config{Profile: p, Endpoints: []string{c.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	return &geth{t, c, p, a}
}

func tokenAsset(n chain.Network, token devchain.Token, counts money.Token) chain.Asset {
	at := chain.AddressOf(n, token.Address[:]).Address
	return chain.Asset{Network: n, Contract: at, Symbol: token.Symbol, Decimals: int(token.Decimals), Token: counts}
}

func (g *geth) Reader() chain.Reader   { return g.reader }
func (g *geth) Credited() chain.Asset  { return g.profile.Assets[0] }
func (g *geth) Other() chain.Asset     { return g.profile.Assets[2] }
func (g *geth) Address() chain.Watched { return freshAddress(g.profile.Network) }
func (g *geth) Mine(n int)             { g.chain.Mine(n) }
func (g *geth) Finalize()              { g.chain.Mine(devchain.DefaultFinalDepth) }
func (g *geth) Counterfeit() chain.Asset {
	return tokenAsset(g.profile.Network, g.chain.Tokens().Counterfeit, money.USDT)
}

func (g *geth) Pay(payments ...chaintest.Payment) chain.TxHash {
	return g.send(devchain.Tx{Data: payProgram(payments, true), Gas: payGas})
}

func (g *geth) PayFailed(p chaintest.Payment) chain.TxHash {
	return g.send(devchain.Tx{Data: payProgram([]chaintest.Payment{p}, false), Gas: payGas})
}

func (g *geth) Reorg(n int, keep bool) {
	client := g.chain.Client()
	head, err := client.HeaderByNumber(g.t.Context(), nil)
	if err != nil {
		g.t.Fatal(err)
	}
	parent, err := client.HeaderByNumber(g.t.Context(), new(big.Int).Sub(head.Number, big.NewInt(int64(n))))
	if err != nil {
		g.t.Fatal(err)
	}
	if err := g.chain.Fork(parent.Hash()); err != nil {
		g.t.Fatal(err)
	}
	if !keep {
		g.chain.Rollback()
	}
	g.Mine(n + 1)
}

func (g *geth) send(tx devchain.Tx) chain.TxHash {
	g.t.Helper()
	h, err := g.chain.Send(g.t.Context(), devchain.FaucetKey(), tx)
	if err != nil {
		g.t.Fatal(err)
	}
	return chain.TxHash(h.Hex())
}

// payGas is enough for a handful of payments.
const payGas = 1_000_000

// payProgram is the creation code of a contract that makes the payments by
// printing test tokens, and then ends well or fails.
func payProgram(payments []chaintest.Payment, succeed bool) []byte {
	var code []byte
	op := func(ops ...vm.OpCode) {
		for _, o := range ops {
			code = append(code, byte(o))
		}
	}
	push := func(b ...byte) {
		code = append(code, byte(vm.PUSH1)+byte(len(b)-1))
		code = append(code, b...)
	}
	for _, p := range payments {
		input := contractstest.NewTestToken().PackMint(common.Address(p.To.Raw), new(big.Int).SetUint64(p.Units))
		for i := 0; i < len(input); i += 32 {
			push(common.RightPadBytes(input[i:min(i+32, len(input))], 32)...)
			push(byte(i))
			op(vm.MSTORE)
		}
		push(0)
		push(0)
		push(byte(len(input)))
		push(0)
		push(0)
		push(common.HexToAddress(string(p.Asset.Contract)).Bytes()...)
		op(vm.GAS, vm.CALL, vm.POP)
	}
	push(0)
	push(0)
	if succeed {
		op(vm.RETURN)
	} else {
		op(vm.REVERT)
	}
	return code
}
