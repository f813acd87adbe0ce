package wallet

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/cosmos/go-bip39"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
)

// Seed derives the keys of Solana deposit addresses: BIP-39 words without a
// passphrase, SLIP-0010 for ed25519, path m/1179406162'/501'/1'/a'/b'/c'/d'/e'.
// The five last levels are the txnid, a number of 128 bits, in base 2^31 with
// the most significant digit first, because a hardened index has 31 bits. It is
// safe for concurrent use.
type Seed struct {
	masked
	vault closed[*vault] // m/1179406162'/501'
}

const (
	// purpose is "FLOR" in ASCII: a path of our own (BIP-43), so that no wallet
	// that shows the accounts of the same words shows a deposit address.
	purpose    = 0x464c4f52
	coinSolana = 501 // SLIP-0044
	seedBits   = 256 // 24 words

	// The children of the root: the address that sweeps name, and the deposit
	// addresses of chain.SchemeTxnID.
	sweepsLevel  = 0
	depositLevel = uint32(chain.SchemeTxnID)

	indexBits = 31 // of a hardened index
	txnLevels = 5  // of 31 bits, for 128
)

// ParseSeed reads BIP-39 words of the English list, 12 to 24 of them. It fails
// with fault.Invalid; the message does not hold a word.
func ParseSeed(words secret.Text) (*Seed, error) {
	list := strings.Fields(strings.ToLower(words.Reveal()))
	if len(list) < 12 || len(list) > 24 || len(list)%3 != 0 {
		return nil, fault.New(fault.Invalid, "a seed has 12, 15, 18, 21 or 24 words, not %d", len(list))
	}
	for i, w := range list {
		if _, ok := bip39.ReverseWordMap[w]; !ok {
			return nil, fault.New(fault.Invalid, "word %d of the seed is not in the English BIP-39 list", i+1)
		}
	}
	mnemonic := strings.Join(list, " ")
	if _, err := bip39.MnemonicToByteArray(mnemonic); err != nil {
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
	n, v := master(bytes), newVault()
	n = n.child(purpose)
	n = n.child(coinSolana)
	copy(v.root(), n[:])
	clear(n[:])
	clear(bytes)
	return &Seed{vault: enclose(v)}
}

// Deposit returns the key of the payment's deposit address.
func (s *Seed) Deposit(id chain.TxnID) *Solana {
	n := s.vault().child(depositLevel)
	for _, index := range txnPath(id) {
		n = n.child(index)
	}
	return solanaFromSeed(n.key())
}

// DepositAddress returns the address of the payment's deposit key.
func (s *Seed) DepositAddress(id chain.TxnID) chain.Watched { return s.Deposit(id).watched() }

// SweepsAddress returns the address that every sweep of the seed's deposits
// names. No payment has it.
func (s *Seed) SweepsAddress() chain.Watched {
	n := s.vault().child(sweepsLevel)
	return solanaFromSeed(n.key()).watched()
}

// txnPath returns the digits of the txnid in base 2^31, the most significant first.
func txnPath(id chain.TxnID) (path [txnLevels]uint32) {
	high, low := binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])
	for i := range path {
		path[txnLevels-1-i] = uint32(low) & (1<<indexBits - 1)
		low = low>>indexBits | high<<(64-indexBits)
		high >>= indexBits
	}
	return path
}

// node is a key of the SLIP-0010 tree for ed25519, where every step is hardened: the key, then its chain code.
type node [nodeSize]byte

func (n *node) key() []byte { return n[:ed25519.SeedSize] }

func master(seed []byte) (n node) {
	mac := hmac.New(sha512.New, []byte("ed25519 seed"))
	mac.Write(seed)
	mac.Sum(n[:0])
	return n
}

// child returns the hardened child: index' in a path.
func (n *node) child(index uint32) node {
	var first, second [block]byte
	return childOf(n[:], index, first[:], second[:])
}
