package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// KeyLen is the length of the operator's secret key in bytes.
const KeyLen = 32

// keyIDLen is the length of a key's id in bytes. It tells the few keys of one installation apart.
const keyIDLen = 4

// sealedPrefix begins every sealed text: the version of the format. The id of the key and the base64 of nonce and
// ciphertext follow, with points between them.
const sealedPrefix = "sealed1."

var (
	// ErrSealed: a sealed value cannot be opened: it was sealed with another key, for another place, or was changed.
	ErrSealed = errors.New("a sealed value cannot be opened with this FLORIN_SECRET_KEY")
	// ErrUnknownKey: a sealed value names a key that the Sealer does not have. It is an ErrSealed too.
	ErrUnknownKey = fmt.Errorf("%w: it was sealed with another key", ErrSealed)
)

// Sealer encrypts stored secrets (AES-256-GCM with a random nonce). A value is bound to the place where it is stored,
// so that a row's secret cannot be copied into another row. It seals with one key and opens with every key it has, so
// that the key can be changed. It is safe for concurrent use.
type Sealer struct {
	keys     atomic.Pointer[[]*key] // the first one seals
	changing sync.Mutex
}

// key is one secret key and the cipher that derives from it.
type key struct {
	id   string
	aead cipher.AEAD
	raw  []byte
}

