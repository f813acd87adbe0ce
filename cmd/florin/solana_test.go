package main_test

import (
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/sandbox/devsol"
	"github.com/florinpay/florin/internal/testkit"
	keys "github.com/florinpay/florin/internal/wallet"
)

// solanaNetwork is a development ledger of Solana, with a seed and a gas wallet that has a coin.
type solanaNetwork struct {
	ledger *devsol.Ledger
	reader *solana.Adapter
	assets []chain.Asset
	words  string // of the seed
	gas    string // text of the gas wallet's key
}

func startSolana(t *testing.T) *solanaNetwork {
	t.Helper()
	ledger, err := devsol.Start(devsol.Config{SlotTime: 50 * time.Millisecond, SkipEvery: 13})
	testkit.Must(t, err)
	t.Cleanup(func() { _ = ledger.Close() })
	gas, gasText := keys.GenerateSolana()
	_, words, err := keys.GenerateSeed()
	testkit.Must(t, err)
	if _, err := ledger.FundSOL(gas.PublicKey(), solanago.LAMPORTS_PER_SOL); err != nil {
		t.Fatal(err)
	}
	profile := chain.Profiles()[3]
	profile.Assets = []chain.Asset{
		{
			Network: chain.Solana, Contract: chain.Address(ledger.Tokens().USDT.String()), Symbol: "USDT",
			Decimals: devsol.Decimals, Token: money.USDT,
		},
		{
			Network: chain.Solana, Contract: chain.Address(ledger.Tokens().USDC.String()), Symbol: "USDC",
			Decimals: devsol.Decimals, Token: money.USDC,
		},
	}
	reader, err := solana.New(solana.Config{Profile: profile, Endpoints: []string{ledger.URL()}, Rate: 1e9})
	testkit.Must(t, err)
	return &solanaNetwork{
		ledger: ledger, reader: reader, assets: profile.Assets, words: words.Reveal(), gas: gasText.Reveal(),
	}
}

// environ returns the settings by which florin reads the network and sweeps it.
func (s *solanaNetwork) environ() []string {
	return []string{
		"FLORIN_SOL_RPC=" + s.ledger.URL(), "FLORIN_SOL_RPC_BUDGET=unlimited",
		"FLORIN_SOL_USDT=" + string(s.assets[0].Contract), "FLORIN_SOL_USDC=" + string(s.assets[1].Contract),
		"FLORIN_SOL_GAS_KEY=" + s.gas, "FLORIN_SOL_SEED=" + s.words,
	}
}

// asset returns USDT, USDC or else a counterfeit.
func (s *solanaNetwork) asset(symbol string) chain.Asset {
	switch symbol {
	case "USDT":
		return s.assets[0]
	case "USDC":
		return s.assets[1]
	}
	return chain.Asset{Network: chain.Solana, Contract: chain.Address(s.ledger.Tokens().Counterfeit.String())}
}

// pay sends cents of a mint and returns the signature.
func (s *solanaNetwork) pay(t *testing.T, mint chain.Address, to string, cents int64) string {
	t.Helper()
	tx, err := s.ledger.Pay(
		solanago.MustPublicKeyFromBase58(string(mint)), solanago.MustPublicKeyFromBase58(to),
		uint64(cents)*10_000,
	)
	testkit.Must(t, err)
	return tx.String()
}

// centsOf returns what an account holds of an asset.
func (s *solanaNetwork) centsOf(t *testing.T, a chain.Asset, owner chain.Address) int64 {
	t.Helper()
	heads, err := s.reader.Heads(t.Context())
	testkit.Must(t, err)
	held, err := s.reader.Balances(t.Context(), a, []chain.Address{owner}, heads.Latest)
	testkit.Must(t, err)
	return held[0].Big().Int64() / 10_000
}

// solanaShop is a shop that accepts money on Solana only.
type solanaShop struct {
	*shop
	*solanaNetwork
	wallet chain.Address // the settlement wallet: off the curve, as a multisig's vault
}

