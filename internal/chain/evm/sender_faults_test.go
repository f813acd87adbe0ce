package evm_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/sandbox/devchain"
)

// through returns a sender that uses these endpoints, and the clock of their
// cool-down.
func (g *geth) through(urls ...string) (*sender.Sweeps, *clock) {
	g.t.Helper()
	c := &clock{now: time.Now()}
	a, err := evm.New(evm.Config{Profile: g.profile, Endpoints: urls, Now: c.Now})
	if err != nil {
		g.t.Fatal(err)
	}
	return sender.NewSweeps(a, sender.Config{Signer: faucetSigner{}, MaxPrice: plenty}), c
}

func (g *geth) mustSign(s *sender.Sweeps, items []chain.SweepItem, previous ...chain.Attempt) chain.Attempt {
	g.t.Helper()
	a, err := s.Sign(g.t.Context(), items, previous, time.Now())
	if err != nil {
		g.t.Fatal(err)
	}
	return a
}

func (g *geth) mustBroadcast(s *sender.Sweeps, a chain.Attempt) {
	g.t.Helper()
	if err := s.Broadcast(g.t.Context(), a); err != nil {
		g.t.Fatal(err)
	}
}

// toSweep is a chain with a deposit.
func toSweep(t *testing.T, n chain.Network) (*geth, []chain.SweepItem) {
	t.Helper()
	g := newGeth(t, n)
	items := []chain.SweepItem{g.item(1, 10)}
	g.Mine(1)
	return g, items
}

// finalize sends the attempt and makes its block final.
func (g *geth) finalize(s *sender.Sweeps, a chain.Attempt) {
	g.t.Helper()
	g.mustBroadcast(s, a)
	g.Mine(1)
	g.Finalize()
}

// mustTrack fails unless the status is this.
func (g *geth) mustTrack(s *sender.Sweeps, want chain.TxStatus, items []chain.SweepItem, attempts ...chain.Attempt) {
	g.t.Helper()
	outcome, err := s.Track(g.t.Context(), items, attempts)
	if err != nil || outcome.Status != want {
		g.t.Fatalf("the outcome is %+v, %v; want %s", outcome, err, want)
	}
}

// foreign sends a transaction of the gas wallet that is no sweep.
func (g *geth) foreign(nonce uint64) {
	g.t.Helper()
	to := common.HexToAddress("0x1111")
	g.send(devchain.Tx{To: &to, Value: big.NewInt(1), Gas: 21_000, Nonce: &nonce})
}

// A tip that an endpoint demands in its refusal is paid by the next attempt, however far it is above the last one, and
// above what others pay.
func TestSweeps_LeastTip(t *testing.T) {
	t.Parallel()
	const demanded = 3 * gwei
	g, items := toSweep(t, chain.BEP20)
	modest := newProxy(t, g.chain.URL())
	modest.set("eth_maxPriorityFeePerGas", always(`"0x0"`))
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		var call struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params []hexutil.Bytes `json:"params"`
		}
		if tx := new(types.Transaction); err == nil && json.Unmarshal(body, &call) == nil &&
			call.Method == "eth_sendRawTransaction" && tx.UnmarshalBinary(call.Params[0]) == nil &&
			tx.GasTipCap().Int64() < demanded {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"transaction underpriced: `+
				`gas tip cap %s, minimum needed %d"}}`, call.ID, tx.GasTipCap(), demanded)
			return
		}
		res, err := http.Post(modest.URL, "application/json", bytes.NewReader(body))
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer res.Body.Close()
		_, _ = io.Copy(w, res.Body)
	}))
	t.Cleanup(node.Close)
	s, _ := g.through(node.URL)
	first := g.mustSign(s, items)
	if err := s.Broadcast(t.Context(), first); err == nil {
		t.Fatal("the node takes any tip; the test shows nothing")
	}
	g.finalize(s, g.mustSign(s, items, first))
}

