package sender

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// DeployPlan lists the transactions that put the forwarder factory on a network.
// Without Steps the factory is there already.
type DeployPlan struct {
	Network chain.Network
	Factory chain.Address // where the factory is or will be
	Wallet  chain.Address // the gas wallet that pays
	Balance money.Units   // what the gas wallet holds, in wei
	Steps   []DeployStep
}

// DeployStep is one transaction of a deployment.
type DeployStep struct {
	Name string
	Gas  uint64      // limit; 0 for the presigned transaction
	Cost money.Units // the most, in wei, with the coins it sends
}

// Cost is the most the plan can cost, in wei.
func (p DeployPlan) Cost() money.Units {
	var sum money.Units
	for _, s := range p.Steps {
		sum = sum.Add(s.Cost)
	}
	return sum
}

// Affordable reports whether the gas wallet can pay for the plan.
func (p DeployPlan) Affordable() bool { return p.Balance.Cmp(p.Cost()) >= 0 }

// Names of the steps.
const (
	stepFund     = "fund the signer of the deterministic deployment proxy"
	stepDeployer = "deploy the deterministic deployment proxy"
	stepFactory  = "deploy the forwarder factory"
)

// presignedPrice is what the presigned deployment of the proxy pays for gas, in
// wei. It cannot be changed: the key of its signer is unknown to everyone.
const presignedPrice = 100 * gwei

// Plan returns the transactions that deploying takes, for the operator to agree
// to. It fails with fault.Unprocessable where deploying cannot work: another
// contract stands at a needed address, or gas costs more than the presigned
// transaction pays.
func (c Deployer) Plan(ctx context.Context, wallet common.Address) (DeployPlan, error) {
	d, err := c.survey(ctx, wallet, 0)
	if err != nil {
		return DeployPlan{}, fmt.Errorf("plan the deployment on %s: %w", c.profile.Network, err)
	}
	return d.plan(c.client), nil
}

// deployment is the state of a network and the steps that are still missing.
type deployment struct {
	wallet  common.Address
	account rpc.Account
	funding *pricedTx // nil: the presigned transaction is paid for
	deploys bool      // the proxy is missing
	factory *pricedTx // nil: the factory is there
}

func (d deployment) plan(c client) DeployPlan {
	p := DeployPlan{
		Network: c.profile.Network, Factory: c.text(rpc.Address(contracts.FactoryAddress())),
		Wallet: c.text(rpc.Address(d.wallet)), Balance: money.NewUnits(d.account.Balance),
	}
	if d.funding != nil {
		cost := new(big.Int).Add(d.funding.cost, d.funding.value)
		p.Steps = append(p.Steps, DeployStep{stepFund, d.funding.gas, money.NewUnits(cost)})
	}
	if d.deploys {
		p.Steps = append(p.Steps, DeployStep{Name: stepDeployer})
	}
	if d.factory != nil {
		p.Steps = append(p.Steps, DeployStep{stepFactory, d.factory.gas, money.NewUnits(d.factory.cost)})
	}
	return p
}

// survey finds out which steps are missing and what they cost, through an
// endpoint that has reached a block. If the network rejects a transaction, no
// other endpoint is asked.
func (c client) survey(ctx context.Context, wallet common.Address, reached uint64) (deployment, error) {
	d := deployment{wallet: wallet}
	var verdict error
	err := c.pool.Do(ctx, func(ctx context.Context, e *rpc.Endpoint) error {
		d = deployment{wallet: wallet}
		verdict = rpc.RequireBlock(ctx, e, reached)
		if verdict == nil {
			verdict = c.inspect(ctx, e, &d)
		}
		var refused rejected
		if errors.As(verdict, &refused) || fault.Is(verdict, fault.Unprocessable) {
			return nil
		}
		err := verdict
		verdict = nil
		return err
	})
	return d, errors.Join(err, verdict)
}

// inspect is survey through one endpoint.
func (c client) inspect(ctx context.Context, e *rpc.Endpoint, d *deployment) (err error) {
	if d.account, err = rpc.ReadAccount(ctx, e, d.wallet); err != nil {
		return err
	}
	hasProxy, err := c.standsAt(ctx, e, "deterministic deployment proxy", contracts.DeployerAddress,
		contracts.DeployerCodeHash)
	if err != nil {
		return err
	}
	hasFactory, err := c.standsAt(ctx, e, "forwarder factory", contracts.FactoryAddress(), contracts.FactoryCodeHash)
	if err != nil || hasFactory {
		return err
	}
	if !hasProxy {
		if err := c.inspectProxy(ctx, e, d); err != nil {
			return err
		}
	}
	factory, err := c.price(ctx, e, factoryRequest(d.wallet, hasProxy))
	d.factory = &factory
	return err
}

// factoryRequest deploys the factory through the proxy. While the proxy is
// missing, a plain creation of the factory serves for an estimate.
func factoryRequest(wallet common.Address, hasProxy bool) txRequest {
	to, data := contracts.FactoryDeployment()
	if !hasProxy {
		return txRequest{from: wallet, data: contracts.FactoryInitCode()}
	}
	return txRequest{from: wallet, to: &to, data: data}
}

// inspectProxy finds out what deploying the proxy costs.
func (c client) inspectProxy(ctx context.Context, e *rpc.Endpoint, d *deployment) error {
	signer, err := rpc.ReadAccount(ctx, e, contracts.DeployerSigner)
	if err != nil {
		return err
	}
	d.deploys = true
	missing := new(big.Int).Sub(contracts.DeployerFunding(), signer.Balance)
	if missing.Sign() > 0 {
		to := contracts.DeployerSigner
		funding, err := c.price(ctx, e, txRequest{from: d.wallet, to: &to})
		if err != nil {
			return err
		}
		funding.value = missing // set after the estimate, which fails for a wallet without the money
		d.funding = &funding
	}
	fees, err := c.fees(ctx, e)
	if err != nil {
		return err
	}
	if least := new(big.Int).Add(fees.Base, fees.Tip); least.Cmp(big.NewInt(presignedPrice)) > 0 {
		return fault.New(fault.Unprocessable,
			"the deterministic deployment proxy is missing on %s and cannot be deployed while gas costs more than 100 gwei",
			c.profile.Network)
	}
	return nil
}

// standsAt reports whether the contract is at its address. It fails with
// fault.Unprocessable if another one is there, which only another version of
// Florin can use.
func (c client) standsAt(
	ctx context.Context, e *rpc.Endpoint, name string, at common.Address, want common.Hash,
) (bool, error) {
	replies, err := e.Ask(ctx, rpc.CodeCall(rpc.Address(at)))
	if err != nil {
		return false, err
	}
	got, size, err := rpc.CodeHash(replies[0])
	if err != nil || size == 0 {
		return false, err
	}
	if got != rpc.Hash(want) {
		return false, fault.New(fault.Unprocessable, "there is other code at %s on %s than the %s has", at,
			c.profile.Network, name)
	}
	return true, nil
}
