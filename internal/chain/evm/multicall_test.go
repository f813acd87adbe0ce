package evm_test

import (
	"encoding/hex"
	"encoding/json"
	"maps"
	"math/big"
	"strings"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/contracts/contractstest"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/sandbox/devchain"
)

// holders is a real chain on which some of many addresses hold tokens and coins, with the contract that reads them at
// once.
type holders struct {
	*geth
	contract  rpc.Multicall
	addresses []chain.Address
	tokens    map[chain.Address]uint64
	coins     map[chain.Address]uint64

	mu    sync.Mutex
	calls map[string]int // by method
}

func newHolders(t *testing.T, n int) *holders {
	t.Helper()
	h := &holders{
		geth: newGeth(t, chain.Base), tokens: make(map[chain.Address]uint64), coins: make(map[chain.Address]uint64),
		calls: make(map[string]int),
	}
	for i := range n {
		w := h.Address()
		h.addresses = append(h.addresses, w.Address)
		if i%40 != 0 {
			continue
		}
		h.tokens[w.Address], h.coins[w.Address] = uint64(i+1), uint64(i+2)
		_, err := h.chain.Mint(t.Context(), common.HexToAddress(string(h.Credited().Contract)), common.Address(w.Raw),
			new(big.Int).SetUint64(h.tokens[w.Address]))
		if err == nil {
			_, err = h.chain.FundNative(t.Context(), common.Address(w.Raw), new(big.Int).SetUint64(h.coins[w.Address]))
		}
		if err != nil {
			t.Fatal(err)
		}
		h.Mine(1)
	}
	h.contract = h.deploy(common.FromHex(contractstest.MulticallMetaData.Bin))
	return h
}

// deploy creates the contract.
func (h *holders) deploy(code []byte) rpc.Multicall {
	h.t.Helper()
	sent, err := h.chain.Send(h.t.Context(), devchain.FaucetKey(), devchain.Tx{Data: code})
	if err != nil {
		h.t.Fatal(err)
	}
	h.Mine(1)
	r, err := h.chain.Client().TransactionReceipt(h.t.Context(), sent)
	if err != nil {
		h.t.Fatal(err)
	}
	deployed, err := h.chain.Client().CodeAt(h.t.Context(), r.ContractAddress, nil)
	if err != nil || len(deployed) == 0 {
		h.t.Fatalf("no contract at %s: %v", r.ContractAddress, err)
	}
	return rpc.Multicall{At: rpc.Address(r.ContractAddress), Code: rpc.Hash(crypto.Keccak256Hash(deployed))}
}

