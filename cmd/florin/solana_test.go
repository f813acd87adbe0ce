package main_test

import (
	"encoding/binary"
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

// secondAccount makes another token account of the owner, as some wallets do, and pays cents to it.
func (s *solanaShop) secondAccount(t *testing.T, mint chain.Address, owner string, cents int64) (tx, account string) {
	t.Helper()
	key, err := solanago.NewRandomPrivateKey()
	testkit.Must(t, err)
	faucet, token := s.ledger.Faucet(), solanago.MustPublicKeyFromBase58(string(mint))
	to := solanago.MustPublicKeyFromBase58(owner)
	const size = 165
	var rent uint64
	s.ask(t, &rent, "getMinimumBalanceForRentExemption", size)
	create := binary.LittleEndian.AppendUint64(make([]byte, 4), rent)
	create = append(binary.LittleEndian.AppendUint64(create, size), solanago.TokenProgramID[:]...)
	var recent struct {
		Value struct {
			Blockhash solanago.Hash `json:"blockhash"`
		} `json:"value"`
	}
	s.ask(t, &recent, "getLatestBlockhash", map[string]string{"commitment": "confirmed"})
	built, err := solanago.NewTransaction([]solanago.Instruction{
		solanago.NewInstruction(solanago.SystemProgramID, solanago.AccountMetaSlice{
			solanago.Meta(faucet.PublicKey()).WRITE().SIGNER(), solanago.Meta(key.PublicKey()).WRITE().SIGNER(),
		}, create),
		solanago.NewInstruction(solanago.TokenProgramID, solanago.AccountMetaSlice{
			solanago.Meta(key.PublicKey()).WRITE(), solanago.Meta(token),
		}, append([]byte{18}, to[:]...)),
		solanago.NewInstruction(solanago.TokenProgramID, solanago.AccountMetaSlice{
			solanago.Meta(token).WRITE(), solanago.Meta(key.PublicKey()).WRITE(),
			solanago.Meta(faucet.PublicKey()).SIGNER(),
		}, binary.LittleEndian.AppendUint64([]byte{7}, uint64(cents)*10_000)),
	}, recent.Value.Blockhash, solanago.TransactionPayer(faucet.PublicKey()))
	testkit.Must(t, err)
	if _, err := built.Sign(func(k solanago.PublicKey) *solanago.PrivateKey {
		if k == key.PublicKey() {
			return &key
		}
		return &faucet
	}); err != nil {
		t.Fatal(err)
	}
	s.ask(t, &tx, "sendTransaction", built.MustToBase64(),
		map[string]any{"encoding": "base64", "skipPreflight": true})
	return tx, key.PublicKey().String()
}

// find is what the page answers to a payer who names a transaction.
func (s *solanaShop) find(t *testing.T, txnid, hash string) map[string]any {
	t.Helper()
	_, answer := s.do(t, "POST", "/txn/"+txnid+"/find", `{"hash":"`+hash+`"}`)
	lookup, _ := answer["finding"].(map[string]any)
	if lookup == nil {
		t.Fatalf("find answers %v", answer)
	}
	return lookup
}

// associated is the address of an associated token account.
func associated(t *testing.T, owner string, mint chain.Address) string {
	t.Helper()
	a, _, err := solanago.FindAssociatedTokenAddress(
		solanago.MustPublicKeyFromBase58(owner), solanago.MustPublicKeyFromBase58(string(mint)),
	)
	testkit.Must(t, err)
	return a.String()
}

// wantPaid waits until the payment is completed by the transaction, and its money is with the merchant.
func (s *solanaShop) wantPaid(t *testing.T, txnid, tx string, cents int64) {
	t.Helper()
	if p := s.await(t, txnid, "COMPLETED"); p["hash"] != tx || p["receivedAmount"] != float64(cents)/100 {
		t.Errorf("paid by %s, got %v", tx, p)
	}
	eventually(t, "the money is with the merchant", func() bool { return s.cents(t, s.assets[1]) >= cents })
	if got := s.cents(t, s.assets[1]); got != cents {
		t.Errorf("the merchant has %d cents, want %d", got, cents)
	}
}

// TestSolana_FindOnAccounts: a payer whose wallet paid another token account of the deposit owner, or an account that
// it made for the owner's token account, reads that the money counts, and it does; it reaches the merchant.
func TestSolana_FindOnAccounts(t *testing.T) {
	t.Parallel()
	usdc := func(s *solanaShop) chain.Address { return s.assets[1].Contract }
	for name, pay := range map[string]func(t *testing.T, s *solanaShop, owner string) string{
		"Second": func(t *testing.T, s *solanaShop, owner string) string {
			tx, _ := s.secondAccount(t, usdc(s), owner, 700)
			return tx
		},
		"Nested": func(t *testing.T, s *solanaShop, owner string) string {
			return s.pay(t, usdc(s), associated(t, owner, usdc(s)), 700)
		},
		"NestedInOther": func(t *testing.T, s *solanaShop, owner string) string {
			return s.pay(t, usdc(s), associated(t, owner, s.assets[0].Contract), 700)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openSolanaShop(t)
			txnid, owner := s.start(t, "SOL", "USDC", 700)
			tx := pay(t, s, owner)
			eventually(t, "the transaction is found", func() bool {
				f := s.find(t, txnid, tx)
				if v := f["verdict"]; v == "not_found" || v == "unavailable" {
					return false
				}
				if f["verdict"] != "not_final" || f["token"] != "USDC" || f["amount"] != 7.0 {
					t.Errorf("find says %v", f)
				}
				return true
			})
			s.wantPaid(t, txnid, tx, 700)
			if f := s.find(t, txnid, tx); f["verdict"] != "credited" {
				t.Errorf("find says %v of what was credited", f)
			}
			eventually(t, "ledger and chain agree", func() bool {
				return s.run(t, "", "reconcile", "--wait", "100ms").status == 0
			})
		})
	}
}

