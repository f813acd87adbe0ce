package sender

import (
	"context"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/fault"
)

// SignedStep is a signed transaction of a deployment, ready to be broadcast.
type SignedStep struct {
	Network chain.Network
	Step    string
	Tx      chain.TxHash
	Raw     []byte
}

// Deployer puts the forwarder factory on a network.
type Deployer struct{ client }

// NewDeployer returns the deployer of the adapter's network.
func NewDeployer(a *evm.Adapter) Deployer { return Deployer{newClient(a)} }

// Deploy carries out a plan, one transaction after the other, and returns when
// the factory has the expected code. record is called with each signed
// transaction before it is broadcast; its error stops the deployment.
//
// It may be stopped and called again at any point, with a new plan or the old
// one; no step is repeated. It fails with fault.Unprocessable when a step costs
// more than maxCostFactor times what the plan said, and with
// fault.PaymentRequired when the gas wallet cannot pay.
func (c Deployer) Deploy(
	ctx context.Context, plan DeployPlan, s Signer, record func(context.Context, SignedStep) error,
) error {
	var reached uint64 // the block of the last step
	for range 2 * len(deploySteps) {
		d, err := c.settled(ctx, s.Address(), reached)
		if err == nil && len(d.plan(c.client).Steps) == 0 {
			return nil
		}
		if err == nil {
			reached, err = c.deployNext(ctx, d, plan, s, record)
		}
		if err != nil {
			return fmt.Errorf("deploy on %s: %w", c.profile.Network, err)
		}
	}
	return fmt.Errorf("deploy on %s: the contracts are not there although their transactions succeeded; try again later", c.profile.Network)
}

var deploySteps = [...]string{stepFund, stepDeployer, stepFactory}

// settled surveys the network when no transaction of the gas wallet is pending:
// those of a deployment that was stopped may still be.
func (c client) settled(ctx context.Context, wallet common.Address, reached uint64) (deployment, error) {
	for {
		d, err := c.survey(ctx, wallet, reached)
		if err != nil || d.account.Pending <= d.account.Nonce {
			return d, err
		}
		if chain.Sleep(ctx, receiptPoll) != nil {
			return d, fault.New(fault.Conflict, "the gas wallet on %s has %d transactions waiting; try again when they are through",
				c.profile.Network, d.account.Pending-d.account.Nonce)
		}
	}
}

// deployNext sends the first transaction that is still missing and returns the
// number of its block.
func (c client) deployNext(
	ctx context.Context, d deployment, plan DeployPlan, s Signer, record func(context.Context, SignedStep) error,
) (uint64, error) {
	now := d.plan(c)
	step := now.Steps[0]
	if err := c.withinPlan(step, plan, now); err != nil {
		return 0, err
	}
	tx, err := c.deployTx(d, step.Name, s)
	if err != nil {
		return 0, err
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		return 0, err
	}
	if err := record(ctx, SignedStep{c.profile.Network, step.Name, txHash(tx), raw}); err != nil {
		return 0, err
	}
	if err := c.broadcast(ctx, rpc.Hash(tx.Hash()), raw); err != nil {
		return 0, fmt.Errorf("%s: %w", step.Name, err)
	}
	r, err := c.await(ctx, rpc.Hash(tx.Hash()))
	if err == nil && r.Failed {
		err = fmt.Errorf("transaction %s failed", txHash(tx))
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", step.Name, err)
	}
	return r.Block, nil
}

// deployTx builds and signs the transaction of a step.
func (c client) deployTx(d deployment, step string, s Signer) (*types.Transaction, error) {
	switch step {
	case stepFund:
		return s.SignTx(d.funding.unsigned(c.chainID(), d.account.Nonce), c.chainID())
	case stepDeployer:
		return contracts.DeployerTransaction(), nil
	}
	return s.SignTx(d.factory.unsigned(c.chainID(), d.account.Nonce), c.chainID())
}

// maxCostFactor bounds the cost of a step as a multiple of the planned one: gas
// prices change between plan and deployment.
const maxCostFactor = 4

// withinPlan refuses a step that the operator did not agree to or that the gas
// wallet cannot pay for.
func (c client) withinPlan(step DeployStep, plan, now DeployPlan) error {
	if !now.Affordable() {
		return fault.New(fault.PaymentRequired,
			"the gas wallet %s holds %s, and deploying on %s takes up to %s; send it some %s",
			now.Wallet, c.coins(now.Balance.Big()), c.profile.Network, c.coins(now.Cost().Big()), c.profile.Coin)
	}
	for _, agreed := range plan.Steps {
		limit := new(big.Int).Mul(agreed.Cost.Big(), big.NewInt(maxCostFactor))
		if agreed.Name == step.Name && step.Cost.Big().Cmp(limit) <= 0 {
			return nil
		}
	}
	return fault.New(fault.Unprocessable, "what deploying on %s takes has changed since it was planned; run `florin deploy` again", c.profile.Network)
}
