package contracts_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/core/vm/runtime"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
	"pgregory.net/rapid"

	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/contracts/contractstest"
)

// world is an Ethereum virtual machine with the contracts in it, which watches
// every call that a deposit address or the implementation makes.
type world struct {
	state    *state.StateDB
	deposits map[common.Address]common.Address // forwarder → settlement
	token    common.Address
	hostile  common.Address
	breach   error // the first call that is not allowed
	paid     int   // calls that paid a settlement
}

var attacker, victim, otherVictim = account("attacker"), account("victim"), account("other victim")

// callGas bounds a call from outside, as a block would.
const callGas = 10_000_000

func newWorld() (*world, error) {
	statedb, err := state.New(types.EmptyRootHash, state.NewDatabaseForTesting())
	if err != nil {
		return nil, err
	}
	w := &world{state: statedb, deposits: map[common.Address]common.Address{}}
	statedb.SetCode(contracts.DeployerAddress, params.DeterministicFactoryCode, tracing.CodeChangeUnspecified)
	to, data := contracts.FactoryDeployment()
	if _, err := w.call(attacker, to, data, 0); err != nil {
		return nil, fmt.Errorf("deploy factory: %w", err)
	}
	if w.token, err = w.create(contractstest.TestTokenMetaData.Bin,
		contractstest.NewTestToken().PackConstructor("Tether USD", "USDT", 6)); err != nil {
		return nil, err
	}
	w.hostile, err = w.create(contractstest.HostileTokenMetaData.Bin,
		contractstest.NewHostileToken().PackConstructor(uint8(contractstest.TokenCalls)))
	if err != nil {
		return nil, err
	}
	var items []contracts.ForwarderFactoryItem
	for i, settlement := range []common.Address{victim, otherVictim} {
		d := newDeposit(uint64(i), settlement)
		w.deposits[d.forwarder] = settlement
		items = append(items, d.item())
	}
	_, err = w.call(attacker, contracts.FactoryAddress(), contracts.NewForwarderFactory().PackSweep(items), 0)
	return w, err
}

func (w *world) config(from common.Address, value int64) *runtime.Config {
	return &runtime.Config{
		Origin: from, GasLimit: callGas, Value: big.NewInt(value), State: w.state,
		EVMConfig: vm.Config{Tracer: &tracing.Hooks{OnEnter: w.watch}},
	}
}

// call has an account call a contract, with as much native coin as it likes.
func (w *world) call(from, to common.Address, data []byte, value int64) ([]byte, error) {
	w.state.AddBalance(from, uint256.NewInt(uint64(value)), tracing.BalanceChangeUnspecified)
	out, _, err := runtime.Call(to, data, w.config(from, value))
	return out, err
}

func (w *world) create(bin string, constructor []byte) (common.Address, error) {
	_, address, _, err := runtime.Create(append(common.FromHex(bin), constructor...), w.config(attacker, 0))
	return address, err
}

// watch checks every call of our contracts, by any caller, against what they may
// do.
func (w *world) watch(_ int, typ byte, from, to common.Address, input []byte, _ uint64, value *big.Int) {
	settlement, ours := w.deposits[from]
	implementation := contracts.ImplementationAddress(contracts.FactoryAddress())
	if !ours && from != implementation || w.breach != nil {
		return
	}
	op := vm.OpCode(typ)
	switch {
	case from == implementation:
	case op == vm.DELEGATECALL && to == implementation:
		return
	case op == vm.STATICCALL && bytes.Equal(input, contractstest.NewTestToken().PackBalanceOf(from)):
		return
	case op == vm.CALL && value.Sign() > 0 && to == settlement && len(input) == 0:
		w.paid++
		return
	case op == vm.CALL && value.Sign() == 0 && isTransferTo(settlement, input):
		w.paid++
		return
	}
	w.breach = fmt.Errorf("%s: %s to %s with %s wei and data %x", from, op, to, value, input)
}

// isTransferTo recognizes the calldata of ERC-20's transfer to a recipient.
func isTransferTo(recipient common.Address, input []byte) bool {
	head := contractstest.NewTestToken().PackTransfer(recipient, new(big.Int))[:4+32]
	return len(input) == len(head)+32 && bytes.HasPrefix(input, head)
}

// attack is one call by some account to some contract, with valid data
// or nothing.
func (w *world) attack(t *rapid.T) {
	from := rapid.SampledFrom(
		[]common.Address{attacker, w.token, w.hostile, contracts.FactoryAddress()},
	).Draw(t, "from")
	to, data := w.calldata(t, 0)
	if rapid.IntRange(0, 3).Draw(t, "stray") == 0 {
		to = w.party().Draw(t, "to")
	}
	value := int64(0)
	if len(data) == 0 || rapid.IntRange(0, 7).Draw(t, "payable") == 0 { // few functions take native coin
		value = rapid.Int64Range(0, 3).Draw(t, "value")
	}
	_, _ = w.call(from, to, data, value) // most attacks fail; what counts is what they did on the way
}

// party draws anything that has a part in this.
func (w *world) party() *rapid.Generator[common.Address] {
	factory := contracts.FactoryAddress()
	return rapid.SampledFrom([]common.Address{
		w.token, w.hostile, contracts.NativeCoin, newDeposit(0, victim).forwarder, newDeposit(1, otherVictim).forwarder,
		attacker, victim, factory, contracts.ImplementationAddress(factory),
	})
}

