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

// TestSalt pins the derivation of txnid 01JD5X8Q7N3KZ4V9T2M6RBWYHC, the worked example of /docs/addresses, which was
// computed apart with another implementation.
func TestSalt(t *testing.T) {
	t.Parallel()
	salt := contracts.Salt([16]byte(common.FromHex("01934bd45cf51cfe4da742a1b0be7a2c")))
	const want = "7dba65f61a1ee33324e0ae7f37be91a7ebc844c60f08dd337b178d94252cd0d0"
	if got := hex.EncodeToString(salt[:]); got != want {
		t.Errorf("salt %s, want %s", got, want)
	}
	settlement := common.HexToAddress("0x52908400098527886E0F7030069857D2E4169EE7")
	const address = "0xeFa036aA74AE6628d3773eFa5F839C29f9f6F466"
	if got := contracts.ForwarderAddress(contracts.FactoryAddress(), settlement, salt).Hex(); got != address {
		t.Errorf("address %s, want %s", got, address)
	}
	if got := startChain(t).predicted(settlement, salt).Hex(); got != address {
		t.Errorf("the factory on a chain says %s, want %s", got, address)
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
		factory := common.Address(drawBytes(t, "factory", 20))
		settlement := common.Address(drawBytes(t, "settlement", 20))
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
