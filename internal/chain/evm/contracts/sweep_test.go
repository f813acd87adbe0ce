package contracts_test

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/contracts/contractstest"
	"github.com/florinpay/florin/internal/sandbox/devchain"
)

// deposit is a forwarder under test.
type deposit struct {
	settlement, forwarder common.Address
	salt                  [32]byte
}

func newDeposit(number uint64, settlement common.Address) deposit {
	salt := contracts.Salt([16]byte(common.LeftPadBytes(new(big.Int).SetUint64(number).Bytes(), 16)))
	return deposit{settlement, contracts.ForwarderAddress(contracts.FactoryAddress(), settlement, salt), salt}
}

func (d deposit) item(tokens ...common.Address) contracts.ForwarderFactoryItem {
	return contracts.ForwarderFactoryItem{Settlement: d.settlement, Salt: d.salt, Tokens: tokens}
}

// account is an unused address, named after its seed.
func account(seed string) common.Address {
	return common.BytesToAddress(crypto.Keccak256([]byte(seed))[12:])
}

// swept is what a sweep's receipt says it did.
type swept struct {
	flushed []contracts.ForwarderFactoryFlushed
	failed  []contracts.ForwarderFactoryFlushFailed
	gas     uint64
}

// sweepGas is the gas limit of the sweeps of a few items: so low that a token
// which burned most of it would starve the others.
const sweepGas = 1_500_000

func (c testChain) sweep(items ...contracts.ForwarderFactoryItem) swept {
	c.t.Helper()
	return c.sweptIn(c.must(sweepTx(items...)))
}

func sweepTx(items ...contracts.ForwarderFactoryItem) devchain.Tx {
	factory := contracts.FactoryAddress()
	return devchain.Tx{To: &factory, Gas: sweepGas, Data: contracts.NewForwarderFactory().PackSweep(items)}
}

func (c testChain) sweptIn(receipt *types.Receipt) swept {
	c.t.Helper()
	binding := contracts.NewForwarderFactory()
	result := swept{gas: receipt.GasUsed}
	for _, log := range receipt.Logs {
		if log.Address != contracts.FactoryAddress() {
			continue
		}
		if e, err := binding.UnpackFlushedEvent(log); err == nil {
			e.Raw = nil
			result.flushed = append(result.flushed, *e)
		} else if e, err := binding.UnpackFlushFailedEvent(log); err == nil {
			e.Raw = nil
			result.failed = append(result.failed, *e)
		} else {
			c.t.Fatalf("unknown event of the factory: %v", log.Topics)
		}
	}
	return result
}

// wantFlushed checks that a sweep did this and nothing else, and failed at
// nothing.
func (s swept) wantFlushed(t *testing.T, want ...contracts.ForwarderFactoryFlushed) {
	t.Helper()
	if len(s.failed) != 0 {
		t.Fatalf("failed: %+v", s.failed)
	}
	s.wantEvents(t, want...)
}

func (s swept) wantEvents(t *testing.T, want ...contracts.ForwarderFactoryFlushed) {
	t.Helper()
	if len(s.flushed) != len(want) {
		t.Fatalf("flushed %+v, want %+v", s.flushed, want)
	}
	for i, got := range s.flushed {
		if got.Forwarder != want[i].Forwarder || got.Token != want[i].Token || got.Amount.Cmp(want[i].Amount) != 0 {
			t.Errorf("flushed %+v, want %+v", got, want[i])
		}
	}
}

func flushed(d deposit, token common.Address, amount int64) contracts.ForwarderFactoryFlushed {
	return contracts.ForwarderFactoryFlushed{Forwarder: d.forwarder, Token: token, Amount: big.NewInt(amount)}
}

