package identity

import (
	"crypto/sha256"
	"hash/crc32"
	"io"
	"strings"

	"github.com/florinpay/florin/internal/secret"
)

// Hash is the SHA-256 of a token; the token itself is never stored.
type Hash [32]byte

// TokenKind is a form of token: a prefix, random base62 characters and a checksum.
//
//	flk_  API key        37 random characters (220 bits) + 6 of checksum
//	fls_  session token  43 random characters (256 bits) + 6 of checksum
//	flr_  password reset 43 random characters (256 bits) + 6 of checksum
//	fli_  invitation     43 random characters (256 bits) + 6 of checksum
//	flt_  team invitation   43 random characters (256 bits) + 6 of checksum
//	flw_  waiting change    43 random characters (256 bits) + 6 of checksum
//	flv_  verification   43 random characters (256 bits) + 6 of checksum
//	flc_  challenge      43 random characters (256 bits) + 6 of checksum
//
// The checksum is the CRC-32 (IEEE 802.3) of all characters before it, written
// as 6 base62 digits, the highest first. A mistyped or made-up token is refused
// without a database query, and secret scanners can distinguish a real one from noise.
// It is no protection; the random characters are.
type TokenKind struct {
	prefix string
	random int // base62 characters
}

// The kinds of token.
var (
	APIKey         = TokenKind{"flk_", 37}
	SessionToken   = TokenKind{"fls_", 43}
	TeamToken      = TokenKind{"flt_", 43}
	ChangeToken    = TokenKind{"flw_", 43} // stops a change that waits
	resetToken     = TokenKind{"flr_", 43}
	inviteToken    = TokenKind{"fli_", 43}
	signUpToken    = TokenKind{"flv_", 43}
	challengeToken = TokenKind{"flc_", 43}
)

const (
	base62        = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	checksumChars = 6 // 62^6 is more than 2^32
)

func (k TokenKind) length() int { return len(k.prefix) + k.random + checksumChars }

// New returns a new token and its hash.
func (k TokenKind) New(random io.Reader) (secret.Text, Hash) {
	text := make([]byte, 0, k.length())
	text = append(text, k.prefix...)
	var chunk [64]byte
	for len(text) < len(k.prefix)+k.random {
		if _, err := io.ReadFull(random, chunk[:]); err != nil {
			panic(err) // crypto/rand never fails
		}
		for _, b := range chunk {
			// 62 and 63 are thrown away, or the first characters of the
			// alphabet would come up more often than the others.
			if b &= 63; int(b) < len(base62) && len(text) < len(k.prefix)+k.random {
				text = append(text, base62[b])
			}
		}
	}
	text = append(text, checksum(string(text))...)
	return secret.New(string(text)), sha256.Sum256(text)
}

// Hash returns the hash of a token that is well formed; ok is false for any
// other text.
func (k TokenKind) Hash(text string) (h Hash, ok bool) {
	if len(text) != k.length() || !strings.HasPrefix(text, k.prefix) {
		return Hash{}, false
	}
	for i := len(k.prefix); i < len(text); i++ {
		if strings.IndexByte(base62, text[i]) < 0 {
			return Hash{}, false
		}
	}
	body := len(text) - checksumChars
	if checksum(text[:body]) != text[body:] {
		return Hash{}, false
	}
	return sha256.Sum256([]byte(text)), true
}

func checksum(body string) string {
	sum := crc32.ChecksumIEEE([]byte(body))
	var digits [checksumChars]byte
	for i := checksumChars - 1; i >= 0; i-- {
		digits[i] = base62[sum%62]
		sum /= 62
	}
	return string(digits[:])
}
