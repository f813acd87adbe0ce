package evm_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/sandbox/devchain"
)

// stopWallet is the creation code of a contract whose code is f400.
const stopWallet = "61f4006000526002601ef3"

// TestCode: a contract is a wallet of its network only, whatever code another network has, and a plain account is the
// same everywhere.
func TestCode(t *testing.T) {
	t.Parallel()
	polygon, base := newGeth(t, chain.Polygon), newGeth(t, chain.Base)
	if a, b := polygon.code(stopWallet), base.code(stopWallet); a == b || a == "" {
		t.Errorf("contracts on two networks are %q and %q", a, b)
	}
	const plain = "0x00000000000000000000000000000000000000F1"
	for _, g := range []*geth{polygon, base} {
		if code, err := g.reader.Code(t.Context(), plain); err != nil || code != "" {
			t.Errorf("a plain account on %s is %q, %v", g.profile.Network, code, err)
		}
	}
}

// code creates a contract and returns what identifies it.
func (g *geth) code(creation string) string {
	g.t.Helper()
	tx := g.send(devchain.Tx{Data: common.FromHex(creation), Gas: payGas})
	g.Mine(1)
	receipt, err := g.chain.WaitReceipt(g.t.Context(), common.HexToHash(string(tx)))
	if err != nil {
		g.t.Fatal(err)
	}
	at := chain.AddressOf(g.profile.Network, receipt.ContractAddress[:]).Address
	code, err := g.reader.Code(g.t.Context(), at)
	if err != nil {
		g.t.Fatal(err)
	}
	return code
}
