package contracts_test

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/contracts/contractstest"
	"github.com/florinpay/florin/internal/sandbox/devchain"
)

func selector(signature string) (s [4]byte) {
	copy(s[:], crypto.Keccak256([]byte(signature)))
	return s
}

// Reasons a sweep reports.
var (
	noReason       = [4]byte{}
	hostile        = selector("Hostile()")
	errorString    = selector("Error(string)")
	safeERC20      = selector("SafeERC20FailedOperation(address)")
	nativeRefused  = selector("NativeTransferFailed()")
	zeroSettlement = selector("ZeroSettlement()")
)

func (c testChain) evilToken(behaviour contractstest.TokenBehaviour) common.Address {
	c.t.Helper()
	return c.deploy(contractstest.HostileTokenMetaData.Bin,
		contractstest.NewHostileToken().PackConstructor(uint8(behaviour)))
}

func (c testChain) evilSettlement(behaviour contractstest.SettlementBehaviour) common.Address {
	c.t.Helper()
	return c.deploy(contractstest.HostileSettlementMetaData.Bin,
		contractstest.NewHostileSettlement().PackConstructor(uint8(behaviour)))
}

// wantFailed checks that a sweep failed at exactly this token.
func (s swept) wantFailed(t *testing.T, d deposit, token common.Address, reason [4]byte) {
	t.Helper()
	want := contracts.ForwarderFactoryFlushFailed{Forwarder: d.forwarder, Token: token, Reason: reason}
	if len(s.failed) != 1 || s.failed[0] != want {
		t.Errorf("failed %+v, want %+v", s.failed, want)
	}
}

// TestFactory_SweepHostileToken puts each hostile token between good ones, in the
// same item and in items before and after: the good ones must arrive.
func TestFactory_SweepHostileToken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		behaviour contractstest.TokenBehaviour
		fails     bool
		reason    [4]byte
		settled   int64 // what of 100 reaches the settlement
	}{
		"ReturnsFalse":        {behaviour: contractstest.TokenReturnsFalse, fails: true, reason: safeERC20},
		"ReturnsNothing":      {behaviour: contractstest.TokenReturnsNothing, settled: 100},
		"ReturnsTwo":          {behaviour: contractstest.TokenReturnsTwo, fails: true, reason: safeERC20},
		"Reverts":             {behaviour: contractstest.TokenReverts, fails: true, reason: hostile},
		"RevertsEmpty":        {behaviour: contractstest.TokenRevertsEmpty, fails: true, reason: noReason},
		"TakesFee":            {behaviour: contractstest.TokenTakesFee, settled: 90},
		"BombsOnSuccess":      {behaviour: contractstest.TokenBombsOnSuccess, settled: 100},
		"BombsOnFailure":      {behaviour: contractstest.TokenBombsOnFailure, fails: true, reason: hostile},
		"BurnsGas":            {behaviour: contractstest.TokenBurnsGas, fails: true, reason: noReason},
		"BurnsGasInBalanceOf": {behaviour: contractstest.TokenBurnsGasInBalanceOf, fails: true, reason: noReason},
		"RevertsInBalanceOf":  {behaviour: contractstest.TokenRevertsInBalanceOf, fails: true, reason: hostile},
		"ShortBalanceOf":      {behaviour: contractstest.TokenShortBalanceOf, fails: true, reason: noReason},
		"Lies":                {behaviour: contractstest.TokenLies},
		"Heavy":               {behaviour: contractstest.TokenHeavy, settled: 100},
		"CallsNothing":        {behaviour: contractstest.TokenCalls, settled: 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chain := startChain(t)
			usdt, shop := chain.Tokens().USDT.Address, account("shop")
			bad := chain.evilToken(c.behaviour)
			before, d, after := newDeposit(1, shop), newDeposit(2, shop), newDeposit(3, shop)
			for _, x := range []deposit{before, d, after} {
				chain.pay(usdt, x.forwarder, 100)
				chain.pay(contracts.NativeCoin, x.forwarder, 7)
			}
			chain.pay(bad, d.forwarder, 100)

			result := chain.sweep(before.item(usdt, contracts.NativeCoin), d.item(usdt, bad, contracts.NativeCoin),
				after.item(usdt, contracts.NativeCoin))
			want := []contracts.ForwarderFactoryFlushed{
				flushed(before, usdt, 100), flushed(before, contracts.NativeCoin, 7),
				flushed(d, usdt, 100), flushed(d, bad, 100), flushed(d, contracts.NativeCoin, 7),
				flushed(after, usdt, 100), flushed(after, contracts.NativeCoin, 7),
			}
			if c.fails {
				want = append(want[:3], want[4:]...)
				result.wantFailed(t, d, bad, c.reason)
				result.wantEvents(t, want...)
			} else {
				result.wantFlushed(t, want...)
			}
			chain.wantBalance(usdt, shop, 300)
			chain.wantBalance(contracts.NativeCoin, shop, 21)
			if c.settled != 0 {
				chain.wantBalance(bad, shop, c.settled)
			}
		})
	}
}

