package main_test

import (
	"math/big"
	"strings"
	"syscall"
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/chain/evm/contracts/contractstest"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit"
)

// settling configures sweeps without much delay, on nodes that are read all the time: tests of settlement do not wait
// for the pace of a provider's plan.
var settling = []string{
	"FLORIN_EVM_GAS_KEY=" + gasKey, "FLORIN_SIGNUP_CREDITS=100000", "FLORIN_SIGNUP_QUERIES=100000",
	"FLORIN_SWEEP_WAIT=2s",
	"FLORIN_BEP20_RPC_BUDGET=unlimited", "FLORIN_POLYGON_RPC_BUDGET=unlimited", "FLORIN_BASE_RPC_BUDGET=unlimited",
}

// fundGas gives the gas wallet a coin on every network.
func (s *shop) fundGas(t *testing.T) {
	t.Helper()
	for _, c := range s.chains {
		fund(t, c.Chain)
	}
}

// balance returns what an account holds of a token, in whole cents.
func (c testChain) balance(t *testing.T, token devchain.Token, of string) int64 {
	t.Helper()
	binding := contractstest.NewTestToken()
	ask := ethereum.CallMsg{To: &token.Address, Data: binding.PackBalanceOf(common.HexToAddress(of))}
	out, err := c.Client().CallContract(t.Context(), ask, nil)
	testkit.Must(t, err)
	units, err := binding.UnpackBalanceOf(out)
	testkit.Must(t, err)
	cent := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(token.Decimals)-2), nil)
	cents, rest := new(big.Int).QuoRem(units, cent, new(big.Int))
	if rest.Sign() != 0 {
		t.Errorf("%s holds a fraction of a cent of %s", of, token.Symbol)
	}
	return cents.Int64()
}

// holds checks what an account holds of a token, in cents.
func (c testChain) holds(t *testing.T, token devchain.Token, of string, cents int64) {
	t.Helper()
	if got := c.balance(t, token, of); got != cents {
		t.Errorf("%s holds %d cents of %s on %s, want %d", of, got, token.Symbol, c.name, cents)
	}
}

// settlesTo gives the merchant other wallets, by network.
func (s *shop) settlesTo(t *testing.T, wallets map[string]any) {
	t.Helper()
	s.graphql(t, "updateCustodianDetails", `mutation ($in: CustodianUpdateInput!) {
		updateCustodianDetails(input: $in) { code message } }`,
		map[string]any{"in": map[string]any{"apiKey": s.key, "wallets": wallets}})
}

// eventually polls until the condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	testkit.Until(t, 2*patience, what, holds)
}

// awaitSwept waits until no payment on the networks, or on the chains of a shop without any named, has money that is
// not at its settlement wallet.
func (s *shop) awaitSwept(t *testing.T, networks ...string) {
	t.Helper()
	if len(networks) == 0 {
		for _, c := range s.chains {
			networks = append(networks, c.name)
		}
	}
	eventually(t, "the last sweeps are final", func() bool {
		for _, n := range networks {
			out := s.graphql(
				t, "checkAdminUntransferred",
				`query ($key: String!, $n: Network!) { checkAdminUntransferred(apiKey: $key, network: $n) { code message transactions { txnid } } }`,
				map[string]any{"key": s.key, "n": n},
			)
			if list, _ := out["transactions"].([]any); len(list) > 0 {
				return false
			}
		}
		return true
	})
}

