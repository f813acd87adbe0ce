package wallet

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/tyler-smith/go-bip39"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
)

// Seed derives the keys of Solana deposit addresses: BIP-39 words without a
// passphrase, SLIP-0010 for ed25519, path m/44'/501'/n'/0', which is what
// Solana wallets use for their n-th account. It is safe for concurrent use.
type Seed struct {
	masked
	accounts closed[node] // m/44'/501'
}

// MaxDeposit is the highest number a deposit key can have: a hardened index
// has 31 bits.
const MaxDeposit = 1<<31 - 1

const (
	purpose    = 44  // BIP-44
	coinSolana = 501 // SLIP-0044
	seedBits   = 256 // 24 words
)

// ParseSeed reads BIP-39 words of the English list, 12 to 24 of them. It fails
// with fault.Invalid; the message does not hold a word.
func ParseSeed(words secret.Text) (*Seed, error) {
	list := strings.Fields(strings.ToLower(words.Reveal()))
	if len(list) < 12 || len(list) > 24 || len(list)%3 != 0 {
		return nil, fault.New(fault.Invalid, "a seed has 12, 15, 18, 21 or 24 words, not %d", len(list))
	}
	for i, w := range list {
		if _, ok := bip39.GetWordIndex(w); !ok {
			return nil, fault.New(fault.Invalid, "word %d of the seed is not in the English BIP-39 list", i+1)
		}
	}
	mnemonic := strings.Join(list, " ")
	if _, err := bip39.EntropyFromMnemonic(mnemonic); err != nil {
		return nil, fault.New(fault.Invalid, "the words of the seed do not belong together (BIP-39 checksum): one is wrong or out of place")
	}
	return seedFrom(bip39.NewSeed(mnemonic, "")), nil
}

// GenerateSeed makes a new seed and returns it with its 24 words.
func GenerateSeed() (*Seed, secret.Text, error) {
	entropy, err := bip39.NewEntropy(seedBits)
	if err != nil {
		return nil, secret.Text{}, fmt.Errorf("make a seed: %w", err)
	}
	mnemonic, err := bip39.NewMnemonic(entropy)
	if err != nil {
		return nil, secret.Text{}, fmt.Errorf("make a seed: %w", err)
	}
	return seedFrom(bip39.NewSeed(mnemonic, "")), secret.New(mnemonic), nil
}

func seedFrom(bytes []byte) *Seed {
	return &Seed{accounts: enclose(master(bytes).child(purpose).child(coinSolana))}
}

// Deposit returns the key of the n-th deposit address, 0 ≤ n ≤ MaxDeposit.
func (s *Seed) Deposit(n int64) (*Solana, error) {
	if n < 0 || n > MaxDeposit {
		return nil, fmt.Errorf("deposit key %d: the number must be between 0 and %d", n, MaxDeposit)
	}
	leaf := s.accounts().child(uint32(n)).child(0)
	return solanaFromSeed(leaf.key[:]), nil
}

// DepositAddress returns the address of the n-th deposit key.
func (s *Seed) DepositAddress(n int64) (chain.Watched, error) {
	k, err := s.Deposit(n)
	if err != nil {
		return chain.Watched{}, err
	}
	public := k.PublicKey()
	return chain.AddressOf(chain.Solana, public[:]), nil
}

// node is a key of the SLIP-0010 tree for ed25519, where every step is hardened.
type node struct {
	key   [ed25519.SeedSize]byte
	chain [32]byte
}

func master(seed []byte) node {
	mac := hmac.New(sha512.New, []byte("ed25519 seed"))
	mac.Write(seed)
	return split(mac.Sum(nil))
}

// child returns the hardened child: index' in a path.
func (n node) child(index uint32) node {
	mac := hmac.New(sha512.New, n.chain[:])
	mac.Write([]byte{0})
	mac.Write(n.key[:])
	mac.Write(binary.BigEndian.AppendUint32(nil, index|1<<31))
	return split(mac.Sum(nil))
}

func split(sum []byte) (n node) {
	copy(n.key[:], sum)
	copy(n.chain[:], sum[len(n.key):])
	return n
}
