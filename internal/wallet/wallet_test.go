package wallet

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/gagliardetto/solana-go"
	"github.com/mr-tron/base58"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
)

const (
	abandon = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"
	// junkKey is the first key of "test test … junk" (m/44'/60'/0'/0/0), which
	// every development chain uses.
	junkKey     = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
	junkAddress = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
)

func TestParseEVM(t *testing.T) {
	t.Parallel()
	for _, text := range []string{junkKey, junkKey[2:], " " + strings.ToUpper(junkKey[2:]) + "\n", "0X" + junkKey[2:]} {
		k, err := ParseEVM(secret.New(text))
		if err != nil {
			t.Fatalf("ParseEVM(%q): %v", text, err)
		}
		if k.Wallet() != junkAddress || k.Address() != common.HexToAddress(junkAddress) {
			t.Errorf("ParseEVM(%q) has the address %s, want %s", text, k.Wallet(), junkAddress)
		}
	}
}

func TestParseEVM_Refuses(t *testing.T) {
	t.Parallel()
	order := "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
	for _, text := range []string{
		"", "0x", junkKey[:65], junkKey + "00", "0x" + strings.Repeat("0", 64), order,
		strings.Repeat("zz", 32), abandon,
	} {
		k, err := ParseEVM(secret.New(text))
		if !fault.Is(err, fault.Invalid) || k != nil {
			t.Errorf("ParseEVM(%q) = %v, %v; want fault.Invalid", text, k, err)
		} else if text != "" && len(text) > 4 && strings.Contains(err.Error(), text) {
			t.Errorf("the message holds the key: %v", err)
		}
	}
}

func TestGenerateEVM(t *testing.T) {
	t.Parallel()
	k, text, err := GenerateEVM()
	testkit.Must(t, err)
	again, err := ParseEVM(text)
	if err != nil || again.Address() != k.Address() {
		t.Fatalf("ParseEVM of a new key = %v, %v; want the address %s", again, err, k.Wallet())
	}
}

func TestEVM_SignTx(t *testing.T) {
	t.Parallel()
	k, _ := ParseEVM(secret.New(junkKey))
	to := common.HexToAddress("0x01")
	chainID := big.NewInt(56)
	tx := types.NewTx(&types.DynamicFeeTx{
		ChainID: chainID, Nonce: 7, To: &to, Gas: 21_000, GasFeeCap: big.NewInt(1),
		GasTipCap: big.NewInt(1),
	})
	for _, unsigned := range []*types.Transaction{tx, types.NewTransaction(7, to, big.NewInt(0), 21_000, big.NewInt(1),
		nil)} {
		signed, err := k.SignTx(unsigned, chainID)
		testkit.Must(t, err)
		from, err := types.Sender(types.LatestSignerForChainID(chainID), signed)
		if err != nil || from != k.Address() {
			t.Errorf("the signature is of %s (%v), want %s", from, err, k.Address())
		}
		if signed.ChainId().Cmp(chainID) != 0 {
			t.Errorf("signed for chain %s, want 56", signed.ChainId())
		}
	}
	for _, wrong := range []*big.Int{nil, new(big.Int), big.NewInt(-1), big.NewInt(137)} {
		if signed, err := k.SignTx(tx, wrong); err == nil {
			t.Errorf("SignTx for chain %s of a transaction of chain 56 = %v; want an error", wrong, signed)
		}
	}
}

// TestSLIP0010 compares the derivation with vector 1 for ed25519 of SLIP-0010.
func TestSLIP0010(t *testing.T) {
	t.Parallel()
	seed, _ := hex.DecodeString("000102030405060708090a0b0c0d0e0f")
	n := master(seed)
	for _, index := range []uint32{0, 1, 2, 2, 1_000_000_000} {
		n = n.child(index)
	}
	if got := hex.EncodeToString(n[:32]); got != "8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e8793" {
		t.Errorf("private key %s", got)
	}
	if got := hex.EncodeToString(n[32:]); got != "68789923a0cac2cd5a29172a475fe9e0fb14cd6adb5ad98a3fa70333e7afa230" {
		t.Errorf("chain code %s", got)
	}
}

