package chain_test

import (
	"strings"
	"testing"

	"github.com/oklog/ulid/v2"
	"pgregory.net/rapid"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

// TestParseTxnID compares with another implementation of ULIDs.
func TestParseTxnID(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var want ulid.ULID
		copy(want[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "bytes"))
		for _, text := range []string{want.String(), strings.ToLower(want.String())} {
			got, err := chain.ParseTxnID(text)
			if err != nil || got != chain.TxnID(want) {
				t.Fatalf("ParseTxnID(%q) = %x, %v; want %x", text, got, err, want)
			}
			if got.String() != want.String() {
				t.Fatalf("%x is written %s, want %s", got, got, want)
			}
		}
	})
}

func TestParseTxnID_Refuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"Empty":      "",
		"Short":      "01M81J501DCJP808GPFSW02PK",
		"Long":       "01M81J501DCJP808GPFSW02PKE0",
		"TooLarge":   "81M81J501DCJP808GPFSW02PKE",
		"LetterI":    "01M81J501DCJP808GPFSW02PKI",
		"LetterO":    "01M81J501DCJP808GPFSW02PKO",
		"Space":      "01M81J501DCJP808GPFSW02PK ",
		"NotASCII":   "01M81J501DCJP808GPFSW02Pſa", // ſ is S in upper case, two bytes long
		"RowNumber":  "42",
		"Hyphenated": "01M81J50-DCJP808GPFSW02PKE",
	} {
		if got, err := chain.ParseTxnID(text); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: ParseTxnID(%q) = %s, %v; want fault.Invalid", name, text, got, err)
		}
	}
}