// An endpoint that lost its index of transactions does not decide alone that a
// sweep was dropped: if there are others, one of them must agree.
func TestSweeps_DroppedByOne(t *testing.T) {
	t.Parallel()
	g, items := toSweep(t, chain.Polygon)
	lost, other := newProxy(t, g.chain.URL()), newProxy(t, g.chain.URL())
	lost.loseIndex()
	both, rest := g.through(lost.URL, other.URL)
	single, _ := g.through(lost.URL)
	a := g.mustSign(both, items)
	g.mustBroadcast(both, a)
	g.Mine(1)
	g.mustTrack(both, chain.TxIncluded, items, a) // in a block that is not final; the other one has it
	g.mustTrack(single, chain.TxUnknown, items, a)
	g.Finalize()
	g.mustTrack(both, chain.TxFinal, items, a)
	g.mustTrack(single, chain.TxDropped, items, a) // there is no other endpoint
	other.turn(false)
	for range 3 { // it fails, then cools down
		g.mustTrack(both, chain.TxUnknown, items, a)
	}
	other.turn(true)
	rest.advance(time.Hour)
	lost.set("eth_getTransactionReceipt", nil)
	g.mustTrack(both, chain.TxFinal, items, a)
}

// Two endpoints agree that another transaction took the nonce.
func TestSweeps_DroppedByTwo(t *testing.T) {
	t.Parallel()
	g, items := toSweep(t, chain.Polygon)
	one, two, off := newProxy(t, g.chain.URL()), newProxy(t, g.chain.URL()), newProxy(t, g.chain.URL())
	s, _ := g.through(one.URL, off.URL, two.URL)
	a := g.mustSign(s, items)
	off.turn(false)
	g.foreign(a.Nonce)
	g.Mine(1)
	g.mustTrack(s, chain.TxUnknown, items, a)
	g.Finalize()
	g.mustTrack(s, chain.TxDropped, items, a)
}

// The block in which the count was first past the nonce is final only while it
// is in the chain: on a fork the other transaction may come later, or not at
// all.
func TestSweeps_NonceUsedOnAFork(t *testing.T) {
	t.Parallel()
	g, items := toSweep(t, chain.Polygon)
	s := g.sender(plenty)
	a := g.mustSign(s, items)
	g.foreign(a.Nonce)
	g.Mine(1)
	g.mustTrack(s, chain.TxUnknown, items, a)
	g.Reorg(1, false)
	g.Finalize() // the number is final, with another block
	g.foreign(a.Nonce)
	g.Mine(1)
	g.mustTrack(s, chain.TxUnknown, items, a)
	g.Reorg(1, false)
	g.finalize(s, a) // so ours can be included after all
	g.mustTrack(s, chain.TxFinal, items, a)
}

// A used nonce proves nothing about the next one.
func TestSweeps_NonceUsedEach(t *testing.T) {
	t.Parallel()
	g, items := toSweep(t, chain.Polygon)
	s := g.sender(plenty)
	for range 2 {
		a := g.mustSign(s, items)
		g.foreign(a.Nonce)
		g.Mine(1)
		g.mustTrack(s, chain.TxUnknown, items, a)
		g.Finalize()
		g.mustTrack(s, chain.TxDropped, items, a)
	}
}

// A new attempt of a sweep in flight keeps its nonce, even if another
// transaction used it: with the next nonce, both attempts could be included.
func TestSweeps_SameNonce(t *testing.T) {
	t.Parallel()
	g, items := toSweep(t, chain.Polygon)
	s := g.sender(plenty)
	a := g.mustSign(s, items)
	g.foreign(a.Nonce)
	g.Mine(1)
	if b := g.mustSign(s, items, a); b.Nonce != a.Nonce {
		t.Errorf("the second attempt has nonce %d, the first %d", b.Nonce, a.Nonce)
	}
}