// TestFactory_SweepFrozen: what an issuer freezes stays, and is swept once it
// is thawed.
func TestFactory_SweepFrozen(t *testing.T) {
	t.Parallel()
	chain := startChain(t)
	usdt, shop := chain.Tokens().USDT.Address, account("shop")
	token := chain.deploy(contractstest.FreezableTokenMetaData.Bin, nil)
	binding := contractstest.NewFreezableToken()
	set := func(data []byte) { chain.must(devchain.Tx{To: &token, Data: data}) }
	d, good := newDeposit(1, shop), newDeposit(2, shop)
	for name, c := range map[string]struct{ on, off []byte }{
		"Forwarder":  {binding.PackFreeze(d.forwarder, true), binding.PackFreeze(d.forwarder, false)},
		"Settlement": {binding.PackFreeze(shop, true), binding.PackFreeze(shop, false)},
		"Paused":     {binding.PackPause(true), binding.PackPause(false)},
	} {
		t.Run(name, func(t *testing.T) {
			chain.pay(token, d.forwarder, 50)
			chain.pay(usdt, good.forwarder, 1)
			set(c.on)
			result := chain.sweep(d.item(token), good.item(usdt))
			result.wantFailed(t, d, token, errorString)
			result.wantEvents(t, flushed(good, usdt, 1))
			set(c.off)
			chain.sweep(d.item(token)).wantFlushed(t, flushed(d, token, 50))
		})
	}
	chain.wantBalance(token, shop, 150)
}

// TestFactory_SweepNoToken: an address without code is no token, and the
// money without an owner is not burnt.
func TestFactory_SweepNoToken(t *testing.T) {
	t.Parallel()
	chain := startChain(t)
	usdt, shop := chain.Tokens().USDT.Address, account("shop")
	d, zero, good := newDeposit(1, shop), newDeposit(2, common.Address{}), newDeposit(3, shop)
	chain.pay(usdt, good.forwarder, 1)
	chain.pay(contracts.NativeCoin, zero.forwarder, 1)

	result := chain.sweep(d.item(account("no token")), good.item(usdt))
	result.wantFailed(t, d, account("no token"), noReason)
	result.wantEvents(t, flushed(good, usdt, 1))

	chain.pay(usdt, good.forwarder, 2)
	result = chain.sweep(zero.item(contracts.NativeCoin, usdt), good.item(usdt))
	result.wantFailed(t, zero, common.Address{}, zeroSettlement)
	result.wantEvents(t, flushed(good, usdt, 2))
	if len(chain.code(zero.forwarder)) != 0 {
		t.Error("a forwarder to the zero address was deployed")
	}
	chain.wantBalance(contracts.NativeCoin, zero.forwarder, 1)
}

// TestFactory_SweepHostileSettlement: a settlement contract that will not take the
// native coin affects only itself.
func TestFactory_SweepHostileSettlement(t *testing.T) {
	t.Parallel()
	for name, behaviour := range map[string]contractstest.SettlementBehaviour{
		"Refuses": contractstest.SettlementRefuses, "BurnsGas": contractstest.SettlementBurnsGas,
		"Bombs": contractstest.SettlementBombs,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chain := startChain(t)
			usdt, shop := chain.Tokens().USDT.Address, account("shop")
			d, good := newDeposit(1, chain.evilSettlement(behaviour)), newDeposit(2, shop)
			chain.pay(contracts.NativeCoin, d.forwarder, 5)
			chain.pay(usdt, d.forwarder, 6)
			chain.pay(contracts.NativeCoin, good.forwarder, 7)
			result := chain.sweep(d.item(contracts.NativeCoin, usdt), good.item(contracts.NativeCoin))
			result.wantFailed(t, d, contracts.NativeCoin, nativeRefused)
			result.wantEvents(t, flushed(d, usdt, 6), flushed(good, contracts.NativeCoin, 7))
			chain.wantBalance(contracts.NativeCoin, d.forwarder, 5)
		})
	}
}