// TestSolana_AfterSweep: after the sweep closed the account, a second payer takes its address for a wallet. That money
// is late money of the payment, and goes to the merchant.
func TestSolana_AfterSweep(t *testing.T) {
	t.Parallel()
	s := openSolanaShop(t)
	usdc := s.assets[1].Contract
	txnid, owner := s.start(t, "SOL", "USDC", 300)
	s.wantPaid(t, txnid, s.pay(t, usdc, owner, 300), 300)
	account := associated(t, owner, usdc)
	eventually(t, "the account is closed", func() bool {
		return s.ledger.Balance(solanago.MustPublicKeyFromBase58(account)) == 0
	})
	tx := s.pay(t, usdc, account, 400)
	eventually(t, "it is recorded and credited as more than was asked for", func() bool {
		return s.find(t, txnid, tx)["verdict"] == "credited"
	})
	if p := s.status(t, txnid); p["receivedAmount"] != 7.0 {
		t.Errorf("the payment is %v", p)
	}
	eventually(t, "it is with the merchant", func() bool { return s.cents(t, s.assets[1]) == 700 })
}

// TestSolana_OtherTokens: what comes in a mint that is none of the network's is named to the payer and the operator,
// recorded, counts for nothing, and is sent to the merchant by `florin sweep --txnid`.
func TestSolana_OtherTokens(t *testing.T) {
	t.Parallel()
	s := openSolanaShop(t)
	fake := chain.Address(s.ledger.Tokens().Counterfeit.String())
	txnid, owner := s.start(t, "SOL", "USDC", 300)
	for _, pay := range []func() (tx, account string){
		func() (string, string) { return s.secondAccount(t, fake, owner, 500) },
		func() (string, string) { return s.pay(t, fake, owner, 200), associated(t, owner, fake) },
	} {
		tx, account := pay()
		eventually(t, "the answer names the token", func() bool {
			f := s.find(t, txnid, tx)
			return f["verdict"] == "other_token" && strings.EqualFold(f["token"].(string), string(fake))
		})
		s.prints(t, "token account "+account, "sweep", "--txnid", txnid, "--dry-run")
		eventually(t, "it is recorded", func() bool { return s.find(t, txnid, tx)["amount"] != "" })
	}
	if p := s.status(t, txnid); p["receivedAmount"] != 0.0 || p["status"] != "STARTED" {
		t.Errorf("worthless tokens made the payment %v", p)
	}
	s.prints(t, "Moved 7 "+string(fake)+" to "+string(s.wallet), "sweep", "--txnid", txnid)
	if got := s.ledger.Balance(solanago.MustPublicKeyFromBase58(associated(t, string(s.wallet), fake))); got == 0 {
		t.Error("nothing is with the merchant")
	}
	s.prints(t, "nothing to sweep", "sweep", "--txnid", txnid)
	eventually(t, "ledger and chain agree", func() bool {
		return s.run(t, "", "reconcile", "--wait", "100ms").status == 0
	})
}
