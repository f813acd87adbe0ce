package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func mustMake(t interface{ Fatal(...any) }, k TokenKind) string {
	text, hash := k.New(rand.Reader)
	if hash != sha256.Sum256([]byte(text.Reveal())) {
		t.Fatal("the hash is not the SHA-256 of the text")
	}
	return text.Reveal()
}

func TestToken_Form(t *testing.T) {
	t.Parallel()
	if key := mustMake(t, APIKey); len(key) != 47 || !strings.HasPrefix(key, "flk_") {
		t.Errorf("an API key is flk_ and 43 characters, this one has %d in all", len(key))
	}
	if session := mustMake(t, SessionToken); len(session) != 53 || !strings.HasPrefix(session, "fls_") {
		t.Errorf("a session token is fls_ and 49 characters, this one has %d in all", len(session))
	}
	// At least 220 bits of an API key and 256 of a session token are random.
	for k, bits := range map[TokenKind]int{APIKey: 220, SessionToken: 256} {
		if space := new(big.Int).Exp(big.NewInt(62), big.NewInt(int64(k.random)), nil); space.BitLen()-1 < bits {
			t.Errorf("%s has %d random bits, want %d", k.prefix, space.BitLen()-1, bits)
		}
	}
}

// TestToken_Checksum computes the checksum as documented, apart from the code.
func TestToken_Checksum(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key := mustMake(t, APIKey)
		sum := new(big.Int)
		for _, c := range key[41:] {
			sum.Mul(sum, big.NewInt(62)).Add(sum, big.NewInt(int64(strings.IndexRune(base62, c))))
		}
		if want := crc32.ChecksumIEEE([]byte(key[:41])); sum.Cmp(big.NewInt(int64(want))) != 0 {
			t.Fatalf("the checksum of %s is %s, want %d", key, sum, want)
		}
		if h, ok := APIKey.Hash(key); !ok || h != sha256.Sum256([]byte(key)) {
			t.Fatalf("a fresh key %s is refused", key)
		}
	})
}

// TestToken_OneCharacterOff: a CRC-32 catches every change within four
// neighbouring bytes, so every typo.
func TestToken_OneCharacterOff(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key := []byte(mustMake(t, APIKey))
		at := rapid.IntRange(0, len(key)-1).Draw(t, "at")
		other := rapid.Byte().Draw(t, "other")
		if key[at] == other {
			return
		}
		key[at] = other
		if _, ok := APIKey.Hash(string(key)); ok {
			t.Fatalf("%q passes, with character %d changed", key, at)
		}
	})
}

func TestToken_Refuses(t *testing.T) {
	t.Parallel()
	key := mustMake(t, APIKey)
	for name, text := range map[string]string{
		"empty": "", "prefix only": "flk_", "one short": key[:46], "one long": key + "0",
		"no prefix": key[4:], "upper prefix": "FLK_" + key[4:],
		"space before": " " + key[:46], "a session token": mustMake(t, SessionToken), "many": strings.Repeat(key, 1000),
		"not base62": "flk_" + strings.Repeat(
			"é", 21,
		) + "0", "its own checksum": "flk_" + strings.Repeat("-", 37) + checksum("flk_"+strings.Repeat("-", 37)),
	} {
		if _, ok := APIKey.Hash(text); ok {
			t.Errorf("%s: passes", name)
		}
	}
	if _, ok := SessionToken.Hash(key); ok {
		t.Error("an API key passes as a session token")
	}
}

// TestToken_Uniform counts how often each character comes up. With 2,000 keys
// of 37 characters each is expected 1,194 times with a deviation of 34; a bias
// by the remainder of 256 / 62 would show as 300 too many.
func TestToken_Uniform(t *testing.T) {
	t.Parallel()
	var seen [256]int
	for range 2000 {
		for _, c := range []byte(mustMake(t, APIKey))[4:41] {
			seen[c]++
		}
	}
	for _, c := range []byte(base62) {
		if n := seen[c]; n < 1194-240 || n > 1194+240 {
			t.Errorf("%c came up %d times, want about 1194", c, n)
		}
	}
}

func FuzzToken(f *testing.F) {
	f.Add("")
	f.Add(mustMake(f, APIKey))
	f.Fuzz(func(t *testing.T, text string) {
		if _, ok := APIKey.Hash(text); ok && (len(text) != 47 || checksum(text[:41]) != text[41:]) {
			t.Fatalf("%q passes", text)
		}
	})
}