func (c testChain) balance(token, of common.Address) *big.Int {
	c.t.Helper()
	binding := contractstest.NewTestToken()
	out, err := c.call(token, binding.PackBalanceOf(of))
	if err != nil {
		c.t.Fatal(err)
	}
	balance, err := binding.UnpackBalanceOf(out)
	if err != nil {
		c.t.Fatal(err)
	}
	return balance
}

func (c testChain) wantBalance(token, of common.Address, want int64) {
	c.t.Helper()
	got := c.native(of)
	if token != contracts.NativeCoin {
		got = c.balance(token, of)
	}
	if got.Cmp(big.NewInt(want)) != 0 {
		c.t.Errorf("%s has %s of %s, want %d", of, got, token, want)
	}
}

func (c testChain) pay(token, to common.Address, amount int64) {
	c.t.Helper()
	var receipt *types.Receipt
	if token == contracts.NativeCoin {
		receipt = c.receipt(c.FundNative(c.ctx, to, big.NewInt(amount)))
	} else {
		receipt = c.receipt(c.Mint(c.ctx, token, to, big.NewInt(amount)))
	}
	if receipt.Status != types.ReceiptStatusSuccessful {
		c.t.Fatalf("paying %d of %s to %s failed", amount, token, to)
	}
}

func TestFactory_Sweep(t *testing.T) {
	t.Parallel()
	chain := startChain(t)
	usdt, usdc := chain.Tokens().USDT.Address, chain.Tokens().USDC.Address
	shop, other := account("shop"), account("other shop")

	t.Run("DeploysAndFlushes", func(t *testing.T) {
		d := newDeposit(1, shop)
		chain.pay(usdt, d.forwarder, 700)
		chain.pay(usdc, d.forwarder, 30)
		chain.pay(contracts.NativeCoin, d.forwarder, 5)
		chain.sweep(d.item(usdt, usdc, contracts.NativeCoin)).wantFlushed(t,
			flushed(d, usdt, 700), flushed(d, usdc, 30), flushed(d, contracts.NativeCoin, 5))
		chain.wantBalance(usdt, shop, 700)
		chain.wantBalance(usdc, shop, 30)
		chain.wantBalance(contracts.NativeCoin, shop, 5)
		chain.wantBalance(usdt, d.forwarder, 0)
		chain.wantBalance(contracts.NativeCoin, d.forwarder, 0)
		if code := chain.code(
			d.forwarder,
		); !bytes.Equal(code, contracts.RuntimeCodeOfForwarder(contracts.FactoryAddress(),
			shop)) {
			t.Errorf("forwarder has code %x", code)
		}
	})
	t.Run("Again", func(t *testing.T) {
		d := newDeposit(1, shop)
		chain.pay(usdt, d.forwarder, 41)
		chain.pay(contracts.NativeCoin, d.forwarder, 2) // to code now
		chain.sweep(d.item(usdt, contracts.NativeCoin)).wantFlushed(t, flushed(d, usdt, 41),
			flushed(d, contracts.NativeCoin, 2))
		chain.sweep(d.item(usdt, contracts.NativeCoin)).wantFlushed(t)
		chain.wantBalance(usdt, shop, 741)
		chain.wantBalance(contracts.NativeCoin, shop, 7)
	})
	t.Run("NothingToSend", func(t *testing.T) {
		d := newDeposit(2, shop)
		chain.sweep(d.item(usdt, contracts.NativeCoin)).wantFlushed(t)
		if len(chain.code(d.forwarder)) == 0 {
			t.Error("no forwarder was deployed")
		}
	})
	t.Run("SameItemTwice", func(t *testing.T) {
		d := newDeposit(3, shop)
		chain.pay(usdt, d.forwarder, 9)
		chain.sweep(d.item(usdt, usdt), d.item(usdt)).wantFlushed(t, flushed(d, usdt, 9))
	})
	t.Run("TwoSettlementsOneSalt", func(t *testing.T) {
		a, b := newDeposit(4, shop), newDeposit(4, other)
		if a.forwarder == b.forwarder {
			t.Fatal("two settlements share a deposit address")
		}
		chain.pay(usdt, a.forwarder, 10)
		chain.pay(usdt, b.forwarder, 20)
		chain.sweep(b.item(usdt), a.item(usdt)).wantFlushed(t, flushed(b, usdt, 20), flushed(a, usdt, 10))
		chain.wantBalance(usdt, other, 20)
	})
}

