package wallet

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"strings"

	"github.com/mr-tron/base58"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
)

// Solana is a key of Solana. It is safe for concurrent use.
type Solana struct {
	masked
	key closed[ed25519.PrivateKey] // seed, then public key
}

// maxKeyText is longer than any JSON array of 64 small numbers.
const maxKeyText = 1024

// ParseSolana reads a keypair of 64 bytes: in base58, as wallets export it, or as a JSON array of numbers, as in
// keypair files. It fails with fault.Invalid; the message does not contain the text.
func ParseSolana(text secret.Text) (*Solana, error) {
	raw, ok := keypairBytes(strings.TrimSpace(text.Reveal()))
	if !ok || len(raw) != ed25519.PrivateKeySize {
		return nil, fault.New(fault.Invalid, "a Solana key is the base58 text of 64 bytes, or the JSON array of a keypair file")
	}
	k := solanaFromSeed(raw[:ed25519.SeedSize])
	if !bytes.Equal(k.key()[ed25519.SeedSize:], raw[ed25519.SeedSize:]) {
		return nil, fault.New(fault.Invalid, "the halves of the Solana key do not belong together; copy it again")
	}
	return k, nil
}

func keypairBytes(text string) ([]byte, bool) {
	if len(text) > maxKeyText {
		return nil, false
	}
	if !strings.HasPrefix(text, "[") {
		raw, err := base58.Decode(text)
		return raw, err == nil
	}
	var raw []byte
	err := json.Unmarshal([]byte(text), &raw) // an array of numbers; a string would be base64
	return raw, err == nil
}

func solanaFromSeed(seed []byte) *Solana {
	return &Solana{key: enclose(ed25519.NewKeyFromSeed(seed))}
}

// PublicKey returns the account of the key.
func (k *Solana) PublicKey() [ed25519.PublicKeySize]byte {
	return [ed25519.PublicKeySize]byte(k.key()[ed25519.SeedSize:])
}

// Wallet returns the account of the key in base58.
func (k *Solana) Wallet() chain.Address { return k.watched().Address }

func (k *Solana) watched() chain.Watched {
	public := k.PublicKey()
	return chain.AddressOf(chain.Solana, public[:])
}

// Sign signs a message: the serialized message of a transaction.
func (k *Solana) Sign(message []byte) [ed25519.SignatureSize]byte {
	return [ed25519.SignatureSize]byte(ed25519.Sign(k.key(), message))
}

// GenerateSolana makes a new key and returns it with its text, which
// ParseSolana reads.
func GenerateSolana() (*Solana, secret.Text) {
	seed := make([]byte, ed25519.SeedSize)
	_, _ = rand.Read(seed) // crypto/rand never fails; it ends the program instead
	k := solanaFromSeed(seed)
	return k, secret.New(base58.Encode(k.key()))
}
