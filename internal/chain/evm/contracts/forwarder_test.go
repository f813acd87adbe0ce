package contracts_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"pgregory.net/rapid"

	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/contracts/contractstest"
)

// TestSalt pins the derivation: keccak256(0000000000000001 ‖ 000102…0f),
// computed apart with another implementation.
func TestSalt(t *testing.T) {
	t.Parallel()
	instance := [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	salt := contracts.Salt(1, instance)
	const want = "0d5de93d68d60d061f5ac2a80f396846e795cef19f1c4f814a9c6d8a4b7c7f96"
	if got := hex.EncodeToString(salt[:]); got != want {
		t.Errorf("salt %s, want %s", got, want)
	}
}

// TestForwarderAddress: what Go derives, the chain derives, for anything.
func TestForwarderAddress(t *testing.T) {
	t.Parallel()
	chain := startChain(t)
	rapid.Check(t, func(t *rapid.T) {
		for range 50 {
			settlement := common.Address(drawBytes(t, "settlement", 20))
			salt := [32]byte(drawBytes(t, "salt", 32))
			if got, want := contracts.ForwarderAddress(contracts.FactoryAddress(), settlement, salt),
				chain.predicted(settlement, salt); got != want {
				t.Fatalf("forwarder of %s, %x: Go says %s, the factory says %s", settlement, salt, got, want)
			}
		}
	})
}

// TestForwarderAddress_OpenZeppelin: the forwarders are the clones of that
// library, for any factory, and their argument is where it looks for it.
func TestForwarderAddress_OpenZeppelin(t *testing.T) {
	t.Parallel()
	chain := startChain(t)
	library := contractstest.NewOpenZeppelinClones()
	at := chain.deploy(contractstest.OpenZeppelinClonesMetaData.Bin, nil)
	rapid.Check(t, func(t *rapid.T) {
		factory, settlement := common.Address(
			drawBytes(t, "factory", 20),
		), common.Address(drawBytes(t, "settlement", 20))
		salt := [32]byte(drawBytes(t, "salt", 32))
		out, err := chain.call(at, library.PackPredict(contracts.ImplementationAddress(factory), settlement[:], salt,
			factory))
		if err != nil {
			t.Fatal(err)
		}
		want, err := library.UnpackPredict(out)
		if got := contracts.ForwarderAddress(factory, settlement, salt); err != nil || got != want {
			t.Fatalf("Go says %s, the library says %s (%v)", got, want, err)
		}
	})
	d := newDeposit(1, account("shop"))
	chain.sweep(d.item())
	out, err := chain.call(at, library.PackFetchArgs(d.forwarder))
	if err != nil {
		t.Fatal(err)
	}
	if args, err := library.UnpackFetchArgs(out); err != nil || !bytes.Equal(args, d.settlement[:]) {
		t.Errorf("argument %x (%v), want %x", args, err, d.settlement)
	}
}

func drawBytes(t *rapid.T, label string, n int) []byte {
	return rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, label)
}