// NewSealer returns a sealer that seals with the operator's key of KeyLen bytes, and opens with the others too.
func NewSealer(first []byte, others ...[]byte) (*Sealer, error) {
	s := &Sealer{}
	s.keys.Store(&[]*key{})
	for _, raw := range append([][]byte{first}, others...) {
		if err := s.Add(raw); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func newKey(raw []byte) (*key, error) {
	if len(raw) != KeyLen {
		return nil, fmt.Errorf("the secret key has %d bytes, not %d; make one with `florin keygen`", len(raw), KeyLen)
	}
	k := &key{raw: slices.Clone(raw)}
	k.id = hex.EncodeToString(k.derive("key id v1")[:keyIDLen])
	block, err := aes.NewCipher(k.derive("sealing v1"))
	if err != nil {
		return nil, fmt.Errorf("sealing cipher: %w", err)
	}
	if k.aead, err = cipher.NewGCM(block); err != nil {
		return nil, fmt.Errorf("sealing mode: %w", err)
	}
	return k, nil
}

func (k *key) derive(purpose string) []byte {
	d, err := hkdf.Key(sha256.New, k.raw, nil, "florin "+purpose, KeyLen)
	if err != nil {
		panic(fmt.Sprintf("secret: derive a key of %d bytes: %v", KeyLen, err))
	}
	return d
}

// Add makes the sealer open what was sealed with the key too. A key that it has is left where it is.
func (s *Sealer) Add(raw []byte) error {
	k, err := newKey(raw)
	if err != nil {
		return err
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	if have := *s.keys.Load(); !s.Knows(k.id) {
		all := append(slices.Clone(have), k)
		s.keys.Store(&all)
	}
	return nil
}

// Use makes the sealer seal with the key of that id, and reports whether it has it.
func (s *Sealer) Use(id string) bool {
	s.changing.Lock()
	defer s.changing.Unlock()
	all := slices.Clone(*s.keys.Load())
	i := slices.IndexFunc(all, func(k *key) bool { return k.id == id })
	if i < 0 {
		return false
	}
	all[0], all[i] = all[i], all[0]
	s.keys.Store(&all)
	return true
}

// KeyID is the id of the key that the sealer seals with. It is no secret.
func (s *Sealer) KeyID() string { return (*s.keys.Load())[0].id }

// KeyIDs are the ids of all keys that the sealer has, the one that it seals with first.
func (s *Sealer) KeyIDs() []string {
	var ids []string
	for _, k := range *s.keys.Load() {
		ids = append(ids, k.id)
	}
	return ids
}

// Knows reports whether the sealer opens what was sealed with the key of that id.
func (s *Sealer) Knows(id string) bool { return s.key(id) != nil }

func (s *Sealer) key(id string) *key {
	for _, k := range *s.keys.Load() {
		if k.id == id {
			return k
		}
	}
	return nil
}

// KeyIDOf returns the id of the key that a text was sealed with; empty if the text is not a sealed one.
func KeyIDOf(sealed string) string {
	id, _, _ := cut(sealed)
	return id
}

// cut takes a sealed text apart.
func cut(sealed string) (id, body string, ok bool) {
	rest, ok := strings.CutPrefix(sealed, sealedPrefix)
	if !ok {
		return "", "", false
	}
	id, body, ok = strings.Cut(rest, ".")
	if !ok || len(id) != 2*keyIDLen {
		return "", "", false
	}
	return id, body, true
}

// Seal encrypts the text for the place. An empty text seals to an empty string.
func (s *Sealer) Seal(place string, t Text) string {
	if t.Empty() {
		return ""
	}
	return s.SealBytes(place, []byte(t.Reveal()))
}

// SealBytes is Seal for bytes. The caller may overwrite them afterwards.
func (s *Sealer) SealBytes(place string, plain []byte) string {
	k := (*s.keys.Load())[0]
	nonce := make([]byte, k.aead.NonceSize())
	_, _ = rand.Read(nonce) // crypto/rand never fails; it ends the program instead
	body := k.aead.Seal(nonce, nonce, plain, []byte(place))
	return sealedPrefix + k.id + "." + base64.RawStdEncoding.EncodeToString(body)
}

// Open decrypts what Seal made for the same place, or fails with ErrSealed.
func (s *Sealer) Open(place, sealed string) (Text, error) {
	if sealed == "" {
		return Text{}, nil
	}
	plain, err := s.OpenInto(nil, place, sealed)
	if err != nil {
		return Text{}, err
	}
	return New(string(plain)), nil
}

// OpenInto is Open that appends the plain bytes to dst. Where dst has room for them, they are written nowhere else.
func (s *Sealer) OpenInto(dst []byte, place, sealed string) ([]byte, error) {
	id, body, ok := cut(sealed)
	if !ok {
		return nil, fmt.Errorf("%s: %w", place, ErrSealed)
	}
	k := s.key(id)
	if k == nil {
		return nil, fmt.Errorf("%s: %w, %s", place, ErrUnknownKey, id)
	}
	raw, err := base64.RawStdEncoding.DecodeString(body)
	n := k.aead.NonceSize()
	if err != nil || len(raw) < n {
		return nil, fmt.Errorf("%s: %w", place, ErrSealed)
	}
	plain, err := k.aead.Open(dst, raw[:n], raw[n:], []byte(place))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", place, ErrSealed)
	}
	return plain, nil
}

// Reseal returns the text sealed with the key that the sealer seals with: the same text if it is already, or empty.
func (s *Sealer) Reseal(place, sealed string) (string, error) {
	if sealed == "" || KeyIDOf(sealed) == s.KeyID() {
		return sealed, nil
	}
	plain, err := s.OpenInto(nil, place, sealed)
	if err != nil {
		return "", err
	}
	defer clear(plain)
	return s.SealBytes(place, plain), nil
}

// Derive returns a key of KeyLen bytes for another purpose, such as a MAC, so that no two purposes ever share one. It
// derives from the key that the sealer seals with.
func (s *Sealer) Derive(purpose string) []byte { return (*s.keys.Load())[0].derive(purpose) }

// DeriveAll returns the keys for the purposes, in their order, of every secret key that the sealer has, the one that it
// seals with first: what was made with any of them is accepted.
func (s *Sealer) DeriveAll(purposes ...string) [][]byte {
	var list [][]byte
	for _, k := range *s.keys.Load() {
		for _, purpose := range purposes {
			list = append(list, k.derive(purpose))
		}
	}
	return list
}
