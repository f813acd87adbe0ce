package rotation

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/florinpay/florin/internal/secret"
)

// The places that bind what programs send each other to the receiver's row.
func helloPlace(holder string) string { return "sealers/" + holder + "/hello" }
func offerPlace(holder string) string { return "sealers/" + holder + "/offer" }
func innerPlace(holder string) string { return "sealers/" + holder + "/key" }

var errOffer = errors.New("it is not what a program of this installation sends")

// makeOffer encrypts the new key for the program that said hello: with a secret that only the two share (X25519), and
// sealed with the old key, so that it comes from someone who has it.
func makeOffer(s *secret.Sealer, newKey []byte, holder, hello string) (string, error) {
	text, err := s.Open(helloPlace(holder), hello)
	if err != nil {
		return "", err
	}
	public, err := publicKey(text.Reveal())
	if err != nil {
		return "", err
	}
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return "", fmt.Errorf("make a key pair: %w", err)
	}
	inner, err := between(private, public)
	if err != nil {
		return "", err
	}
	mine := base64.StdEncoding.EncodeToString(private.PublicKey().Bytes())
	return s.Seal(offerPlace(holder), secret.New(mine+" "+inner.SealBytes(innerPlace(holder), newKey))), nil
}

// openOffer returns the key in an offer that was made for the private key.
func openOffer(s *secret.Sealer, private *ecdh.PrivateKey, holder, offer string) ([]byte, error) {
	text, err := s.Open(offerPlace(holder), offer)
	if err != nil {
		return nil, err
	}
	theirs, sealed, ok := strings.Cut(text.Reveal(), " ")
	if !ok {
		return nil, errOffer
	}
	public, err := publicKey(theirs)
	if err != nil {
		return nil, err
	}
	inner, err := between(private, public)
	if err != nil {
		return nil, err
	}
	return inner.OpenInto(nil, innerPlace(holder), sealed)
}

func publicKey(text string) (*ecdh.PublicKey, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, errOffer
	}
	public, err := ecdh.X25519().NewPublicKey(raw)
	if err != nil {
		return nil, errOffer
	}
	return public, nil
}

// between returns the sealer that only the owners of the two keys can make.
func between(private *ecdh.PrivateKey, public *ecdh.PublicKey) (*secret.Sealer, error) {
	shared, err := private.ECDH(public)
	if err != nil {
		return nil, fmt.Errorf("agree on a key: %w", err)
	}
	return secret.NewSealer(shared)
}
