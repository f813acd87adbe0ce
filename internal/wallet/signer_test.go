package wallet

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/testkit"
)

func TestSignerOf(t *testing.T) {
	t.Parallel()
	key, err := crypto.GenerateKey()
	testkit.Must(t, err)
	const message = "Replace the API key\nwith ünicode"
	raw, err := crypto.Sign(accounts.TextHash([]byte(message)), key)
	testkit.Must(t, err)
	want := crypto.PubkeyToAddress(key.PublicKey).Hex()
	zeroBased := hex.EncodeToString(raw)
	raw[64] += 27
	asWalletsDo := "0x" + hex.EncodeToString(raw)
	for _, signature := range []string{zeroBased, asWalletsDo} {
		if got, err := SignerOf(message, signature); err != nil || string(got) != want {
			t.Errorf("SignerOf = %s, %v; want %s", got, err, want)
		}
	}
	if got, err := SignerOf(message+"x", asWalletsDo); err == nil && string(got) == want {
		t.Error("another message has the same signer")
	}
	for _, bad := range []string{"", "0x", "hello", asWalletsDo + "00", asWalletsDo[:len(asWalletsDo)-2], "0x" +
		strings.Repeat("0", 130), "0x" + strings.Repeat("f", 130)} {
		if _, err := SignerOf(message, bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("SignerOf(%q): %v", bad, err)
		}
	}
}
