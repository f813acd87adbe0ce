package evm_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/sender"
)

// On a chain where nothing is there, the signer of the proxy's deployment is
// paid first.
func TestDeploy_AnvilFromNothing(t *testing.T) {
	t.Parallel()
	p, _ := profileOf(chain.BEP20)
	a := startAnvil(t, p.ChainID)
	a.rpc("anvil_setCode", contracts.DeployerAddress, "0x")
	a.rpc("anvil_setNonce", contracts.DeployerAddress, "0x0")
	a.rpc("anvil_setNonce", contracts.DeployerSigner, "0x0")
	a.rpc("anvil_setBalance", contracts.DeployerSigner, "0x0")
	a.rpc("evm_setIntervalMining", 1)
	reader, err := evm.New(evm.Config{Profile: p, Endpoints: []string{a.url}})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := sender.NewDeployer(reader).Plan(t.Context(), faucetSigner{}.Address())
	if err != nil || len(plan.Steps) != 3 || plan.Cost().Big().Cmp(contracts.DeployerFunding()) <= 0 {
		t.Fatalf("the plan is %+v, error %v", plan, err)
	}
	var l log
	if err := sender.NewDeployer(reader).Deploy(t.Context(), plan, faucetSigner{}, l.record); err != nil {
		t.Fatal(err)
	}
	if len(l.steps) != 3 {
		t.Errorf("the steps were %v", l.steps)
	}
	code, err := a.client.CodeAt(t.Context(), contracts.FactoryAddress(), nil)
	if err != nil || crypto.Keccak256Hash(code) != contracts.FactoryCodeHash {
		t.Errorf("the factory has other code, error %v", err)
	}
}
