package main_test

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"html"
	"io"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/views/docs"

	b58 "github.com/mr-tron/base58"
	"golang.org/x/crypto/sha3"
)

// The functions of this file find a deposit address from what /docs/addresses says alone. They share no code with the
// program: a merchant who has lost the server must be able to write them.

// bytesOf reads a txnid: 26 characters in base 32, a number of 130 bits of which the first two are zero.
func bytesOf(t *testing.T, txnid string) []byte {
	t.Helper()
	v := new(big.Int)
	for _, c := range txnid {
		digit := strings.IndexRune("0123456789ABCDEFGHJKMNPQRSTVWXYZ", c)
		if digit < 0 {
			t.Fatalf("%q is not a txnid", txnid)
		}
		v.Add(v.Lsh(v, 5), big.NewInt(int64(digit)))
	}
	return v.FillBytes(make([]byte, 16))
}

func keccak(parts ...[]byte) []byte {
	h := sha3.NewLegacyKeccak256()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	testkit.Must(t, err)
	return raw
}

// forwarder is what a deposit address on EVM networks derives from: CREATE2 (EIP-1014) of an ERC-1167 clone whose
// argument is the settlement wallet.
type forwarder struct{ factory, implementation, salt, code []byte }

func newForwarder(t *testing.T, txnid, settlement string) forwarder {
	t.Helper()
	f := forwarder{factory: unhex(t, "0x31Bd2e73602Dd86e11a6A48A6177E3640DF79306")}
	f.implementation = keccak([]byte{0xd6, 0x94}, f.factory, []byte{1})[12:] // CREATE with nonce 1
	f.code = slices.Concat(
		unhex(t, "6100413d81600a3d39f3363d3d373d3d3d363d73"), f.implementation,
		unhex(t, "5af43d82803e903d91602b57fd5bf3"), unhex(t, settlement),
	)
	f.salt = keccak([]byte("florin/deposit/v1"), bytesOf(t, txnid))
	return f
}

// forwarderOf finds the deposit address on EVM networks, in lower case without 0x.
func forwarderOf(t *testing.T, txnid, settlement string) string {
	t.Helper()
	f := newForwarder(t, txnid, settlement)
	return hex.EncodeToString(keccak([]byte{0xff}, f.factory, f.salt, keccak(f.code))[12:])
}

// levelsOf divides the txnid by 2^31 five times.
func levelsOf(t *testing.T, txnid string) []uint32 {
	t.Helper()
	digits := make([]uint32, 5)
	base, rest := big.NewInt(1<<31), new(big.Int).SetBytes(bytesOf(t, txnid))
	for i := range digits {
		digit := new(big.Int)
		rest.QuoRem(rest, base, digit)
		digits[4-i] = uint32(digit.Uint64())
	}
	return digits
}

// ownerOf finds the owner of the deposit account on Solana: BIP-39, then SLIP-0010 for ed25519 at
// m/1179406162'/501'/1'/a'/b'/c'/d'/e', where a to e are the txnid in base 2^31.
func ownerOf(t *testing.T, txnid, words string) string {
	t.Helper()
	seed, err := pbkdf2.Key(sha512.New, words, []byte("mnemonic"), 2048, 64)
	testkit.Must(t, err)
	mac := func(key, data []byte) []byte {
		h := hmac.New(sha512.New, key)
		h.Write(data)
		return h.Sum(nil)
	}
	node := mac([]byte("ed25519 seed"), seed)
	for _, index := range append([]uint32{1179406162, 501, 1}, levelsOf(t, txnid)...) {
		data := append([]byte{0}, node[:32]...)
		node = mac(node[32:], binary.BigEndian.AppendUint32(data, 1<<31|index))
	}
	return b58.Encode(ed25519.NewKeyFromSeed(node[:32]).Public().(ed25519.PublicKey))
}