// A sweep may have any caller, items and settlement.
func TestFactory_SweepCallers(t *testing.T) {
	t.Parallel()
	chain := startChain(t)
	usdt, shop := chain.Tokens().USDT.Address, account("shop")

	t.Run("AnyAccount", func(t *testing.T) {
		d := newDeposit(5, shop)
		chain.pay(usdt, d.forwarder, 8)
		caller, err := crypto.GenerateKey()
		if err != nil {
			t.Fatal(err)
		}
		chain.pay(contracts.NativeCoin, crypto.PubkeyToAddress(caller.PublicKey), 1e18)
		receipt := chain.include(caller, sweepTx(d.item(usdt)))
		chain.sweptIn(receipt).wantFlushed(t, flushed(d, usdt, 8))
		chain.wantBalance(usdt, crypto.PubkeyToAddress(caller.PublicKey), 0)
	})
	t.Run("NoItems", func(t *testing.T) {
		chain.sweep().wantFlushed(t)
		chain.sweep(newDeposit(6, shop).item()).wantFlushed(t)
	})
	t.Run("SettlementIsContract", func(t *testing.T) {
		a := newDeposit(7, shop)
		chain.sweep(a.item())
		b := newDeposit(8, a.forwarder) // a forwarder may settle to another
		chain.pay(contracts.NativeCoin, b.forwarder, 3)
		chain.pay(usdt, b.forwarder, 4)
		chain.sweep(b.item(contracts.NativeCoin, usdt)).wantFlushed(t, flushed(b, contracts.NativeCoin, 3),
			flushed(b, usdt, 4))
		chain.wantBalance(contracts.NativeCoin, a.forwarder, 3)
		chain.wantBalance(usdt, a.forwarder, 4)
	})
}

// A deployed forwarder can also be flushed directly, by any account, with all
// the gas there is.
func TestForwarder_Flush(t *testing.T) {
	t.Parallel()
	chain := startChain(t)
	usdt, shop := chain.Tokens().USDT.Address, account("shop")
	d := newDeposit(1, shop)
	chain.sweep(d.item())
	chain.pay(usdt, d.forwarder, 12)
	chain.must(devchain.Tx{To: &d.forwarder, Data: contracts.NewForwarder().PackFlush(usdt)})
	chain.wantBalance(usdt, shop, 12)

	out, err := chain.call(d.forwarder, contracts.NewForwarder().PackSettlement())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := contracts.NewForwarder().UnpackSettlement(out); err != nil || got != shop {
		t.Errorf("settlement %s (%v), want %s", got, err, shop)
	}
}

// TestImplementation: the bare implementation has no settlement and takes
// nothing it could not send on.
func TestImplementation(t *testing.T) {
	t.Parallel()
	chain := startChain(t)
	implementation := contracts.ImplementationAddress(contracts.FactoryAddress())
	forwarder := contracts.NewForwarder()
	for name, tx := range map[string]devchain.Tx{
		"Native":      {Value: big.NewInt(1)},
		"Flush":       {Data: forwarder.PackFlush(chain.Tokens().USDT.Address)},
		"FlushNative": {Data: forwarder.PackFlush(contracts.NativeCoin)},
		"Settlement":  {Data: forwarder.PackSettlement()},
	} {
		tx.To, tx.Gas = &implementation, 200_000
		if receipt := chain.include(devchain.FaucetKey(), tx); receipt.Status != types.ReceiptStatusFailed {
			t.Errorf("%s: the implementation went along", name)
		}
	}
}