// A node on another fork than the final block, or behind it, is not used.
func TestSweeps_OtherFork(t *testing.T) {
	t.Parallel()
	g, items := toSweep(t, chain.Polygon)
	node := newProxy(t, g.chain.URL())
	s, rest := g.through(node.URL)
	a := g.mustSign(s, items)
	g.finalize(s, a)
	tracked, err := s.Track(t.Context(), items, []chain.Attempt{a})
	if err != nil || tracked.Status != chain.TxFinal {
		t.Fatalf("the outcome is %+v, %v", tracked, err)
	}
	g.Mine(3) // another block is final
	others := func(params json.RawMessage) bool {
		return strings.Contains(string(params), `"0x`) &&
			!strings.Contains(string(params), fmt.Sprintf(`"%#x"`, tracked.Block.Number))
	}
	for name, f := range map[string]rewrite{
		"OtherHash": func(params, result json.RawMessage) json.RawMessage {
			var block map[string]any
			if !others(params) || json.Unmarshal(result, &block) != nil || block == nil {
				return result
			}
			block["hash"] = "0x" + strings.Repeat("1", 64)
			out, _ := json.Marshal(block)
			return out
		},
		"Behind": func(params, result json.RawMessage) json.RawMessage {
			if others(params) {
				return json.RawMessage("null")
			}
			return result
		},
	} {
		node.set("eth_getBlockByNumber", f)
		if outcome, err := s.Track(t.Context(), items, []chain.Attempt{a}); err == nil {
			t.Errorf("%s: the sweep is %+v", name, outcome)
		}
		rest.advance(time.Hour)
	}
	node.set("eth_getBlockByNumber", nil)
	g.mustTrack(s, chain.TxFinal, items, a)
}

// A node behind the final block has old nonces and balances: nothing is signed with
// its answers.
func TestSweeps_SignNeedsCurrentNode(t *testing.T) {
	t.Parallel()
	g, items := toSweep(t, chain.Polygon)
	g.Finalize()
	node := newProxy(t, g.chain.URL())
	s, _ := g.through(node.URL)
	node.set("eth_blockNumber", always(`"0x1"`))
	if a, err := s.Sign(t.Context(), items, nil, time.Now()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("signed with nonce %d, %v", a.Nonce, err)
	}
}

// The gas estimate of a node is accepted as long as it fits one transaction
// together with the gas the factory requires to be left.
func TestSweeps_EstimateLimit(t *testing.T) {
	t.Parallel()
	g, items := toSweep(t, chain.Polygon)
	node := newProxy(t, g.chain.URL())
	s, _ := g.through(node.URL)
	const most, spare = 1 << 24, 320_000
	for estimate, want := range map[uint64]uint64{
		100_000: 100_000 + 10_000 + spare, most - spare: most, (most - spare) / 110 * 100: most, most - spare + 1: 0,
		most: 0, most + 1: 0, 1 << 62: 0, 1<<64 - 1: 0,
	} {
		node.set("eth_estimateGas", always(fmt.Sprintf(`"%#x"`, estimate)))
		a, err := s.Sign(t.Context(), items, nil, time.Now())
		switch {
		case want == 0 && !errors.Is(err, chain.ErrTooLarge):
			t.Errorf("with an estimate of %d: %d gas, %v; want ErrTooLarge", estimate, a.Fee.Gas, err)
		case want > 0 && (err != nil || a.Fee.Gas > want || a.Fee.Gas+100 < want):
			t.Errorf("with an estimate of %d: %d gas, %v; want %d", estimate, a.Fee.Gas, err, want)
		}
	}
}

