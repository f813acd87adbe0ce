package chain_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
)

// FuzzParseAddress: what is taken for an address names exactly the bytes that
// the libraries of the chain read from the same text, and is written in one
// way only. Nothing else is taken, and what is not is changed into nothing.
func FuzzParseAddress(f *testing.F) {
	for _, text := range []string{
		"", "0x", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
		"0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED",
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed", "0x0000000000000000000000000000000000000000",
		"5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", " 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
		"0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed?x=1",
		"HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk", "11111111111111111111111111111111",
		"11111111111111111111111111111112",
		"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpq0",
		"HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqkk",
		"1HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk", "JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG",
		"JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH",
		"\u0430\u0430", "0x\u0665aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, n := range chain.Networks() {
			w, err := chain.ParseAddress(n, text)
			if err != nil {
				if w.Address != "" || w.Raw != nil {
					t.Fatalf("%q on %s is refused and read as %s", text, n, w.Address)
				}
				continue
			}
			if !bytes.Equal(w.Raw, meant(t, n, text)) {
				t.Fatalf("%q on %s is read as %x, which it does not name", text, n, w.Raw)
			}
			if bytes.Count(w.Raw, []byte{0}) == len(w.Raw) {
				t.Fatalf("%q on %s is where money is lost", text, n)
			}
			again, err := chain.ParseAddress(n, string(w.Address))
			if err != nil || again.Address != w.Address || !bytes.Equal(again.Raw, w.Raw) ||
				chain.AddressOf(n, w.Raw).Address != w.Address {
				t.Fatalf("%q on %s is written %s, which is read as %s, %v", text, n, w.Address, again.Address, err)
			}
		}
	})
}

// meant returns the bytes that a text names by the libraries of the chain.
func meant(t *testing.T, n chain.Network, text string) []byte {
	t.Helper()
	if !n.EVM() {
		key, err := solanago.PublicKeyFromBase58(text)
		if err != nil || key.String() != text {
			t.Fatalf("%q is taken for an address of Solana: %v", text, err)
		}
		return key[:]
	}
	raw, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil || !common.IsHexAddress(text) {
		t.Fatalf("%q is taken for an address of %s: %v", text, n, err)
	}
	mixed, err := common.NewMixedcaseAddressFromString(text)
	if err != nil {
		t.Fatalf("%q is taken for an address of %s: %v", text, n, err)
	}
	digits := text[2:]
	if digits != strings.ToLower(digits) && digits != strings.ToUpper(digits) && !mixed.ValidChecksum() {
		t.Fatalf("%q is taken in spite of its checksum", text)
	}
	return raw
}