// through reads the chain through the endpoint, with calls counted, by the contract.
func (h *holders) through(url string, contract rpc.Multicall) {
	h.t.Helper()
	var err error
	h.reader, err = evm.New(evm.Config{
		Profile: h.profile, Endpoints: []string{url}, Multicall: contract, Count: func(_, method string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.calls[method]++
		},
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *holders) latest() chain.Head {
	h.t.Helper()
	heads, err := h.reader.Heads(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	return heads.Latest
}

// mustHold reads tokens and coins, and returns the calls that this took.
func (h *holders) mustHold() map[string]int {
	h.t.Helper()
	head := h.latest()
	h.mu.Lock()
	clear(h.calls)
	h.mu.Unlock()
	tokens, err := h.reader.Balances(h.t.Context(), h.Credited(), h.addresses, head)
	if err != nil {
		h.t.Fatal(err)
	}
	coins, err := h.reader.Coins(h.t.Context(), h.addresses, head)
	if err != nil {
		h.t.Fatal(err)
	}
	for i, a := range h.addresses {
		if tokens[i].Cmp(units(h.tokens[a])) != 0 || coins[i].Cmp(units(h.coins[a])) != 0 {
			h.t.Fatalf("address %d holds %s and %s, want %d and %d", i, tokens[i], coins[i], h.tokens[a], h.coins[a])
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.calls)
}

// Balances cost one call for two hundred addresses where the contract is, and one for each where it is not or is
// another one. Its code is read once.
func TestBalances_Multicall(t *testing.T) {
	t.Parallel()
	h := newHolders(t, 250)
	n := len(h.addresses)
	single := map[string]int{"eth_blockNumber": 2, "eth_call": n, "eth_getBalance": n}
	other := h.contract
	other.Code[0] ^= 1
	for name, c := range map[string]struct {
		contract rpc.Multicall
		want     map[string]int
	}{
		"There":       {h.contract, map[string]int{"eth_call": 4}},
		"NotThere":    {rpc.Multicall3(), single},
		"AnotherCode": {other, single},
	} {
		h.through(h.chain.URL(), c.contract)
		if first := h.mustHold(); first["eth_getCode"] != 1 {
			t.Errorf("%s: the code was read %d times", name, first["eth_getCode"])
		}
		if got := h.mustHold(); !maps.Equal(got, c.want) {
			t.Errorf("%s: calls %v, want %v", name, got, c.want)
		}
	}
	h.through(h.chain.URL(), h.contract)
	h.mustHold()
	head := h.latest()
	head.Number++
	if held, err := h.reader.Balances(t.Context(), h.Credited(), h.addresses, head); err == nil {
		t.Errorf("balances as of a block that is not there yet: %v", held[:1])
	}
}

// answers are what a faulty contract, or a node that runs it wrongly, answers in place of the right hex text.
var answers = map[string]func(right string) *chaintest.ProviderReply{
	"Reverted": func(string) *chaintest.ProviderReply {
		return &chaintest.ProviderReply{Err: &chaintest.RPCError{Code: 3, Message: "execution reverted"}}
	},
	"OutOfGas": func(string) *chaintest.ProviderReply {
		return &chaintest.ProviderReply{Err: &chaintest.RPCError{Code: -32000, Message: "out of gas"}}
	},
	"Nothing":  func(string) *chaintest.ProviderReply { return &chaintest.ProviderReply{Result: "0x"} },
	"NoText":   func(string) *chaintest.ProviderReply { return &chaintest.ProviderReply{Result: 7} },
	"OddDigit": func(right string) *chaintest.ProviderReply { return &chaintest.ProviderReply{Result: right + "0"} },
	"Short": func(right string) *chaintest.ProviderReply {
		return &chaintest.ProviderReply{Result: right[:len(right)-64]}
	},
	"OneLess":     word(1, 3),
	"SubFailed":   inResult(0, 0),
	"ShortResult": inResult(2, 31),
	"FarOffset":   word(0, 1<<40),
	"SelfOffset":  word(3, 1<<62),
}

// word replaces one word of the answer.
func word(at int, value uint64) func(string) *chaintest.ProviderReply {
	return func(right string) *chaintest.ProviderReply {
		raw, _ := hex.DecodeString(right[2:])
		new(big.Int).SetUint64(value).FillBytes(raw[32*at : 32*(at+1)])
		return &chaintest.ProviderReply{Result: "0x" + hex.EncodeToString(raw)}
	}
}

// inResult replaces one word of the last result: whether it succeeded, where its data is, or how long that is.
func inResult(at int, value uint64) func(string) *chaintest.ProviderReply {
	return func(right string) *chaintest.ProviderReply {
		return word((len(right)-2)/64-4+at, value)(right)
	}
}

// A faulty answer of the contract is never a balance: the addresses are read one by one.
func TestBalances_MulticallFaulty(t *testing.T) {
	t.Parallel()
	h := newHolders(t, 4)
	p := chaintest.NewProvider(t, h.chain.URL())
	at := strings.ToLower(h.contract.At.String())
	for name, answer := range answers {
		p.Behave(chaintest.Rules{})
		h.through(p.URL, h.contract)
		h.mustHold()
		asked := 0
		p.Behave(chaintest.Rules{Call: func(p *chaintest.Provider, c chaintest.ProviderCall) *chaintest.ProviderReply {
			if c.Method != "eth_call" || !strings.Contains(string(c.Params[0]), at) {
				return nil
			}
			asked++
			var right string
			if err := json.Unmarshal(p.Ask(c.Method, c.Params[0], c.Params[1]), &right); err != nil {
				t.Error(err)
			}
			return answer(right)
		}})
		h.mustHold()
		h.mustHold()
		if asked != 1 {
			t.Errorf("%s: the contract was called %d times", name, asked)
		}
		if e := h.reader.Endpoints()[0]; !e.Healthy {
			t.Errorf("%s: the endpoint counts as unhealthy: %s", name, e.Reason)
		}
	}
}
