package evm_test

import (
	"context"
	"errors"
	"math/big"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/sandbox/devchain"
)

// faucetSigner signs with the faucet's key; poor is an account without money.
type faucetSigner struct{ poor bool }

func (f faucetSigner) Address() common.Address {
	if f.poor {
		return common.HexToAddress("0x1234")
	}
	return devchain.FaucetAddress()
}

func (f faucetSigner) SignTx(tx *types.Transaction, chainID *big.Int) (*types.Transaction, error) {
	return types.SignTx(tx, types.LatestSignerForChainID(chainID), devchain.FaucetKey())
}

// log remembers what was recorded before it was broadcast.
type log struct {
	mu     sync.Mutex
	steps  []string
	signed []sender.SignedStep
}

func (l *log) record(_ context.Context, s sender.SignedStep) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.steps, l.signed = append(l.steps, s.Step), append(l.signed, s)
	return nil
}

// bareGeth is a development chain without proxy and factory, with a timer.
func bareGeth(t *testing.T, n chain.Network) *geth {
	t.Helper()
	p, _ := profileOf(n)
	c, err := devchain.Start(devchain.Config{ChainID: p.ChainID, BlockTime: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	a, err := evm.New(evm.Config{Profile: p, Endpoints: []string{c.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	return &geth{t, c, p, a}
}

func TestDeploy_Geth(t *testing.T) {
	t.Parallel()
	for _, n := range []chain.Network{chain.BEP20, chain.Polygon, chain.Base} {
		t.Run(string(n), func(t *testing.T) {
			t.Parallel()
			g := bareGeth(t, n)
			plan, err := sender.NewDeployer(g.reader).Plan(t.Context(), faucetSigner{}.Address())
			if err != nil {
				t.Fatal(err)
			}
			// The signer of the proxy's deployment has money on this chain.
			if len(plan.Steps) != 2 || plan.Cost().IsZero() || !plan.Affordable() ||
				plan.Factory != chain.AddressOf(n, contracts.FactoryAddress().Bytes()).Address {
				t.Errorf("the plan is %+v", plan)
			}
			var l log
			if err := sender.NewDeployer(g.reader).Deploy(t.Context(), plan, faucetSigner{}, l.record); err != nil {
				t.Fatal(err)
			}
			g.wantFactory()
			g.wantPaid(plan, l.signed)
			again, err := sender.NewDeployer(g.reader).Plan(t.Context(), faucetSigner{}.Address())
			if err != nil || len(again.Steps) != 0 || !again.Cost().IsZero() {
				t.Errorf("after deploying the plan is %+v, error %v", again, err)
			}
			if err := sender.NewDeployer(g.reader).Deploy(t.Context(), plan, faucetSigner{}, l.record); err != nil ||
				len(l.steps) != 2 {
				t.Errorf("deploying again: %v, error %v", l.steps, err)
			}
		})
	}
}

func (g *geth) wantFactory() {
	g.t.Helper()
	for at, want := range map[common.Address]common.Hash{
		contracts.FactoryAddress():                                  contracts.FactoryCodeHash,
		contracts.ImplementationAddress(contracts.FactoryAddress()): contracts.ImplementationCodeHash,
	} {
		code, err := g.chain.Client().CodeAt(g.t.Context(), at, nil)
		if err != nil || crypto.Keccak256Hash(code) != want {
			g.t.Errorf("%s has other code, error %v", at, err)
		}
	}
}

// wantPaid checks that the wallet's transactions cost no more than planned and
// offered the network's least tip.
func (g *geth) wantPaid(plan sender.DeployPlan, signed []sender.SignedStep) {
	g.t.Helper()
	paid := new(big.Int)
	for _, s := range signed {
		var tx types.Transaction
		if err := tx.UnmarshalBinary(s.Raw); err != nil {
			g.t.Fatal(err)
		}
		r, err := g.chain.Client().TransactionReceipt(g.t.Context(), tx.Hash())
		if err != nil {
			g.t.Fatal(err)
		}
		if tx.Type() == types.LegacyTxType {
			continue // presigned
		}
		floor := map[chain.Network]int64{chain.BEP20: 5e7, chain.Polygon: 25e9, chain.Base: 1e6}[g.profile.Network]
		if tx.GasTipCap().Cmp(big.NewInt(floor)) < 0 || tx.Gas() <= r.GasUsed {
			g.t.Errorf("tip %s, gas %d of %d", tx.GasTipCap(), r.GasUsed, tx.Gas())
		}
		paid.Add(paid, new(big.Int).Mul(r.EffectiveGasPrice, new(big.Int).SetUint64(r.GasUsed)))
	}
	if limit := new(big.Int).Mul(plan.Cost().Big(), big.NewInt(4)); paid.Sign() == 0 || paid.Cmp(limit) > 0 {
		g.t.Errorf("paid %s, planned %s", paid, plan.Cost())
	}
}

// A deployment that was stopped after it was recorded, before or after it was
// broadcast, continues where it stopped.
func TestDeploy_Resumes(t *testing.T) {
	t.Parallel()
	g := bareGeth(t, chain.Polygon)
	plan, err := sender.NewDeployer(g.reader).Plan(t.Context(), faucetSigner{}.Address())
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stopped")
	calls := 0
	err = sender.NewDeployer(g.reader).Deploy(t.Context(), plan, faucetSigner{},
		func(context.Context, sender.SignedStep) error {
			if calls++; calls == 2 {
				return stop
			}
			return nil
		})
	if !errors.Is(err, stop) {
		t.Fatalf("error %v, want %v", err, stop)
	}
	var l log
	ctx, cancel := context.WithCancel(t.Context())
	err = sender.NewDeployer(g.reader).Deploy(ctx, plan, faucetSigner{},
		func(_ context.Context, s sender.SignedStep) error {
			cancel() // as on shutdown
			return l.record(ctx, s)
		})
	if err == nil {
		t.Fatal("deployed with a cancelled context")
	}
	if err := sender.NewDeployer(g.reader).Deploy(t.Context(), plan, faucetSigner{}, l.record); err != nil {
		t.Fatal(err)
	}
	g.wantFactory()
}

func TestDeploy_NoMoney(t *testing.T) {
	t.Parallel()
	g := bareGeth(t, chain.Polygon)
	poor := faucetSigner{poor: true}
	plan, err := sender.NewDeployer(g.reader).Plan(t.Context(), poor.Address())
	if err != nil || plan.Affordable() || len(plan.Steps) != 2 {
		t.Fatalf("the plan is %+v, error %v", plan, err)
	}
	var l log
	if err := sender.NewDeployer(g.reader).Deploy(t.Context(), plan, poor, l.record); !fault.Is(err,
		fault.PaymentRequired) || len(l.steps) != 0 {
		t.Errorf("error %v after %v, want PaymentRequired", err, l.steps)
	}
}

// A step the operator did not agree to is not sent.
func TestDeploy_NotAgreed(t *testing.T) {
	t.Parallel()
	g := bareGeth(t, chain.Polygon)
	plan, err := sender.NewDeployer(g.reader).Plan(t.Context(), faucetSigner{}.Address())
	if err != nil {
		t.Fatal(err)
	}
	cheap := plan
	cheap.Steps = append([]sender.DeployStep{}, plan.Steps...)
	cheap.Steps[1].Cost = units(1)
	var l log
	for name, p := range map[string]sender.DeployPlan{"Nothing": {}, "Less": cheap} {
		if err := sender.NewDeployer(g.reader).Deploy(t.Context(), p, faucetSigner{}, l.record); !fault.Is(err,
			fault.Unprocessable) {
			t.Errorf("%s: error %v, want Unprocessable", name, err)
		}
	}
	for _, step := range l.steps {
		if step == plan.Steps[1].Name {
			t.Error("the factory was deployed at a price the operator did not agree to")
		}
	}
}