// TestAddress_EVM: txnid and settlement wallet alone give the address on every EVM network.
func TestAddress_EVM(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	for _, c := range s.chains {
		txnid, address := s.start(t, c.name, "USDT", 1250)
		if got := strings.ToLower(address[2:]); got != forwarderOf(t, txnid, settlementWallet) {
			t.Errorf(
				"%s on %s was shown %s, want 0x%s", txnid, c.name, address, forwarderOf(t, txnid, settlementWallet),
			)
		}
		for _, other := range s.chains {
			if again := s.startAgain(t, txnid, other.name); again != address {
				t.Errorf("%s is %s on %s and %s on %s", txnid, address, c.name, again, other.name)
			}
		}
	}
	t.Run("AnotherWallet", func(t *testing.T) {
		txnid, address := s.start(t, "POLYGON", "USDT", 1250)
		const moved = "0x8617E340B3D01FA5F11F306F4090FD50E238070D"
		s.settlesTo(t, map[string]any{"polygon": moved, "base": moved})
		if again := s.startAgain(t, txnid, "POLYGON"); again != address {
			t.Errorf("after a change of the wallet the payer of %s is shown %s, before %s", txnid, again, address)
		}
		if on := s.startAgain(t, txnid, "BASE"); strings.ToLower(on[2:]) != forwarderOf(t, txnid, moved) {
			t.Errorf("%s on Base is %s, want 0x%s", txnid, on, forwarderOf(t, txnid, moved))
		}
	})
}

// startAgain starts a payment on another network and returns the address.
func (s *shop) startAgain(t *testing.T, txnid, network string) string {
	t.Helper()
	var address string
	eventually(t, network+" is offered", func() bool {
		status, started := s.post(t, "/pay", `{"txnid":"`+txnid+`","network":"`+network+`","token":"USDT"}`)
		if status == http.StatusServiceUnavailable {
			return false
		}
		if status != http.StatusOK {
			t.Fatalf("start on %s: %d %v", network, status, started)
		}
		address = started["transaction"].(map[string]any)["wallet"].(map[string]any)["address"].(string)
		return true
	})
	return address
}

// TestAddress_Solana: txnid and seed alone give the owner of the deposit account.
func TestAddress_Solana(t *testing.T) {
	t.Parallel()
	s := openSolanaShop(t)
	for range 3 {
		txnid, address := s.start(t, "SOL", "USDT", 1250)
		if want := ownerOf(t, txnid, s.words); address != want {
			t.Errorf("%s was shown %s, want %s", txnid, address, want)
		}
	}
}

// TestAddress_Published: the worked example of the documentation is right, value by value.
func TestAddress_Published(t *testing.T) {
	t.Parallel()
	evm, solana := docs.AddressExample()
	s := newInstallation(t).serve(t)
	res, err := http.Get(s.url + docs.AddressesPath)
	testkit.Must(t, err)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s answers %d, %v", docs.AddressesPath, res.StatusCode, err)
	}
	page := string(raw)
	want := func(steps []docs.Step, name, value string) {
		t.Helper()
		for _, step := range steps {
			if step.Name == name && strings.EqualFold(step.Value, value) &&
				strings.Contains(page, html.EscapeString(step.Value)) {
				return
			}
		}
		t.Errorf("the %s is not %s in %v, or not on the page", name, value, steps)
	}
	if got := hex.EncodeToString(bytesOf(t, docs.ExampleTxnid)); got != docs.ExampleBytes {
		t.Errorf("the bytes of the txnid are %s, and the page says %s", got, docs.ExampleBytes)
	}
	f := newForwarder(t, docs.ExampleTxnid, docs.ExampleSettlement)
	want(evm, "implementation", "0x"+hex.EncodeToString(f.implementation))
	want(evm, "salt", "0x"+hex.EncodeToString(f.salt))
	want(evm, "init code", "0x"+hex.EncodeToString(f.code))
	want(evm, "address", "0x"+forwarderOf(t, docs.ExampleTxnid, docs.ExampleSettlement))
	digits := levelsOf(t, docs.ExampleTxnid)
	want(solana, "levels", strings.ReplaceAll(strings.Trim(fmt.Sprint(digits), "[]"), " ", ", "))
	want(solana, "path", "m/1179406162'/501'/1'/"+strings.ReplaceAll(strings.Trim(fmt.Sprint(digits), "[]"), " ", "'/")+"'")
	want(solana, "address", ownerOf(t, docs.ExampleTxnid, strings.Repeat("abandon ", 11)+"about"))
}