// calldata is random bytes, or a call to a known function with arguments that
// fit or almost fit, so that the fuzzing gets past the dispatch; and who would
// understand it.
func (w *world) calldata(t *rapid.T, depth int) (to common.Address, data []byte) {
	forwarder, token := contracts.NewForwarder(), contractstest.NewTestToken()
	deposit0 := newDeposit(0, victim).forwarder
	switch kind := rapid.IntRange(0, 7).Draw(t, "kind"); {
	case kind == 0:
		return deposit0, rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "bytes")
	case kind == 1: // a known selector with any tail
		known := rapid.SampledFrom([][]byte{
			forwarder.PackFlush(attacker)[:4], forwarder.PackSettlement(),
			token.PackTransfer(attacker, new(big.Int))[:4], token.PackApprove(attacker, new(big.Int))[:4],
		})
		tail := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "tail")
		return deposit0, append(bytes.Clone(known.Draw(t, "selector")), tail...)
	case kind == 2:
		return w.token, token.PackTransfer(w.party().Draw(t, "recipient"), big.NewInt(1))
	case kind == 3:
		return w.token, token.PackMint(w.party().Draw(t, "recipient"), big.NewInt(1))
	case kind == 4:
		return deposit0, nil
	case kind == 5 && depth < 2:
		target, nested := w.calldata(t, depth+1)
		return w.hostile, contractstest.NewHostileToken().PackCallOnTransfer(target, nested)
	case kind == 6:
		return deposit0, forwarder.PackFlush(w.party().Draw(t, "token"))
	default:
		settlement := rapid.SampledFrom([]common.Address{victim, attacker, {}}).Draw(t, "settlement")
		d := newDeposit(rapid.Uint64Range(0, 3).Draw(t, "number"), settlement)
		w.deposits[d.forwarder] = d.settlement
		return contracts.FactoryAddress(), contracts.NewForwarderFactory().PackSweep([]contracts.ForwarderFactoryItem{
			d.item(w.party().Draw(t, "token"), w.token, w.hostile),
		})
	}
}

// attacksPerRound is how many attacks the deposits withstand in one round.
const attacksPerRound = 100

// attacks plays a sequence of attacks on deposits that hold money, and then
// sweeps: nothing but the settlements was ever paid, and all of it arrives.
func attacks(base *world, paid *int) func(t *rapid.T) {
	return func(t *rapid.T) {
		w := *base
		w.state, w.deposits = base.state.Copy(), map[common.Address]common.Address{}
		maps.Copy(w.deposits, base.deposits)
		d := newDeposit(0, victim)
		for _, token := range []common.Address{w.token, w.hostile} {
			if _, err := w.call(
				victim, token, contractstest.NewTestToken().PackMint(d.forwarder, big.NewInt(1000)), 0,
			); err != nil {
				t.Fatal(err)
			}
		}
		for range attacksPerRound {
			w.attack(t)
			if w.breach != nil {
				t.Fatal(w.breach)
			}
		}
		if _, err := w.call(attacker, d.forwarder, contracts.NewForwarder().PackFlush(w.token), 0); err != nil {
			t.Fatalf("flush after the attacks: %v", err)
		}
		out, err := w.call(victim, w.token, contractstest.NewTestToken().PackBalanceOf(victim), 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := new(big.Int).SetBytes(out); got.Cmp(big.NewInt(1000)) < 0 {
			t.Fatalf("the settlement has %s of its 1000", got)
		}
		*paid += w.paid
	}
}

// Whatever is called by any account, a forwarder pays its settlement wallet and no
// other account.
func TestForwarder_Attacks(t *testing.T) {
	t.Parallel()
	base, err := newWorld()
	if err != nil {
		t.Fatal(err)
	}
	paid := 0
	rapid.Check(t, attacks(base, &paid))
	if paid < 100 {
		t.Errorf("only %d payments came out of the attacks: they do not get far enough to mean anything", paid)
	}
}

// TestWorld_Breach: the watch over the forwarders is awake.
func TestWorld_Breach(t *testing.T) {
	t.Parallel()
	for name, token := range map[string]func(w *world) common.Address{
		"Token":  func(w *world) common.Address { return w.token },
		"Native": func(*world) common.Address { return contracts.NativeCoin },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, err := newWorld()
			if err != nil {
				t.Fatal(err)
			}
			d := newDeposit(0, victim)
			w.deposits[d.forwarder] = otherVictim // as if it paid another account
			if _, err := w.call(attacker, w.token, contractstest.NewTestToken().PackMint(d.forwarder, big.NewInt(1)),
				0); err != nil {
				t.Fatal(err)
			}
			if _, err := w.call(attacker, d.forwarder, nil, 1); err != nil {
				t.Fatal(err)
			}
			if _, err := w.call(attacker, d.forwarder, contracts.NewForwarder().PackFlush(token(w)), 0); err != nil {
				t.Fatal(err)
			}
			if w.breach == nil {
				t.Error("a payment to another account was not noticed")
			}
		})
	}
}

// FuzzForwarder is TestForwarder_Attacks for as long as one likes.
func FuzzForwarder(f *testing.F) {
	base, err := newWorld()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(rapid.MakeFuzz(attacks(base, new(int))))
}