// The worked example of /docs/addresses, computed apart from this program.
const (
	exampleTxnid = "01JD5X8Q7N3KZ4V9T2M6RBWYHC"
	exampleOwner = "EtprnkXo66G9TcEr69bdm29kccZRR7X4ynTKSUGdWXoF"
)

func TestSeed_Deposit(t *testing.T) {
	t.Parallel()
	s, err := ParseSeed(secret.New("  " + strings.ToUpper(abandon) + "\n"))
	testkit.Must(t, err)
	if got := s.DepositAddress(txnidOf(t, exampleTxnid)).Address; got != exampleOwner {
		t.Errorf("deposit address %s, want %s", got, exampleOwner)
	}
}

// TestSeed_AgreesWithSolanaGo compares with an independent implementation, for txnids in which each level is 0, its
// largest value, or anything.
func TestSeed_AgreesWithSolanaGo(t *testing.T) {
	t.Parallel()
	s, words, err := GenerateSeed()
	testkit.Must(t, err)
	for _, text := range []string{
		exampleTxnid, "00000000000000000000000000", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "00000000000000000001ZZZZZZ",
		"00000000000000000002000000", "40000000000000000000000000", "01JD5X8Q7N0000000000000000",
	} {
		id := txnidOf(t, text)
		want, err := solana.PrivateKeyFromMnemonicAtPath(words.Reveal(), "", pathOf(id))
		testkit.Must(t, err)
		k := s.Deposit(id)
		if solana.PublicKey(k.PublicKey()) != want.PublicKey() {
			t.Errorf("deposit %s is %s, want %s", text, k.Wallet(), want.PublicKey())
		}
		if w := s.DepositAddress(id); w.Address != k.Wallet() || !bytes.Equal(w.Raw, want.PublicKey().Bytes()) {
			t.Errorf("DepositAddress(%s) = %v", text, w)
		}
		message := []byte("message " + text)
		if sig := k.Sign(message); !solana.Signature(sig).Verify(want.PublicKey(), message) {
			t.Errorf("the signature of deposit %s does not verify", text)
		}
	}
	want, err := solana.PrivateKeyFromMnemonicAtPath(words.Reveal(), "", "m/1179406162'/501'/0'")
	if err != nil || string(s.SweepsAddress().Address) != want.PublicKey().String() {
		t.Errorf("sweeps name %s, want %s (%v)", s.SweepsAddress().Address, want.PublicKey(), err)
	}
}

// pathOf writes the path of a deposit key: the txnid divided by 2^31 until nothing is left.
func pathOf(id chain.TxnID) string {
	path, rest := "", new(big.Int).SetBytes(id[:])
	for range 5 {
		digit := new(big.Int)
		rest.DivMod(rest, big.NewInt(1<<31), digit)
		path = "/" + digit.String() + "'" + path
	}
	return "m/1179406162'/501'/1'" + path
}

func txnidOf(t *testing.T, text string) chain.TxnID {
	t.Helper()
	id, err := chain.ParseTxnID(text)
	testkit.Must(t, err)
	return id
}

func TestParseSeed_Refuses(t *testing.T) {
	t.Parallel()
	for name, words := range map[string]string{
		"none":           "",
		"too few":        "abandon about",
		"not by three":   abandon + " about",
		"too many":       strings.Repeat("abandon ", 27),
		"unknown word":   strings.Replace(abandon, "about", "abouts", 1),
		"wrong checksum": strings.Replace(abandon, "about", "abandon", 1),
	} {
		s, err := ParseSeed(secret.New(words))
		if !fault.Is(err, fault.Invalid) || s != nil {
			t.Errorf("%s: ParseSeed = %v, %v; want fault.Invalid", name, s, err)
		} else if strings.Contains(err.Error(), "abandon") || strings.Contains(err.Error(), "abouts") {
			t.Errorf("%s: the message holds a word: %v", name, err)
		}
	}
}

