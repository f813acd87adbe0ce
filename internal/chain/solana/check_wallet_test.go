package solana_test

import (
	"encoding/json"
	"strings"
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/fault"
)

// TestCheckWallet: what no one can spend from is refused as a settlement wallet, and wallets and vaults are not.
func TestCheckWallet(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		vault, _, err := solanago.FindProgramAddress([][]byte{[]byte("vault")}, solanago.MemoProgramID)
		if err != nil {
			t.Fatal(err)
		}
		paid := h.Address()
		h.Pay(chaintest.Payment{To: paid, Asset: h.Credited(), Units: 1})
		h.mustSend([]solanago.Instruction{transferSOL(h.rich.PublicKey(), vault, h.rent(0))})
		h.Mine(1)
		for name, good := range map[string]solanago.PublicKey{
			"Unused": newKey(t).PublicKey(), "Used": h.rich.PublicKey(), "Vault": vault,
			"OwnerOfTokens": solanago.PublicKey(paid.Raw),
		} {
			if err := h.reader.CheckWallet(t.Context(), chain.Address(good.String())); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		unused, _, err := solanago.FindProgramAddress([][]byte{[]byte("unused")}, solanago.MemoProgramID)
		if err != nil {
			t.Fatal(err)
		}
		for key, good := range map[solanago.PublicKey]bool{vault: true, newKey(t).PublicKey(): true, unused: false} {
			if err := h.reader.CheckPayee(t.Context(), chain.Address(key.String())); (err == nil) != good {
				t.Errorf("payee %s: %v", key, err)
			}
		}
		mint := h.mints[h.Credited().Contract]
		for name, c := range map[string]struct {
			key  solanago.PublicKey
			says string
		}{
			"TokenAccount": {ata(solanago.PublicKey(paid.Raw), mint), string(paid.Address)},
			"Mint":         {mint, "token program"},
			"Program":      {solanago.TokenProgramID, "program"},
		} {
			err := h.reader.CheckWallet(t.Context(), chain.Address(c.key.String()))
			if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, want Invalid that says %q", name, err, c.says)
			}
		}
	})
	h := newLedger(t)
	n := newNode(t, h.URL())
	n.refuse(503)
	err := newHarness(t, h.bank, n.url()).reader.CheckWallet(t.Context(), h.Address().Address)
	if !fault.Is(err, fault.Unavailable) || strings.Contains(err.Error(), n.name()) {
		t.Errorf("without a node: %v, want Unavailable", err)
	}
}

// TestCheckWallet_OfAProgram: an account of a program whose key nobody has, such as the configuration of a multisig, is
// no wallet. One whose key somebody has, such as a nonce account, can still be spent from.
func TestCheckWallet_OfAProgram(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	n := newNode(t, h.URL())
	n.set("getMultipleAccounts", func(_, result json.RawMessage) json.RawMessage {
		return json.RawMessage(strings.ReplaceAll(string(result), solanago.SystemProgramID.String(), multisigProgram))
	})
	reader := newHarness(t, h.bank, n.url()).reader
	config, _, err := solanago.FindProgramAddress(
		[][]byte{[]byte("multisig")}, solanago.MustPublicKeyFromBase58(multisigProgram),
	)
	if err != nil {
		t.Fatal(err)
	}
	h.mustSend([]solanago.Instruction{transferSOL(h.rich.PublicKey(), config, h.rent(0))})
	h.Mine(1)
	err = reader.CheckWallet(t.Context(), chain.Address(config.String()))
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "vault") {
		t.Errorf("%v, want Invalid that names the vault", err)
	}
	if err := reader.CheckWallet(t.Context(), chain.Address(h.rich.PublicKey().String())); err != nil {
		t.Errorf("an account with a key: %v", err)
	}
}

// multisigProgram is the address of Squads v4.
const multisigProgram = "SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf"

// TestCheck_Treasury: a network whose treasury is a token account is not set up.
func TestCheck_Treasury(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	paid := h.Address()
	h.Pay(chaintest.Payment{To: paid, Asset: h.Credited(), Units: 1})
	h.Mine(1)
	account := ata(solanago.PublicKey(paid.Raw), h.mints[h.Credited().Contract])
	for treasury, want := range map[chain.Address]bool{paid.Address: true, chain.Address(account.String()): false} {
		reader, err := solana.New(solana.Config{
			Profile: h.profile(), Endpoints: []string{h.URL()}, Rate: unhurried, Treasury: treasury,
		})
		if err != nil {
			t.Fatal(err)
		}
		err = reader.Check(t.Context())
		if good := err == nil; good != want || !good && !strings.Contains(err.Error(), "FLORIN_SOL_TREASURY") {
			t.Errorf("the treasury %s: %v", treasury, err)
		}
	}
}
