package testkit

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"slices"
	"testing"
)

// Device is a passkey device in software, with a browser in front of it: it registers passkeys and signs in with them
// as a browser does, or as an attacker would. Its signatures are valid for its data. An attack changes one thing about
// a correct response, so that the server must refuse it for that thing.
type Device struct {
	Origin string // origin of the page in the browser
	RPID   string // relying party that passkeys are registered for
	// Unverified: the device did not verify its user.
	Unverified bool
}

// Key is a passkey with its private half.
type Key struct {
	ID      []byte
	Handle  []byte // user handle, as given by the server
	Counter uint32 // signature counter of the last response
	private *ecdsa.PrivateKey
}

// Flags of authenticator data (Web Authentication Level 3, section 6.1).
const (
	userPresent  = 1 << 0
	userVerified = 1 << 2
	attested     = 1 << 6
)

// Question is the options that the server sends.
type Question struct {
	PublicKey struct {
		Challenge string
		User      struct{ ID string }
		// AllowCredentials, ExcludeCredentials name passkeys.
		AllowCredentials, ExcludeCredentials []struct{ ID string }
		UserVerification                     string
	} `json:"publicKey"`
}

// Parse decodes the server's options.
func Parse(t testing.TB, options string) Question {
	t.Helper()
	var q Question
	if err := json.Unmarshal([]byte(options), &q); err != nil || q.PublicKey.Challenge == "" {
		t.Fatalf("no options: %v: %s", err, options)
	}
	return q
}

// NewKey makes a key pair and a credential id. The user handle is set by Make.
func NewKey(t testing.TB) *Key {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	Must(t, err)
	k := &Key{ID: make([]byte, 32), private: private}
	_, _ = rand.Read(k.ID) // never fails
	return k
}

// Make returns the response of a registration with k.
func (a Device) Make(t testing.TB, options string, k *Key) string {
	t.Helper()
	q := Parse(t, options)
	k.Handle = fromText(t, q.PublicKey.User.ID)
	point, err := k.private.PublicKey.Bytes() // 4, x, y
	Must(t, err)
	// COSE_Key of ES256 (RFC 9053), in CBOR: {1: 2, 3: -7, -1: 1, -2: x, -3: y}.
	key := slices.Concat(
		[]byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20}, point[1:33], []byte{0x22, 0x58, 0x20},
		point[33:],
	)
	data := a.data(k, attested)
	data = append(data, make([]byte, 16)...) // AAGUID: none
	data = binary.BigEndian.AppendUint16(data, uint16(len(k.ID)))
	data = slices.Concat(data, k.ID, key)
	// {"fmt": "none", "attStmt": {}, "authData": data}
	object := slices.Concat([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59"), binary.BigEndian.AppendUint16(nil, uint16(len(data))), data)
	return respond(t, k, map[string]any{
		"clientDataJSON":    text(a.client(t, "webauthn.create", q)),
		"attestationObject": text(object), "transports": []string{"internal"},
	})
}

// Answer returns the response of a sign-in with k. Its counter is incremented first.
func (a Device) Answer(t testing.TB, options string, k *Key) string {
	t.Helper()
	k.Counter++
	data, client := a.data(k, 0), a.client(t, "webauthn.get", Parse(t, options))
	about := sha256.Sum256(client)
	signed := sha256.Sum256(slices.Concat(data, about[:]))
	signature, err := ecdsa.SignASN1(rand.Reader, k.private, signed[:])
	Must(t, err)
	return respond(t, k, map[string]any{
		"clientDataJSON":    text(client),
		"authenticatorData": text(data), "signature": text(signature), "userHandle": text(k.Handle),
	})
}

// data is the authenticator data.
func (a Device) data(k *Key, flags byte) []byte {
	flags |= userPresent
	if !a.Unverified {
		flags |= userVerified
	}
	rp := sha256.Sum256([]byte(a.RPID))
	return binary.BigEndian.AppendUint32(append(rp[:], flags), k.Counter)
}

// client is the client data, which the browser adds.
func (a Device) client(t testing.TB, kind string, q Question) []byte {
	t.Helper()
	said, err := json.Marshal(
		map[string]any{"type": kind, "challenge": q.PublicKey.Challenge, "origin": a.Origin, "crossOrigin": false},
	)
	Must(t, err)
	return said
}

func respond(t testing.TB, k *Key, response map[string]any) string {
	t.Helper()
	said, err := json.Marshal(map[string]any{
		"id":    text(k.ID),
		"rawId": text(k.ID), "type": "public-key", "clientExtensionResults": map[string]any{}, "response": response,
	})
	Must(t, err)
	return string(said)
}

func text(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func fromText(t testing.TB, s string) []byte {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(s)
	Must(t, err)
	return raw
}