func openSolanaShop(t *testing.T) *solanaShop {
	t.Helper()
	vault, _, err := solanago.FindProgramAddress([][]byte{[]byte("vault")}, solanago.MemoProgramID)
	testkit.Must(t, err)
	s := &solanaShop{
		shop: &shop{receiver: newReceiver(t)}, solanaNetwork: startSolana(t), wallet: chain.Address(vault.String()),
	}
	env := append(s.environ(),
		"FLORIN_ALLOW_PRIVATE_CALLBACKS=true", "FLORIN_SIGNUP_CREDITS=100000", "FLORIN_SWEEP_WAIT=2s")
	s.open(t, env, map[string]any{"solana": string(s.wallet)})
	return s
}

// awaitFinal waits until the payments made so far are final. The newest of them are in the slot after the newest one.
func (s *solanaShop) awaitFinal(t *testing.T) {
	t.Helper()
	holds := s.ledger.Slot() + 1
	eventually(t, "the payments are final", func() bool {
		heads, err := s.reader.Heads(t.Context())
		return err == nil && heads.Final.Number >= holds
	})
}

// cents returns what the settlement wallet holds of an asset.
func (s *solanaShop) cents(t *testing.T, a chain.Asset) int64 {
	t.Helper()
	return s.centsOf(t, a, s.wallet)
}

// TestSolana_Rescue sweeps what is not swept automatically, SOL and another mint, names differences, and finds missed
// deposits by reading again.
func TestSolana_Rescue(t *testing.T) {
	t.Parallel()
	s := openSolanaShop(t)
	txnid, address := s.start(t, "SOL", "USDT", 1250)
	fake := s.ledger.Tokens().Counterfeit.String()
	s.pay(t, chain.Address(fake), address, 200)
	if _, err := s.ledger.FundSOL(solanago.MustPublicKeyFromBase58(address), solanago.LAMPORTS_PER_SOL/2); err != nil {
		t.Fatal(err)
	}
	var r result
	eventually(t, "a coin that is not recorded is named", func() bool {
		r = s.run(t, "", "reconcile", "--wait", "100ms")
		return r.status == 1 && strings.Contains(r.stdout, "0.5 SOL") && strings.Contains(r.stdout, txnid)
	})
	s.prints(t, "Would sweep 0.5 SOL on Solana from "+address, "sweep", "--txnid", txnid, "--dry-run")
	s.prints(t, "Would sweep 2 ", "sweep", "--address", address, "--network", "sol", "--token", fake, "--dry-run")
	s.prints(t, "Moved 2 ", "sweep", "--address", address, "--network", "sol", "--token", fake)
	heads, err := s.reader.Heads(t.Context()) // the server reads past it while it runs
	testkit.Must(t, err)
	s.prints(t, "Moved 0.5 SOL to "+string(s.wallet), "sweep", "--txnid", txnid)
	s.prints(t, "nothing to sweep", "sweep", "--txnid", txnid)
	if has := s.ledger.Balance(solanago.MustPublicKeyFromBase58(string(s.wallet))); has != solanago.LAMPORTS_PER_SOL/2 {
		t.Errorf("the settlement wallet holds %d lamports", has)
	}
	eventually(t, "ledger and chain agree again", func() bool {
		return s.run(t, "", "reconcile", "--wait", "100ms").status == 0
	})

	s.stop(t, syscall.SIGTERM)
	s.pay(t, s.assets[0].Contract, address, 1250)
	s.awaitFinal(t)
	from := strconv.FormatUint(heads.Final.Number, 10)
	s.prints(t, "1 payment changed", "rescan", "--network", "sol", "--from", from)
	s.prints(t, "0 payments changed", "rescan", "--network", "sol", "--from", from)
	s.server = s.serve(t)
	if p := s.await(t, txnid, "COMPLETED"); p["receivedAmount"] != 12.5 {
		t.Errorf("after reading again the payment is %v", p)
	}
	s.refuses(
		t, 1, []string{"sweep", "--address", string(s.wallet), "--network", "sol", "--token", "USDT"}, "never shown",
	)
	s.refuses(
		t, 1, []string{"sweep", "--address", settlementWallet, "--network", "sol", "--token", "USDT"}, "--address",
	)
	s.refuses(
		t, 1,
		[]string{"sweep", "--address", address, "--network", "sol", "--token", string(s.wallet), "--dry-run"},
		"no token",
	)
}
