package solana_test

import (
	"errors"
	"slices"
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// TestAdapter_Transfer: the transaction that the adapter builds moves exactly the money once the payer has
// signed it, and is refused for a payer who cannot pay.
func TestAdapter_Transfer(t *testing.T) {
	t.Parallel()
	for name, open := range runtimes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			usdc := h.assets[1]
			payer, owner := newKey(t), newKey(t).PublicKey()
			from, to := chain.Address(payer.PublicKey().String()), chain.Address(owner.String())
			build := func(units uint64) ([]byte, error) {
				return h.reader.Transfer(t.Context(), from, to, usdc, money.UnitsFromUint64(units))
			}
			h.Pay(chaintest.Payment{To: watched(payer.PublicKey()), Asset: usdc, Units: 9_000_000})
			h.Mine(1)
			if _, err := build(9_000_000); !errors.Is(err, chain.ErrPayerGas) {
				t.Errorf("a wallet without SOL: %v", err)
			}
			h.mustSend([]solanago.Instruction{transferSOL(h.rich.PublicKey(), payer.PublicKey(), gasFunds)})
			h.Mine(1)
			if _, err := build(9_000_001); !errors.Is(err, solana.ErrTooLittle) {
				t.Errorf("more than the wallet holds: %v", err)
			}
			for range 2 { // the second time the account is there
				raw, err := build(4_500_000)
				if err != nil {
					t.Fatal(err)
				}
				h.sends(signedBy(t, raw, payer), raw, chain.Transfer{To: to, Asset: usdc})
				h.Mine(1)
			}
			heads, err := h.reader.Heads(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			held, err := h.reader.Balances(t.Context(), usdc, []chain.Address{to, from}, heads.Latest)
			if err != nil || held[0].Big().Uint64() != 9_000_000 || !held[1].IsZero() {
				t.Errorf("after the payments: %v, %v", held, err)
			}
		})
	}
}

// sends has a transaction sent that a wallet signed and cannot send, as the transfers that it makes. Nothing is sent
// that is not signed, is longer than a transaction may be, or makes a transfer that is none of them.
func (h *harness) sends(signed, unsigned []byte, list ...chain.Transfer) chain.TxHash {
	h.t.Helper()
	refused := func(what string, raw []byte, list ...chain.Transfer) {
		h.t.Helper()
		if _, err := h.reader.SendTransfers(h.t.Context(), raw, list); !fault.Is(err, fault.Invalid) {
			h.t.Errorf("%s: sent, %v", what, err)
		}
	}
	refused("not signed", unsigned, list...)
	refused("cut", signed[:len(signed)-1], list...)
	refused("too long", append(slices.Clone(signed), make([]byte, 1_232)...), list...)
	refused("nothing", nil, list...)
	rest, last := list[:len(list)-1], list[len(list)-1]
	refused("one too many", signed, rest...)
	other := last
	other.To = h.Address().Address
	refused("to somebody else", signed, append([]chain.Transfer{other}, rest...)...)
	other = last
	if other.Asset = h.assets[0]; last.Asset == other.Asset {
		other.Asset = h.assets[1]
	}
	refused("of another token", signed, append([]chain.Transfer{other}, rest...)...)
	other = last
	other.Units = money.UnitsFromUint64(2_999_999)
	refused("of another amount", signed, append([]chain.Transfer{other}, rest...)...)
	hash, err := h.reader.SendTransfers(h.t.Context(), signed, list)
	if err != nil {
		h.t.Fatal(err)
	}
	return hash
}

// signedBy signs a transaction as a wallet does: it adds its signature and changes nothing else.
func signedBy(t *testing.T, raw []byte, key solanago.PrivateKey) []byte {
	t.Helper()
	tx, err := solanago.TransactionFromBytes(raw)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Sign(func(solanago.PublicKey) *solanago.PrivateKey { return &key }); err != nil {
		t.Fatal(err)
	}
	out, err := tx.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAdapter_TransferRefused(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	usdc, to := h.assets[1], h.Address().Address
	wallet := chain.Address(newKey(t).PublicKey().String())
	vault, _, err := solanago.FindProgramAddress([][]byte{[]byte("vault")}, solanago.MemoProgramID)
	if err != nil {
		t.Fatal(err)
	}
	unknown := usdc
	unknown.Contract = wallet
	one := money.UnitsFromUint64(1)
	for name, row := range map[string]struct {
		payer chain.Address
		asset chain.Asset
		units money.Units
	}{
		"NoAddress":   {"hello", usdc, one},
		"OffCurve":    {chain.Address(vault.String()), usdc, one},
		"ToItself":    {to, usdc, one},
		"NoUnits":     {wallet, usdc, money.Units{}},
		"UnknownMint": {wallet, unknown, one},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := h.reader.Transfer(t.Context(), row.payer, to, row.asset, row.units)
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("error %v, want Invalid", err)
			}
		})
	}
}

// TestAdapter_TransferVerdicts: what one node says against a transfer is no verdict while another one makes it.
func TestAdapter_TransferVerdicts(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(n *node){
		"Empty": func(n *node) { n.poor("") },
		"Rent":  func(n *node) { n.set("getMinimumBalanceForRentExemption", always(`900000000000`)) },
	} {
		for nodes := 2; nodes <= 3; nodes++ {
			h := newLedger(t)
			usdc, payer := h.assets[1], newKey(t)
			h.Pay(chaintest.Payment{To: watched(payer.PublicKey()), Asset: usdc, Units: 9_000_000})
			h.mustSend([]solanago.Instruction{transferSOL(h.rich.PublicKey(), payer.PublicKey(), gasFunds)})
			h.Mine(1)
			reader, list, _ := h.through(t, nodes)
			for _, n := range list[:nodes-1] {
				spoil(n)
			}
			_, err := reader.Transfer(t.Context(), chain.Address(payer.PublicKey().String()),
				chain.Address(newKey(t).PublicKey().String()), usdc, money.UnitsFromUint64(9_000_000))
			if err != nil {
				t.Errorf("%s: through %d nodes: %v", name, nodes, err)
			}
		}
	}
}
