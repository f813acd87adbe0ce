package evm

import (
	"context"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/fault"
)

// Signed is a transaction of a deployment, ready to be given to the network.
type Signed struct {
	Network chain.Network
	Step    string
	Tx      chain.TxHash
	Raw     []byte
}

// Deploy carries out a plan, transaction by transaction, and returns when the
// factory stands with the expected code. record is called with each signed
// transaction before it is broadcast; its error stops the deployment.
//
// It may be stopped and called again at any point, with a new plan or the old
// one: what is done is not done twice. It fails with fault.Unprocessable when
// a step has become dearer than maxDearer times what the plan said, with
// fault.PaymentRequired when the gas wallet cannot pay.
func (a *Adapter) Deploy(ctx context.Context, plan DeployPlan, s Signer, record func(context.Context, Signed) error) error {
	var reached uint64 // the block of the last step
	for range 2 * len(deploySteps) {
		d, err := a.settled(ctx, s.Address(), reached)
		if err == nil && len(d.plan(a).Steps) == 0 {
			return nil
		}
		if err == nil {
			reached, err = a.deployNext(ctx, d, plan, s, record)
		}
		if err != nil {
			return fmt.Errorf("deploy on %s: %w", a.profile.Network, err)
		}
	}
	return fmt.Errorf("deploy on %s: the contracts are not there although their transactions succeeded; try again later", a.profile.Network)
}

var deploySteps = [...]string{stepFund, stepDeployer, stepFactory}

// settled surveys the network once nothing of the gas wallet is waiting: a
// deployment that was stopped may still be on its way.
func (a *Adapter) settled(ctx context.Context, wallet common.Address, reached uint64) (deployment, error) {
	for {
		d, err := a.survey(ctx, wallet, reached)
		if err != nil || d.account.pending <= d.account.nonce {
			return d, err
		}
		if !sleep(ctx, receiptPoll) {
			return d, fault.New(fault.Conflict, "the gas wallet on %s has %d transactions waiting; try again when they are through",
				a.profile.Network, d.account.pending-d.account.nonce)
		}
	}
}

// deployNext makes the first transaction that is still to be made and returns
// the number of its block.
func (a *Adapter) deployNext(ctx context.Context, d deployment, plan DeployPlan, s Signer, record func(context.Context, Signed) error) (uint64, error) {
	now := d.plan(a)
	step := now.Steps[0]
	if err := a.withinPlan(step, plan, now); err != nil {
		return 0, err
	}
	tx, err := a.deployTx(d, step.Name, s)
	if err != nil {
		return 0, err
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		return 0, err
	}
	if err := record(ctx, Signed{a.profile.Network, step.Name, txHash(tx), raw}); err != nil {
		return 0, err
	}
	if err := a.broadcast(ctx, hash(tx.Hash()), raw); err != nil {
		return 0, fmt.Errorf("%s: %w", step.Name, err)
	}
	r, err := a.await(ctx, hash(tx.Hash()))
	if err == nil && r.failed {
		err = fmt.Errorf("transaction %s failed", txHash(tx))
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", step.Name, err)
	}
	return r.block, nil
}

// deployTx builds and signs the transaction of a step.
func (a *Adapter) deployTx(d deployment, step string, s Signer) (*types.Transaction, error) {
	switch step {
	case stepFund:
		return s.SignTx(d.funding.unsigned(a.chainID(), d.account.nonce), a.chainID())
	case stepDeployer:
		return contracts.DeployerTransaction(), nil
	}
	return s.SignTx(d.factory.unsigned(a.chainID(), d.account.nonce), a.chainID())
}

// maxDearer is how many times what the plan said a step may cost: gas prices
// move, by small amounts of money.
const maxDearer = 4

// withinPlan refuses a step that the operator did not agree to or that the
// gas wallet cannot pay.
func (a *Adapter) withinPlan(step DeployStep, plan, now DeployPlan) error {
	if !now.Affordable() {
		return fault.New(fault.PaymentRequired, "the gas wallet %s holds %s, and deploying on %s takes up to %s; send it some %s",
			now.Wallet, a.wei(now.Balance.Big()), a.profile.Network, a.wei(now.Cost().Big()), a.profile.Coin)
	}
	for _, agreed := range plan.Steps {
		limit := new(big.Int).Mul(agreed.Cost.Big(), big.NewInt(maxDearer))
		if agreed.Name == step.Name && step.Cost.Big().Cmp(limit) <= 0 {
			return nil
		}
	}
	return fault.New(fault.Unprocessable, "what deploying on %s takes has changed since it was planned; run `florin deploy` again", a.profile.Network)
}
