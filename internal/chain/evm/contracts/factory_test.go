package contracts_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/chain/evm/contracts"
)

// TestFactoryAddress pins the address every deposit address follows from. If it
// fails, deposit addresses handed out by earlier versions are no longer ours.
func TestFactoryAddress(t *testing.T) {
	t.Parallel()
	want := common.HexToAddress("0x31Bd2e73602Dd86e11a6A48A6177E3640DF79306")
	if got := contracts.FactoryAddress(); got != want {
		t.Errorf("factory at %s, want %s: the bytecode or its salt changed", got, want)
	}
}

// TestCodeHashes deploys everything for real and compares with what the
// program checks on public networks.
func TestCodeHashes(t *testing.T) {
	t.Parallel()
	chain := startChain(t)
	factory := contracts.FactoryAddress()
	for name, c := range map[string]struct {
		at   common.Address
		want common.Hash
	}{
		"deployer":       {contracts.DeployerAddress, contracts.DeployerCodeHash},
		"factory":        {factory, contracts.FactoryCodeHash},
		"implementation": {contracts.ImplementationAddress(factory), contracts.ImplementationCodeHash},
	} {
		if got := crypto.Keccak256Hash(chain.code(c.at)); got != c.want {
			t.Errorf("%s at %s has code hash %s, want %s", name, c.at, got, c.want)
		}
	}
	out, err := chain.call(factory, contracts.NewForwarderFactory().PackImplementation())
	if err != nil {
		t.Fatal(err)
	}
	implementation, err := contracts.NewForwarderFactory().UnpackImplementation(out)
	if err != nil || implementation != contracts.ImplementationAddress(factory) {
		t.Errorf("factory runs %s (%v), want %s", implementation, err, contracts.ImplementationAddress(factory))
	}
}

// TestDeployerTransaction checks the presigned transaction against the address
// it is known for, by the rules that derive both.
func TestDeployerTransaction(t *testing.T) {
	t.Parallel()
	tx := contracts.DeployerTransaction()
	sender, err := types.Sender(types.HomesteadSigner{}, tx)
	if err != nil || sender != contracts.DeployerSigner {
		t.Fatalf("sender %s (%v), want %s", sender, err, contracts.DeployerSigner)
	}
	if got := crypto.CreateAddress(sender, tx.Nonce()); got != contracts.DeployerAddress {
		t.Errorf("deploys %s, want %s", got, contracts.DeployerAddress)
	}
	if tx.Cost().Cmp(contracts.DeployerFunding()) != 0 {
		t.Errorf("costs %s, funded with %s", tx.Cost(), contracts.DeployerFunding())
	}
}
