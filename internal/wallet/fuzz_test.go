package wallet

import (
	"strings"
	"testing"

	"github.com/mr-tron/base58"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
)

// FuzzParse passes any text to all parsers: each refuses it as invalid, or returns a key that signs.
func FuzzParse(f *testing.F) {
	sol, text := GenerateSolana()
	for _, seed := range []string{
		"", junkKey, abandon, text.Reveal(), base58.Encode(sol.key()[:32]), "[1,2,null]", "[",
		strings.Repeat("1", 2000),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		evm, err := ParseEVM(secret.New(text))
		if (evm == nil) == (err == nil) || err != nil && !fault.Is(err, fault.Invalid) {
			t.Fatalf("ParseEVM(%q) = %v, %v", text, evm, err)
		}
		sol, err := ParseSolana(secret.New(text))
		if (sol == nil) == (err == nil) || err != nil && !fault.Is(err, fault.Invalid) {
			t.Fatalf("ParseSolana(%q) = %v, %v", text, sol, err)
		}
		seed, err := ParseSeed(secret.New(text))
		if (seed == nil) == (err == nil) || err != nil && !fault.Is(err, fault.Invalid) {
			t.Fatalf("ParseSeed(%q) = %v, %v", text, seed, err)
		}
	})
}

func TestGenerateSolana(t *testing.T) {
	t.Parallel()
	k, text := GenerateSolana()
	if again, err := ParseSolana(text); err != nil || again.Wallet() != k.Wallet() {
		t.Fatalf("ParseSolana of a new key = %v, %v; want the address %s", again, err, k.Wallet())
	}
	if other, _ := GenerateSolana(); other.Wallet() == k.Wallet() {
		t.Error("two new keys are the same")
	}
}
