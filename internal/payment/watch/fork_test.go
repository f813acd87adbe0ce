package watch_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
)

// forkTx is the hash of a transaction whose effect depends on the fork that
// includes it, as a contract can arrange that reads the block number.
var forkTx = "0x" + strings.Repeat("fc", 32)

// send queues the transaction forkTx, which pays units of the asset with the
// symbol to the payment.
func (r *rig) send(p payment.Payment, symbol string, units int64) {
	r.Helper()
	route, _ := p.Route()
	r.chain.Send(chaintest.Tx{Hash: forkTx, To: r.contract(symbol), Logs: []chaintest.Log{
		chaintest.TransferLog(r.contract(symbol), "0x00000000000000000000000000000000000000f1",
			string(route.Address.Address), big.NewInt(units)),
	}})
}

func (r *rig) contract(symbol string) string {
	r.Helper()
	for _, a := range r.profile.Assets {
		if a.Symbol == symbol {
			return string(a.Contract)
		}
	}
	r.Fatal("no asset " + symbol)
	return ""
}

// replace takes back the newest block with its transactions.
func (r *rig) replace() { r.chain.Drop(1, false) }

// TestWatcher_Fork: a transaction whose recipient, asset or amount depends on the
// fork is recorded as the final chain has it, and holds up no other payment.
func TestWatcher_Fork(t *testing.T) {
	t.Parallel()
	t.Run("Recipient", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, 1)
		first, second, other := r.start(), r.start(), r.start()
		r.send(first, "USDC", tenUSDC)
		r.chain.Mine(1)
		r.watch()
		r.replace()
		r.send(second, "USDC", tenUSDC)
		r.pay(other)
		r.chain.Mine(2)
		r.watch()
		r.chain.Mine(rigFinalDepth + 1)
		r.watch()
		first = r.expect(first, payment.Started, 0)
		if !first.Incoming().IsZero() {
			t.Errorf("%s is still incoming to the address of the other fork", first.Incoming().Micros())
		}
		r.expect(second, payment.Completed, tenUSDC)
		r.expect(other, payment.Completed, tenUSDC)
	})
	t.Run("Asset", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, 1)
		p := r.start()
		r.send(p, "USDC", tenUSDC)
		r.chain.Mine(1)
		r.watch()
		r.replace()
		r.send(p, "USDC.e", tenUSDC)
		r.chain.Mine(rigFinalDepth + 2)
		r.watch()
		p = r.expect(p, payment.Started, 0)
		final := 0
		for _, d := range p.Deposits {
			if d.State == payment.DepositFinal {
				final++
				if d.Transfer.Asset.Symbol != "USDC.e" || d.Transfer.Asset.Token != "" {
					t.Errorf("the final deposit is of %s", d.Transfer.Asset.Symbol)
				}
			}
		}
		if final != 1 {
			t.Errorf("%d final deposits, want 1", final)
		}
	})
	t.Run("Amount", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, 1)
		p := r.start()
		r.send(p, "USDC", tenUSDC)
		r.chain.Mine(1)
		r.watch()
		r.replace()
		r.send(p, "USDC", 1)
		r.chain.Mine(rigFinalDepth + 2)
		r.watch()
		if p = r.expect(p, payment.Started, 1); len(p.Deposits) != 1 {
			t.Errorf("one transfer became %d deposits", len(p.Deposits))
		}
	})
	t.Run("AmountAfterEarlyCredit", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, 2)
		r.creditAfter(time.Second)
		p := r.start()
		r.send(p, "USDC", 1)
		r.chain.Mine(2)
		r.watch()
		r.expect(p, payment.Started, 1)
		r.chain.Drop(2, false)
		r.chain.Mine(2)
		r.send(p, "USDC", tenUSDC)
		r.chain.Mine(1)
		r.watch()
		if p = r.expect(p, payment.Started, 0); p.Incoming().Micros() != tenUSDC {
			t.Errorf("incoming %s", p.Incoming().Micros())
		}
		r.chain.Mine(rigFinalDepth)
		r.watch()
		r.expect(p, payment.Completed, tenUSDC)
	})
}

// creditAfter gives the merchant a rule of their own: money counts after so long.
func (r *rig) creditAfter(d time.Duration) {
	r.Helper()
	_, err := (storetest.Accounts{Store: r.store.Merchant()}).UpdateCustodian(r.Context(), r.key.ID, nil,
		func(c merchant.Custodian) (merchant.CustodianChange, error) {
			c.Networks = map[chain.Network]merchant.NetworkOptions{
				r.profile.Network: {Enabled: true, Finality: chain.Finality{Depth: d}},
			}
			return merchant.CustodianChange{Custodian: c}, nil
		})
	r.must(err)
}
