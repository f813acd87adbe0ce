package main_test

import (
	"encoding/binary"
	"strings"
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/testkit"
)

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
