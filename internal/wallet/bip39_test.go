package wallet

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/cosmos/go-bip39"

	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
)

// TestBIP39 compares the library with the test vectors of BIP-39, whose passphrase is TREZOR.
func TestBIP39(t *testing.T) {
	t.Parallel()
	for _, v := range []struct{ entropy, words, seed string }{
		{
			strings.Repeat("00", 16), strings.Repeat("abandon ", 11) + "about",
			"c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81b2f001698e7463b04",
		},
		{
			strings.Repeat("7f", 16), "legal winner thank year wave sausage worth useful legal winner thank yellow",
			"2e8905819b8723fe2c1d161860e5ee1830318dbf49a83bd451cfb8440c28bd6fa457fe1296106559a3c80937a1c1069be3a3a5bd381ee6260e8d9739fce1f607",
		},
		{
			strings.Repeat("80", 16), "letter advice cage absurd amount doctor acoustic avoid letter advice cage above",
			"d71de856f81a8acc65e6fc851a38d4d7ec216fd0796d0a6827a3ad6ed5511a30fa280f12eb2e47ed2ac03b5c462a0358d18d69fe4f985ec81778c1b370b652a8",
		},
		{
			strings.Repeat("ff", 16), strings.Repeat("zoo ", 11) + "wrong",
			"ac27495480225222079d7be181583751e86f571027b0497b5b5d11218e0a8a13332572917f0f8e5a589620c6f15b11c61dee327651a14c34e18231052e48c069",
		},
		{
			strings.Repeat("00", 24), strings.Repeat("abandon ", 17) + "agent",
			"035895f2f481b1b0f01fcf8c289c794660b289981a78f8106447707fdd9666ca06da5a9a565181599b79f53b844d8a71dd9f439c52a3d7b3e8a79c906ac845fa",
		},
		{
			strings.Repeat("00", 32), strings.Repeat("abandon ", 23) + "art",
			"bda85446c68413707090a52022edd26a1c9462295029f2e60cd7c4f2bbd3097170af7a4d73245cafa9c3cca8d561a7c3de6f5d4a10be8ed2a5e608d68f92fcc8",
		},
		{
			strings.Repeat("ff", 32), strings.Repeat("zoo ", 23) + "vote",
			"dd48c104698c30cfe2b6142103248622fb7bb0ff692eebb00089b32d22484e1613912f0a5b694407be899ffd31ed3992c456cdf60f5d4564b8ba3f05a69890ad",
		},
	} {
		entropy, err := hex.DecodeString(v.entropy)
		testkit.Must(t, err)
		if words, err := bip39.NewMnemonic(entropy); err != nil || words != v.words {
			t.Errorf("the words of %s are %q, %v", v.entropy, words, err)
		}
		if seed := hex.EncodeToString(bip39.NewSeed(v.words, "TREZOR")); seed != v.seed {
			t.Errorf("the seed of %q is %s", v.words, seed)
		}
		if _, err := ParseSeed(secret.New(v.words)); err != nil {
			t.Errorf("%q: %v", v.words, err)
		}
		words := strings.Fields(v.words)
		words[0] = "ability"
		if _, err := ParseSeed(secret.New(strings.Join(words, " "))); err == nil {
			t.Errorf("%q is accepted although its checksum is wrong", words)
		}
	}
}
