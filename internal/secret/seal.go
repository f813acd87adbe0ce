package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
)

// KeyLen is the length of the operator's secret key in bytes.
const KeyLen = 32

// ErrSealed: a sealed value cannot be opened: it was sealed with another key,
// for another place, or was changed.
var ErrSealed = errors.New("a sealed value cannot be opened with this FLORIN_SECRET_KEY")

// Sealer encrypts stored secrets (AES-256-GCM with a random nonce). A value is bound to the place where it is stored,
// so that a row's secret cannot be copied into another row. It is safe for concurrent use.
type Sealer struct {
	aead cipher.AEAD
	key  []byte
}

// NewSealer returns a sealer for the operator's key of KeyLen bytes.
func NewSealer(key []byte) (*Sealer, error) {
	if len(key) != KeyLen {
		return nil, fmt.Errorf("the secret key has %d bytes, not %d; make one with `florin keygen`", len(key), KeyLen)
	}
	sealing, err := hkdf.Key(sha256.New, key, nil, "florin sealing v1", KeyLen)
	if err != nil {
		return nil, fmt.Errorf("derive the sealing key: %w", err)
	}
	block, err := aes.NewCipher(sealing)
	if err != nil {
		return nil, fmt.Errorf("sealing cipher: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("sealing mode: %w", err)
	}
	return &Sealer{aead: aead, key: append([]byte(nil), key...)}, nil
}

// Seal encrypts the text for the place. An empty text seals to an empty string.
func (s *Sealer) Seal(place string, t Text) string {
	if t.Empty() {
		return ""
	}
	nonce := make([]byte, s.aead.NonceSize())
	_, _ = rand.Read(nonce) // crypto/rand never fails; it ends the program instead
	return base64.RawStdEncoding.EncodeToString(s.aead.Seal(nonce, nonce, []byte(t.Reveal()), []byte(place)))
}

// Open decrypts what Seal made for the same place, or fails with ErrSealed.
func (s *Sealer) Open(place, sealed string) (Text, error) {
	if sealed == "" {
		return Text{}, nil
	}
	raw, err := base64.RawStdEncoding.DecodeString(sealed)
	if err != nil || len(raw) < s.aead.NonceSize() {
		return Text{}, fmt.Errorf("%s: %w", place, ErrSealed)
	}
	n := s.aead.NonceSize()
	plain, err := s.aead.Open(nil, raw[:n], raw[n:], []byte(place))
	if err != nil {
		return Text{}, fmt.Errorf("%s: %w", place, ErrSealed)
	}
	return New(string(plain)), nil
}

// Derive returns a key of KeyLen bytes for another purpose, such as signing
// cookies, so that no two purposes ever share one.
func (s *Sealer) Derive(purpose string) []byte {
	k, err := hkdf.Key(sha256.New, s.key, nil, "florin "+purpose, KeyLen)
	if err != nil {
		panic(fmt.Sprintf("secret: derive a key of %d bytes: %v", KeyLen, err))
	}
	return k
}
