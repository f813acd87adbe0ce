package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/secret"
)

// The headers of Standard Webhooks 1.0. The id is the same for every attempt
// of an event, the timestamp is that of the attempt.
const (
	HeaderID        = "webhook-id"
	HeaderTimestamp = "webhook-timestamp"
	HeaderSignature = "webhook-signature"
	// HeaderReplayed is "true" on what is sent again after a restore: see Delivery.Replayed. Others have no such
	// header.
	HeaderReplayed = "webhook-replayed"
)

// The form of a signing secret (Standard Webhooks 1.0).
const (
	secretPrefix  = "whsec_"
	newSecretLen  = 32 // bytes of a secret made here
	minSecretLen  = 24
	maxSecretLen  = 64
	versionPrefix = "v1," // HMAC-SHA256
)

// maxIDLen is far above any event id. The id is part of the signed content and
// of a header, so it is checked.
const maxIDLen = 128

// The refusals of Sign. Neither shows the secret.
var (
	ErrSigningSecret = errors.New("a webhook signing secret is not whsec_ and the base64 of 24 to 64 bytes")
	ErrEventID       = errors.New("a webhook id is 1 to 128 letters, digits, '_' or '-'")
)

// NewSigningSecret returns a new secret of 32 bytes from the system's
// cryptographic source.
func NewSigningSecret() secret.Text {
	key := make([]byte, newSecretLen)
	_, _ = rand.Read(key) // crypto/rand never fails; it ends the program instead
	return secret.New(secretPrefix + base64.StdEncoding.EncodeToString(key))
}

// Sign returns the value of the signature header: one HMAC-SHA256 for each
// secret, in their order, separated by spaces, so that a receiver that has any
// of them can verify it. It fails with ErrSigningSecret or ErrEventID.
func Sign(secrets []secret.Text, id string, at time.Time, body []byte) (string, error) {
	if !validID(id) {
		return "", ErrEventID
	}
	signed := id + "." + strconv.FormatInt(at.Unix(), 10) + "."
	parts := make([]string, 0, len(secrets))
	for i, s := range secrets {
		key, err := signingKey(s)
		if err != nil {
			return "", fmt.Errorf("signing secret %d of %d: %w", i+1, len(secrets), err)
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(signed))
		mac.Write(body)
		parts = append(parts, versionPrefix+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(parts, " "), nil
}

func signingKey(s secret.Text) ([]byte, error) {
	encoded, ok := strings.CutPrefix(s.Reveal(), secretPrefix)
	if !ok {
		return nil, ErrSigningSecret
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(key) < minSecretLen || len(key) > maxSecretLen {
		return nil, ErrSigningSecret
	}
	return key, nil
}

// validID refuses other characters, above all the dot, which separates the parts
// of the signed content.
func validID(id string) bool {
	if id == "" || len(id) > maxIDLen {
		return false
	}
	for _, c := range []byte(id) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}