func TestParseSolana(t *testing.T) {
	t.Parallel()
	key, err := solana.NewRandomPrivateKey()
	testkit.Must(t, err)
	numbers := make([]int, len(key))
	for i, b := range key {
		numbers[i] = int(b)
	}
	array, err := json.Marshal(numbers)
	testkit.Must(t, err)
	for _, text := range []string{key.String(), " " + string(array) + "\n"} {
		k, err := ParseSolana(secret.New(text))
		testkit.Must(t, err)
		if string(k.Wallet()) != key.PublicKey().String() {
			t.Errorf("the address is %s, want %s", k.Wallet(), key.PublicKey())
		}
	}
}

func TestParseSolana_Refuses(t *testing.T) {
	t.Parallel()
	_, key, _ := ed25519.GenerateKey(nil)
	torn := append(append([]byte{}, key[:32]...), make([]byte, 32)...)
	for name, text := range map[string]string{
		"empty":         "",
		"not base58":    "0OIl",
		"half":          base58.Encode(key[:32]),
		"torn":          base58.Encode(torn),
		"short array":   "[1,2,3]",
		"not an array":  "[1,2",
		"out of range":  "[256" + strings.Repeat(",1", 63) + "]",
		"text in array": `["a"]`,
		"very long":     "[" + strings.Repeat("1,", 5000) + "1]",
	} {
		if k, err := ParseSolana(secret.New(text)); !fault.Is(err, fault.Invalid) || k != nil {
			t.Errorf("%s: ParseSolana = %v, %v; want fault.Invalid", name, k, err)
		}
	}
}

// TestKeysDoNotPrint searches for the keys in every possible output, also from inside a struct on whose fields fmt may
// not call methods.
func TestKeysDoNotPrint(t *testing.T) {
	t.Parallel()
	evm, _ := ParseEVM(secret.New(junkKey))
	seed, _ := ParseSeed(secret.New(abandon))
	sol := seed.Deposit(chain.TxnID{3})
	node := seed.vault().root()
	scalar, _ := new(big.Int).SetString(junkKey[2:], 16) // as the key would print in decimal
	holder := struct {
		Evm  *EVM
		evm  *EVM
		Seed *Seed
		seed *Seed
		Sol  *Solana
		sol  *Solana
		val  EVM
		val2 Seed
		val3 Solana
	}{evm, evm, seed, seed, sol, sol, *evm, *seed, *sol}
	canaries := []string{
		junkKey[2:], strings.ToUpper(junkKey[2:]), scalar.String(), fmt.Sprint(sol.key()[:8]),
		hex.EncodeToString(sol.key()[:32]),
		hex.EncodeToString(node[:32]), fmt.Sprint(node[:4])[1:12], "abandon", base58.Encode(sol.key()[:]),
	}
	var out bytes.Buffer
	for _, v := range []any{evm, *evm, seed, *seed, sol, *sol, holder, &holder, []any{evm, seed, sol}} {
		for _, verb := range []string{
			"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%p", "%o", "%b", "%U", "%t", "%c",
		} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
		if b, err := json.Marshal(v); err == nil { // a struct with a function cannot be written at all
			out.Write(b)
		}
		slog.New(slog.NewJSONHandler(&out, nil)).Info("key", "key", v)
		slog.New(slog.NewTextHandler(&out, nil)).Info("key", "key", v)
	}
	for _, c := range canaries {
		if strings.Contains(out.String(), c) {
			t.Errorf("a key was printed: %q", c)
		}
	}
	if !strings.Contains(out.String(), mask) {
		t.Error("nothing was masked, so nothing was tried")
	}
}
