package main_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit"
)

// TestRescue_WalletIsAContract: money that was paid on another network is not sent to a wallet that is a contract where
// the merchant named it and nothing there.
func TestRescue_WalletIsAContract(t *testing.T) {
	t.Parallel()
	s, wallet := openContractShop(t)
	base := s.chains[2]
	txnid, address := s.start(t, "POLYGON", "USDT", 1250)
	base.pay(t, base.Tokens().USDC, address, 300)
	eventually(t, "blocks", func() bool { return base.balance(t, base.Tokens().USDC, address) == 300 })
	s.refuses(t, 1, []string{"sweep", "--txnid", txnid}, "a contract on POLYGON", "no contract", "on BASE")
	s.refuses(t, 1, []string{"sweep", "--txnid", txnid, "--dry-run"}, "no contract")
	base.holds(t, base.Tokens().USDC, address, 300)
	s.prints(t, "Moved 3 USDC", "sweep", "--txnid", txnid, "--network", "base", "--trust-wallet")
	base.holds(t, base.Tokens().USDC, wallet, 300)
}

// openContractShop opens a shop whose wallet on Polygon is a contract, which is on no other network.
func openContractShop(t *testing.T) (s *shop, wallet string) {
	t.Helper()
	s = openShop(t, settling...)
	s.fundGas(t)
	wallet = deployContract(t, s.chains[1], "600160005360016000f3") // its code is one byte
	s.settlesTo(t, map[string]any{"polygon": wallet})
	return s, wallet
}

// deployContract puts a contract with the creation code on a chain and returns its address.
func deployContract(t *testing.T, c testChain, code string) string {
	t.Helper()
	tx, err := c.Send(t.Context(), devchain.FaucetKey(), devchain.Tx{Data: common.FromHex(code), Gas: 100_000})
	testkit.Must(t, err)
	receipt, err := c.WaitReceipt(t.Context(), tx)
	if err != nil || receipt.Status != types.ReceiptStatusSuccessful {
		t.Fatal(receipt, err)
	}
	return receipt.ContractAddress.Hex()
}
