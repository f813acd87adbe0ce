package evm_test

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/sandbox/devchain"
)

// Creation codes of wallets. ownedWallet stores the byte after its first PUSH1 as the owner, and its code are the 11
// bytes after PUSH11.
const (
	answersOwner = "60005460005260206000f3" // returns its owner, whatever it is asked
	ownedWallet  = "60%s6000556a" + answersOwner + "600052600b6015f3"
	proxyCode    = "3660006000376000600036600060006000545af4600080fd" // DELEGATECALL to what its storage names
	proxyWallet  = "6018600c60003960186000f3" + proxyCode
	stopWallet   = "61f4006000526002601ef3" // its code is f400, of which f4 stands behind nothing
	pushWallet   = "6160f46000526002601ef3" // its code is PUSH1 f4
)

// TestCode_Owners: two contracts with the same code are the same wallet only if they have the same owner. A proxy that
// names no owner is none on another network.
func TestCode_Owners(t *testing.T) {
	t.Parallel()
	polygon, base := newGeth(t, chain.Polygon), newGeth(t, chain.Base)
	owned := func(g *geth, owner string) string {
		return g.code(strings.Replace(ownedWallet, "%s", owner, 1))
	}
	if a, b := owned(polygon, "aa"), owned(base, "aa"); a == "" || a != b {
		t.Errorf("the same owner: %q and %q", a, b)
	}
	if a, b := owned(polygon, "aa"), owned(base, "bb"); a == b {
		t.Errorf("another owner: both are %q", a)
	}
	for _, proxy := range []string{proxyWallet, stopWallet} {
		if a, b := polygon.code(proxy), base.code(proxy); a == b || a == "" {
			t.Errorf("proxies without owners: both are %q", a)
		}
	}
	if a, b := polygon.code(pushWallet), base.code(pushWallet); a != b || a == "" {
		t.Errorf("a contract that is no proxy: %q and %q", a, b)
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