// TestRescue sweeps what is not swept automatically: another chain, another token, the native coin.
func TestRescue(t *testing.T) {
	t.Parallel()
	s := openShop(t, settling...)
	s.fundGas(t)
	polygon, base := s.chains[1], s.chains[2]
	// With another wallet on Base, what comes there to an address of Polygon does not count, and no sweep moves it.
	s.settlesTo(t, map[string]any{"base": treasuryWallet})
	txnid, address := s.start(t, "POLYGON", "USDT", 1250)
	base.pay(t, base.Tokens().USDC, address, 300)
	polygon.pay(t, polygon.Tokens().Bridged, address, 200)
	coin, err := polygon.FundNative(t.Context(), common.HexToAddress(address), big.NewInt(5e17))
	testkit.Must(t, err)
	if _, err := polygon.WaitReceipt(t.Context(), coin); err != nil {
		t.Fatal(err)
	}
	eventually(t, "blocks", func() bool { return base.balance(t, base.Tokens().USDC, address) == 300 })

	r := s.run(t, "", "reconcile", "--wait", "100ms")
	if r.status != 1 || !strings.Contains(r.stdout, "0.5 POL") || !strings.Contains(r.stdout, txnid) {
		t.Errorf("with a coin that is not recorded, reconcile says: status %d, %q %q", r.status, r.stdout, r.stderr)
	}
	dry := s.must(t, "", "sweep", "--txnid", txnid, "--dry-run")
	if !strings.Contains(dry, "3 USDC on Base") || !strings.Contains(dry, "0.5 POL on Polygon") ||
		strings.Contains(dry, "Moved") {
		t.Errorf("the dry run says %q", dry)
	}
	s.prints(
		t, "Moved 2 ", "sweep", "--address", address, "--network", "polygon", "--token",
		polygon.Tokens().Bridged.Address.Hex(),
	)
	out := s.must(t, "", "sweep", "--txnid", txnid)
	if !strings.Contains(out, "Moved 3 USDC") || !strings.Contains(out, "Moved 0.5 POL") {
		t.Errorf("sweeping the payment says %q", out)
	}
	base.holds(t, base.Tokens().USDC, settlementWallet, 300)
	polygon.holds(t, polygon.Tokens().Bridged, settlementWallet, 200)
	if has, err := polygon.Client().BalanceAt(t.Context(), common.HexToAddress(settlementWallet), nil); err != nil ||
		has.Cmp(big.NewInt(5e17)) != 0 {
		t.Errorf("the wallet holds %s of the coin, %v", has, err)
	}
	s.prints(t, "nothing to sweep", "sweep", "--txnid", txnid)
	eventually(t, "ledger and chains agree again", func() bool {
		return s.run(t, "", "reconcile", "--wait", "100ms").status == 0
	})

	s.stop(t, syscall.SIGTERM)
	s.rescansWhatWasMissed(t, polygon, txnid, address)
	t.Run("Refused", func(t *testing.T) {
		s.refuses(t, 1, []string{"sweep"}, "--txnid", "--address")
		s.refuses(t, 1, []string{"sweep", "--txnid", "unknown"}, "unknown")
		s.refuses(
			t, 1, []string{"sweep", "--address", settlementWallet, "--network", "base", "--token", "USDT"},
			"never shown",
		)
		s.refuses(t, 1, []string{"sweep", "--address", address}, "--network", "--token")
		s.refuses(
			t, 1, []string{"sweep", "--address", address, "--network", "base", "--token", settlementWallet}, "no token",
		)
		s.refuses(t, 1, []string{"rescan", "--network", "polygon", "--from", "99999999"}, "--from")
	})
}

// rescansWhatWasMissed: a deposit that arrived while the program was down, in a block that the cursor has passed, is
// found by reading again.
func (s *shop) rescansWhatWasMissed(t *testing.T, polygon testChain, txnid, address string) {
	t.Helper()
	head, err := polygon.Client().BlockNumber(t.Context())
	testkit.Must(t, err)
	polygon.pay(t, polygon.Tokens().USDT, address, 1250)
	eventually(t, "final blocks", func() bool {
		now, err := polygon.Client().BlockNumber(t.Context())
		return err == nil && now > head+5
	})
	s.prints(t, "1 payment changed", "rescan", "--network", "polygon", "--from", "1")
	s.prints(t, "0 payments changed", "rescan", "--network", "polygon", "--from", "1")
	s.server = s.serve(t)
	if p := s.status(t, txnid); p["status"] != "COMPLETED" || p["receivedAmount"] != 12.5 {
		t.Errorf("after reading again the payment is %v", p)
	}
	s.stop(t, syscall.SIGTERM)
	// No other process can do it now, nor finish what the server began.
	tx, err := polygon.FundNative(t.Context(), common.HexToAddress(address), big.NewInt(1e17))
	testkit.Must(t, err)
	if _, err := polygon.WaitReceipt(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	s.prints(t, "Moved 0.1 POL", "sweep", "--txnid", txnid, "--network", "polygon", "--token", "native")
	s.prints(t, "No differences", "reconcile")
}