// Several assets of one address go in one sweep, and each is reported as itself.
func TestSweeps_AssetsOfOneAddress(t *testing.T) {
	t.Parallel()
	g := newGeth(t, chain.Polygon)
	token := g.item(1, 10)
	second, coin := token, token
	second.Asset, second.Expected = g.Other(), money.UnitsFromUint64(20)
	coin.Asset, coin.Expected, coin.Rescue = g.profile.CoinAsset(), money.Units{}, true
	if _, err := g.chain.Mint(t.Context(), common.HexToAddress(string(second.Asset.Contract)),
		common.Address(token.Address.Raw), big.NewInt(20)); err != nil {
		t.Fatal(err)
	}
	if _, err := g.chain.FundNative(t.Context(), common.Address(token.Address.Raw), big.NewInt(7)); err != nil {
		t.Fatal(err)
	}
	g.Mine(1)
	items := []chain.SweepItem{coin, token, second}
	s := g.sender(plenty)
	a := g.mustSign(s, items)
	g.finalize(s, a)
	outcome, err := s.Track(t.Context(), items, []chain.Attempt{a})
	if err != nil || outcome.Status != chain.TxFinal || len(outcome.Moved) != 3 {
		t.Fatalf("the outcome is %+v, %v", outcome, err)
	}
	for i, want := range []uint64{7, 10, 20} {
		if m := outcome.Moved[i]; m.Contract != items[i].Asset.Contract ||
			m.Units.Cmp(money.UnitsFromUint64(want)) != 0 {
			t.Errorf("moved %+v, want %d", m, want)
		}
	}
}

// Of an item that another account flushed before the sweep, nothing moves: the outcome says what lies on the address,
// by which the settlement knows what has arrived. A rescue reports only what it moved itself.
func TestSweeps_FlushedBefore(t *testing.T) {
	t.Parallel()
	g := newGeth(t, chain.Polygon)
	recorded, asked := g.item(1, 10), g.item(2, 20)
	asked.Rescue = true
	g.Mine(1)
	items := []chain.SweepItem{recorded, asked}
	s := g.sender(plenty)
	factory := contracts.FactoryAddress()
	list := make([]contracts.ForwarderFactoryItem, len(items))
	for i, item := range items {
		list[i] = contracts.ForwarderFactoryItem{
			Settlement: common.HexToAddress(string(shop)), Salt: saltOf(t, item.PaymentID),
			Tokens: []common.Address{common.HexToAddress(string(item.Asset.Contract))},
		}
	}
	g.send(devchain.Tx{To: &factory, Gas: 1_000_000, Data: contracts.NewForwarderFactory().PackSweep(list)})
	g.Mine(1)
	a := g.mustSign(s, items)
	g.finalize(s, a)
	wantLeft := func(units uint64) {
		t.Helper()
		outcome, err := s.Track(t.Context(), items, []chain.Attempt{a})
		if err != nil || outcome.Status != chain.TxFinal || len(outcome.Moved) != 0 || len(outcome.Left) != 1 ||
			outcome.Left[0].Address != recorded.Address.Address ||
			outcome.Left[0].Units.Cmp(money.UnitsFromUint64(units)) != 0 {
			t.Fatalf("the outcome is %+v, %v, want %d left on the first address", outcome, err, units)
		}
	}
	wantLeft(0)
	g.item(1, 4) // it came after the others had flushed the address
	g.Mine(1)
	wantLeft(4)
}

// A node that does not know what is pending serves: the count of transactions in
// blocks is the nonce of the next sweep.
func TestSweeps_PendingUnknown(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"Null": "null", "Nonsense": `"pending"`, "Behind": `"0x0"`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, items := toSweep(t, chain.Polygon)
			node := newProxy(t, g.chain.URL())
			s, _ := g.through(node.URL)
			want := g.mustSign(g.sender(plenty), items).Nonce
			node.set("eth_getTransactionCount", func(params, result json.RawMessage) json.RawMessage {
				if strings.Contains(string(params), `"pending"`) {
					return json.RawMessage(answer)
				}
				return result
			})
			a := g.mustSign(s, items)
			if a.Nonce != want {
				t.Errorf("nonce %d, want %d", a.Nonce, want)
			}
			g.finalize(s, a)
			g.mustTrack(s, chain.TxFinal, items, a)
			if _, err := s.GasWallet(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
