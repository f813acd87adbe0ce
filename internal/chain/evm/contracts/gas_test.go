package contracts_test

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/params"

	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/sandbox/devchain"
)

// TestFactory_SweepGas holds the gas per payment of a plain ERC-20 token. The
// settlement has some already, as it does for all but the first payment.
func TestFactory_SweepGas(t *testing.T) {
	t.Parallel()
	chain := startChain(t)
	usdt, shop := chain.Tokens().USDT.Address, account("shop")
	chain.pay(usdt, shop, 1)
	next := uint64(0)
	for _, c := range []struct {
		name  string
		items int
		again bool // forwarders that have code
		most  uint64
	}{
		{name: "First/1", items: 1, most: 89_652},
		{name: "Again/1", items: 1, again: true, most: 44_000},
		{name: "First/100", items: 100, most: 58_328},
		{name: "Again/100", items: 100, again: true, most: 14_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.again {
				next -= uint64(c.items)
			}
			var items []contracts.ForwarderFactoryItem
			for range c.items {
				d := newDeposit(next, shop)
				next++
				if _, err := chain.Mint(chain.ctx, usdt, d.forwarder, big.NewInt(123_456_789)); err != nil {
					t.Fatal(err)
				}
				items = append(items, d.item(usdt))
			}
			chain.Commit()
			tx := sweepTx(items...)
			tx.Gas = params.MaxTxGas
			result := chain.sweptIn(chain.must(tx))
			if len(result.flushed) != c.items {
				t.Fatalf("%d of %d flushed", len(result.flushed), c.items)
			}
			if gas := result.gas / uint64(c.items); gas > c.most {
				t.Errorf("%d gas per payment, want at most %d", gas, c.most)
			} else {
				t.Logf("%d gas per payment", gas)
			}
		})
	}
}

// TestFactory_SweepMost: this many first sweeps fit into the gas that one
// transaction may use on the public networks (EIP-7825).
func TestFactory_SweepMost(t *testing.T) {
	t.Parallel()
	chain := startChain(t)
	usdt, shop := chain.Tokens().USDT.Address, account("shop")
	var items []contracts.ForwarderFactoryItem
	var total int64
	for i := range contracts.MaxFirstSweeps {
		d := newDeposit(uint64(i), shop)
		if _, err := chain.Mint(chain.ctx, usdt, d.forwarder, big.NewInt(1)); err != nil {
			t.Fatal(err)
		}
		items, total = append(items, d.item(usdt)), total+1
	}
	chain.Commit()
	tx := sweepTx(items...)
	tx.Gas = params.MaxTxGas
	if result := chain.sweptIn(chain.must(tx)); len(result.failed) != 0 {
		t.Errorf("failed: %+v", result.failed)
	}
	chain.wantBalance(usdt, shop, total)

	tx.Gas++
	if _, err := chain.Send(chain.ctx, devchain.FaucetKey(), tx); err == nil {
		t.Error("the chain takes transactions above the limit of the public networks")
	}
}