// Tokens and settlements that call back gain nothing, and money goes to the
// settlement.
func TestFactory_SweepReentrant(t *testing.T) {
	t.Parallel()
	chain := startChain(t)
	usdt, shop := chain.Tokens().USDT.Address, account("shop")
	token := chain.evilToken(contractstest.TokenCalls)
	settlement := chain.evilSettlement(contractstest.SettlementCalls)
	evilBinding, settlementBinding := contractstest.NewHostileToken(), contractstest.NewHostileSettlement()
	a, b := newDeposit(1, shop), newDeposit(2, settlement)
	for name, attack := range map[string]struct {
		target common.Address
		data   []byte
	}{
		"SweepAll": {
			contracts.FactoryAddress(),
			sweepTx(a.item(token, usdt, contracts.NativeCoin), b.item(token, usdt, contracts.NativeCoin)).Data,
		},
		"FlushA": {a.forwarder, contracts.NewForwarder().PackFlush(token)},
		"FlushB": {b.forwarder, contracts.NewForwarder().PackFlush(contracts.NativeCoin)},
	} {
		t.Run(name, func(t *testing.T) {
			shopHad, settlementHad := chain.balance(token, shop), chain.balance(token, settlement)
			chain.must(devchain.Tx{To: &token, Data: evilBinding.PackCallOnTransfer(attack.target, attack.data)})
			chain.must(
				devchain.Tx{To: &settlement, Data: settlementBinding.PackCallOnReceive(attack.target, attack.data)},
			)
			for _, d := range []deposit{a, b} {
				chain.pay(token, d.forwarder, 10)
				chain.pay(usdt, d.forwarder, 20)
				chain.pay(contracts.NativeCoin, d.forwarder, 30)
			}
			chain.must(sweepTx(a.item(token, usdt, contracts.NativeCoin), b.item(contracts.NativeCoin, token, usdt)))
			// The token is free to lie about itself; what it reports moved cannot exceed what there was.
			moved := new(big.Int).Sub(chain.balance(token, shop), shopHad)
			moved.Add(moved, chain.balance(token, settlement)).Sub(moved, settlementHad)
			left := new(big.Int).Add(chain.balance(token, a.forwarder), chain.balance(token, b.forwarder))
			if left.Add(left, moved).Cmp(big.NewInt(20)) != 0 {
				t.Errorf("of 20 tokens %s are accounted for", left)
			}
			for _, d := range []deposit{a, b} {
				chain.wantBalance(usdt, d.forwarder, 0)
				chain.wantBalance(contracts.NativeCoin, d.forwarder, 0)
			}
			// Whatever the attack broke off can be swept afterwards.
			chain.must(devchain.Tx{To: &token, Data: evilBinding.PackCallOnTransfer(common.Address{}, nil)})
			chain.must(sweepTx(a.item(token), b.item(token)))
			chain.wantBalance(token, a.forwarder, 0)
			chain.wantBalance(token, b.forwarder, 0)
		})
	}
	chain.wantBalance(usdt, shop, 60)
	chain.wantBalance(usdt, settlement, 60)
	chain.wantBalance(contracts.NativeCoin, shop, 90)
	chain.wantBalance(contracts.NativeCoin, settlement, 90)
}

// TestFactory_SweepGasLimit: with too little gas a sweep fails as a whole; it
// never passes off a lack of gas as a bad token. So an estimate is enough.
func TestFactory_SweepGasLimit(t *testing.T) {
	t.Parallel()
	chain := startChain(t)
	shop := account("shop")
	usdt, heavy := chain.Tokens().USDT.Address, chain.evilToken(contractstest.TokenHeavy)
	d := newDeposit(1, shop)
	chain.pay(usdt, d.forwarder, 1)
	chain.pay(heavy, d.forwarder, 2)
	tx := sweepTx(d.item(usdt, heavy))

	call := ethereum.CallMsg{From: devchain.FaucetAddress(), To: tx.To, Data: tx.Data}
	estimate, err := chain.Client().EstimateGas(chain.ctx, call)
	if err != nil {
		t.Fatal(err)
	}
	const imprecision = 50 // an estimate is too high by one part in so many, at most
	for tx.Gas = 100_000; tx.Gas < estimate-estimate/imprecision; tx.Gas += 10_000 {
		receipt := chain.include(devchain.FaucetKey(), tx)
		if receipt.Status == types.ReceiptStatusSuccessful {
			t.Fatalf("with %d gas it did %+v; the estimate is %d", tx.Gas, chain.sweptIn(receipt), estimate)
		}
	}
	tx.Gas = estimate
	chain.sweptIn(chain.must(tx)).wantFlushed(t, flushed(d, usdt, 1), flushed(d, heavy, 2))
}
