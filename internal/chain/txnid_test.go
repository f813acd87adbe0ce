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

// TestReadTxnID reads what people paste.
func TestReadTxnID(t *testing.T) {
	t.Parallel()
	const want = "01M81J501DCJP8010PFSW02PKE"
	for name, text := range map[string]string{
		"Same": want, "LowerCase": "01m81j501dcjp8010pfsw02pke", "LookAlikes": "oLM8iJ5OIdcjp8OlOpfswo2pke",
		"FullStop":  want + ".",
		"Bracket":   "(" + want + ")",
		"Space":     " " + want + "\u00a0",
		"ZeroWidth": "\u200b" + want + "\ufeff",
		"Inside":    want[:9] + "\u200d" + want[9:],
		"Quotes":    "“" + want + "”,",
		"Hyphens":   "01M81J50-1DCJ-P801-0PFSW02PKE",
		"TwoLines":  want[:13] + "\r\n " + want[13:],
		"Dashes":    "01M81J50\u20111DCJ\u2013P8010PFSW02PKE",
		"Sentence":  "«" + want + "»؟",
		"Wide":      "０１Ｍ８１Ｊ５０１ＤＣＪＰ８０１０ＰＦＳＷ０２ＰＫＥ",
	} {
		if got, err := chain.ReadTxnID(text); err != nil || got.String() != want {
			t.Errorf("%s: ReadTxnID(%q) = %s, %v; want %s", name, text, got, err, want)
		}
		if got := chain.IsTxnID(text); got != (text == want) {
			t.Errorf("%s: IsTxnID(%q) = %t", name, text, got)
		}
	}
	for name, text := range map[string]string{
		"Empty": "",
		"Short": want[:25],
		"Two":   want + " " + want,
		"Hash":  strings.Repeat("0", 64),
		"U":     "U" + want[1:],
		"Long":  strings.Repeat(want, 9),
	} {
		if got, err := chain.ReadTxnID(text); !fault.Is(err, fault.Invalid) || chain.IsTxnID(text) {
			t.Errorf("%s: ReadTxnID(%q) = %s, %v; want fault.Invalid", name, text, got, err)
		}
	}
}
