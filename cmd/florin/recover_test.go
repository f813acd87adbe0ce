package main_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit"
)

// otherWallet is a wallet that no payment settles to.
const otherWallet = "0x8617E340B3D01FA5F11F306F4090FD50E238070D"

// bare returns an installation with the same settings and an empty database.
func (i installation) bare(t *testing.T) installation {
	t.Helper()
	return installation{dir: t.TempDir(), env: i.env}
}

// paidLost kills the server, and pays to the address on two networks meanwhile.
func (s *shop) paidLost(t *testing.T, address string) (polygon, base testChain) {
	t.Helper()
	polygon, base = s.chains[1], s.chains[2]
	s.stop(t, syscall.SIGKILL)
	polygon.pay(t, polygon.Tokens().USDT, address, 1250)
	base.pay(t, base.Tokens().USDC, address, 300)
	eventually(t, "blocks", func() bool {
		return polygon.balance(t, polygon.Tokens().USDT, address) == 1250 &&
			base.balance(t, base.Tokens().USDC, address) == 300
	})
	return polygon, base
}

// TestRecover_EVM: the disk is lost, and with it the payment. Money that came to its address since then goes to the
// merchant, also what was paid on another network than the chosen one.
func TestRecover_EVM(t *testing.T) {
	t.Parallel()
	s := openShop(t, settling...)
	s.fundGas(t)
	txnid, address := s.start(t, "POLYGON", "USDT", 1250)
	polygon, base := s.paidLost(t, address)

	lost := s.bare(t)
	command := []string{"recover", "--txnid", txnid, "--settlement", settlementWallet}
	out := lost.must(t, "", append(command, "--dry-run")...)
	for _, text := range []string{address, "Would sweep 12.5 USDT on Polygon", "Would sweep 3 USDC on Base"} {
		if !strings.Contains(out, text) {
			t.Errorf("recover --dry-run prints %q, which lacks %q", out, text)
		}
	}
	lost.prints(t, "Moved 3 USDC to "+settlementWallet, append(command, "--network", "base")...)
	lost.prints(t, "Moved 12.5 USDT to "+settlementWallet, append(command[:2:2], strings.ToLower(txnid), "--settlement", settlementWallet)...)
	lost.prints(t, "nothing to recover", command...)
	polygon.holds(t, polygon.Tokens().USDT, settlementWallet, 1250)
	base.holds(t, base.Tokens().USDC, settlementWallet, 300)
	lost.prints(t, "nothing to recover", "recover", "--txnid", txnid, "--settlement", otherWallet)
	if r := lost.run(t, "", "reconcile", "--wait", "100ms"); r.status != 0 {
		t.Errorf("after recover the ledger is not reconciled: %s%s", r.stdout, r.stderr)
	}
	t.Run("Refuses", func(t *testing.T) {
		lost.refuses(t, 1, []string{"recover", "--txnid", "42", "--settlement", settlementWallet}, "txnid")
		lost.refuses(t, 1, []string{"recover", "--txnid", txnid, "--settlement", "0x12"}, "--settlement")
		lost.refuses(t, 1, append(command, "--network", "sol"), "SOL is off")
		lost.refuses(t, 1, []string{"recover", "--txnid", txnid, "--settlement", solanaWallet}, "no network is on")
	})
}

// TestRecover_WalletIsAContract: money is not sent to an address where the merchant's wallet does not stand.
func TestRecover_WalletIsAContract(t *testing.T) {
	t.Parallel()
	s, wallet := openContractShop(t)
	txnid, address := s.start(t, "POLYGON", "USDT", 1250)
	_, base := s.paidLost(t, address)
	lost := s.bare(t)
	command := []string{"recover", "--txnid", txnid, "--settlement", wallet}
	lost.prints(t, "Moved 12.5 USDT to "+wallet, append(command, "--network", "polygon")...)
	if r := lost.run(t, "", append(command, "--network", "base")...); r.status != 1 || !strings.Contains(r.stderr, "no contract") {
		t.Errorf("to a wallet that is not there: status %d, %q", r.status, r.stderr)
	}
	base.holds(t, base.Tokens().USDC, address, 300)
	lost.prints(t, "Moved 3 USDC to "+wallet, append(command, "--network", "base", "--trust-wallet")...)
}

// TestRecover_Solana is TestRecover_EVM where the address derives from the seed, and the database decides where known
// money goes.
func TestRecover_Solana(t *testing.T) {
	t.Parallel()
	s := openSolanaShop(t)
	txnid, address := s.start(t, "SOL", "USDT", 1250)
	s.stop(t, syscall.SIGKILL)
	s.pay(t, s.assets[0].Contract, address, 1250)
	lost := s.bare(t)
	command := []string{"recover", "--txnid", txnid, "--settlement", string(s.wallet)}
	eventually(t, "the money is there", func() bool {
		return strings.Contains(
			lost.must(t, "", append(command, "--dry-run")...), "Would sweep 12.5 USDT on Solana from "+address,
		)
	})
	s.refuses(t, 1, []string{"recover", "--txnid", txnid, "--settlement", solanaWallet}, string(s.wallet), "settle")
	lost.prints(t, "Moved 12.5 USDT to "+string(s.wallet), command...)
	if got := s.cents(t, s.assets[0]); got != 1250 {
		t.Errorf("the settlement wallet holds %d cents, want 1250", got)
	}
	if chain.Address(solanaWallet) == s.wallet {
		t.Fatal("the other wallet is the same one")
	}
}

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
