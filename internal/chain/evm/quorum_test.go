package evm_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/money"
)

// denies is an endpoint that has the blocks, and none of their transactions, logs or balances.
var denies = chaintest.Faults{
	Omit: func(map[string]any) bool { return true },
	Answer: func(method string, _ []json.RawMessage) (any, bool) {
		switch method {
		case "eth_getTransactionReceipt", "eth_getTransactionByHash":
			return nil, true
		case "eth_call", "eth_getBalance":
			return "0x" + strings.Repeat("0", 64), true
		}
		return nil, false
	},
}

// TestJudge_Quorum: of three endpoints one that denies a transfer does not outweigh two that have it, whichever it
// is, and two that deny it outweigh its source.
func TestJudge_Quorum(t *testing.T) {
	t.Parallel()
	for liar := range 3 {
		s := newScript(t, 3)
		p, _ := s.pay()
		s.Finalize()
		at := s.heads().Final
		got, err := s.scan(0, at, p.To)
		if err != nil || len(got) != 1 {
			t.Fatalf("scanned %+v, %v", got, err)
		}
		s.endpoints[liar].Set(denies)
		if v, err := chain.JudgeAll(t.Context(), s.reader, got, at); err != nil || v != chain.Stands {
			t.Errorf("endpoint %d denies: verdict %d, %v", liar, v, err)
		}
		if v, err := chain.JudgeAll(t.Context(), s.reader, chaintest.Recorded(got[0]), at); err != nil ||
			v != chain.Stands {
			t.Errorf("endpoint %d denies: absent %d, %v", liar, v, err)
		}
		for i := range s.endpoints {
			s.endpoints[i].Set(denies)
		}
		s.endpoints[0].Set(chaintest.Faults{})
		if v, err := chain.JudgeAll(t.Context(), s.reader, got, at); err != nil || v != chain.Missing {
			t.Errorf("two deny it: verdict %d, %v", v, err)
		}
		if v, err := chain.JudgeAll(t.Context(), s.reader, chaintest.Recorded(got[0]), at); err != nil ||
			v != chain.Missing {
			t.Errorf("two deny it: absent %d, %v", v, err)
		}
	}
}

// TestJudge_ThirdSilent: one denial is no verdict while the third endpoint may know better.
func TestJudge_ThirdSilent(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]chaintest.Faults{"Down": {Down: 1}, "Behind": {Lag: 50}} {
		s := newScript(t, 3)
		p, _ := s.pay()
		s.Finalize()
		at := s.heads().Final
		got, err := s.scan(0, at, p.To)
		if err != nil || len(got) != 1 {
			t.Fatalf("scanned %+v, %v", got, err)
		}
		s.endpoints[1].Set(denies)
		s.endpoints[2].Set(f)
		for range 3 { // it fails, then cools down
			if v, err := chain.JudgeAll(t.Context(), s.reader, got, at); err != nil || v != chain.Undecided {
				t.Errorf("%s: verdict %d, %v", name, v, err)
			}
		}
	}
}

// TestBalances_Quorum: what an address holds is what two endpoints say, native coin included.
func TestBalances_Quorum(t *testing.T) {
	t.Parallel()
	for _, endpoints := range []int{2, 3} {
		for liar := range endpoints {
			s := newScript(t, endpoints)
			p, _ := s.pay()
			s.Finalize()
			at, of := s.heads().Final, []chain.Address{p.To.Address}
			s.endpoints[liar].Set(denies)
			got, err := s.reader.Balances(t.Context(), s.Credited(), of, at)
			if endpoints == 2 && !errors.Is(err, chain.ErrDisagree) {
				t.Errorf("endpoint %d of 2 hides: balances %v, %v", liar, got, err)
			}
			if endpoints == 3 && (err != nil || got[0].Cmp(units(1)) != 0) {
				t.Errorf("endpoint %d of 3 hides: balances %v, %v", liar, got, err)
			}
			most, err := s.reader.MostHeld(t.Context(), s.Credited(), of, at)
			if err != nil || most[0].Cmp(units(1)) != 0 {
				t.Errorf("endpoint %d of %d hides: most held %v, %v", liar, endpoints, most, err)
			}
			s.endpoints[liar].Set(chaintest.Faults{Down: 1})
			got, err = s.reader.Balances(t.Context(), s.Credited(), of, at)
			if endpoints == 2 && !errors.Is(err, chain.ErrNoEndpoint) || endpoints == 3 && err != nil {
				t.Errorf("endpoint %d of %d is down: balances %v, %v", liar, endpoints, got, err)
			}
		}
	}
}

// TestCoins_Quorum: one endpoint does not decide what an address holds of the native coin.
func TestCoins_Quorum(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	at, of := s.heads().Final, []chain.Address{s.Address().Address}
	holds := func(amount string) chaintest.Faults {
		return chaintest.Faults{Answer: func(method string, _ []json.RawMessage) (any, bool) {
			return amount, method == "eth_getBalance"
		}}
	}
	s.endpoints[0].Set(holds("0x0"))
	s.endpoints[1].Set(holds("0x1"))
	if got, err := s.reader.Coins(t.Context(), of, at); !errors.Is(err, chain.ErrDisagree) {
		t.Errorf("coins %v, %v, want ErrDisagree", got, err)
	}
	s.endpoints[0].Set(holds("0x1"))
	if got, err := s.reader.Coins(t.Context(), of, at); err != nil || got[0].Cmp(money.UnitsFromUint64(1)) != 0 {
		t.Errorf("coins %v, %v", got, err)
	}
}

// TestFind_Quorum: neither that a transaction is there nor that it is not rests on one endpoint.
func TestFind_Quorum(t *testing.T) {
	t.Parallel()
	for liar := range 2 {
		s := newScript(t, 2)
		_, tx := s.pay()
		s.Finalize()
		s.heads()
		s.endpoints[liar].Set(denies)
		if got, err := s.reader.Find(t.Context(), tx); !errors.Is(err, chain.ErrDisagree) {
			t.Errorf("endpoint %d denies: found %+v, %v", liar, got, err)
		}
		s.endpoints[1-liar].Set(chaintest.Faults{Down: 1})
		for range 2 { // it fails, then cools down
			if got, err := s.reader.Find(t.Context(), tx); !errors.Is(err, chain.ErrNoEndpoint) {
				t.Errorf("endpoint %d denies, the other is down: found %+v, %v", liar, got, err)
			}
		}
	}
	for liar := range 3 {
		s := newScript(t, 3)
		_, tx := s.pay()
		s.Finalize()
		s.heads()
		s.endpoints[liar].Set(denies)
		got, err := s.reader.Find(t.Context(), tx)
		if err != nil || !got.Exists || !got.Final || len(got.Transfers) != 1 {
			t.Errorf("endpoint %d of 3 denies: found %+v, %v", liar, got, err)
		}
	}
}

// reverted changes a receipt to that of a transaction that failed.
func reverted(_, result json.RawMessage) json.RawMessage {
	var receipt map[string]any
	if json.Unmarshal(result, &receipt) != nil || receipt == nil {
		return result
	}
	receipt["status"], receipt["logs"] = "0x0", []any{}
	changed, _ := json.Marshal(receipt)
	return changed
}

// flushedNothing leaves the logs out of a receipt, as if a sweep had moved nothing.
func flushedNothing(_, result json.RawMessage) json.RawMessage {
	var receipt map[string]any
	if json.Unmarshal(result, &receipt) != nil || receipt == nil {
		return result
	}
	receipt["logs"] = []any{}
	changed, _ := json.Marshal(receipt)
	return changed
}

// TestSweeps_EndedByOne: that a sweep has moved money, has failed or was dropped takes two endpoints. Of three, one
// that lies holds nothing up.
func TestSweeps_EndedByOne(t *testing.T) {
	t.Parallel()
	lies := map[string]rewrite{"Reverted": reverted, "MovedNothing": flushedNothing}
	for name, lie := range lies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGeth(t, chain.Polygon)
			items := []chain.SweepItem{g.item(1, 10)}
			g.Mine(1)
			liar, honest, third := newProxy(t, g.chain.URL()), newProxy(t, g.chain.URL()), newProxy(t, g.chain.URL())
			liar.set("eth_getTransactionReceipt", lie)
			two, _ := g.through(liar.URL, honest.URL)
			swapped, _ := g.through(honest.URL, liar.URL)
			three, _ := g.through(liar.URL, honest.URL, third.URL)
			a := g.mustSign(two, items)
			g.mustBroadcast(two, a)
			g.Mine(1)
			g.Finalize()
			g.mustTrack(two, chain.TxIncluded, items, a)
			g.mustTrack(swapped, chain.TxIncluded, items, a)
			outcome, err := three.Track(t.Context(), items, []chain.Attempt{a})
			if err != nil || outcome.Status != chain.TxFinal || len(outcome.Moved) != 1 ||
				outcome.Moved[0].Units.Cmp(items[0].Expected) != 0 {
				t.Errorf("of three endpoints one lies: %+v, %v", outcome, err)
			}
			honest.turn(false)
			g.mustTrack(two, chain.TxIncluded, items, a)
			g.mustTrack(swapped, chain.TxIncluded, items, a)
		})
	}
}

// TestSweeps_BalanceByOne: one endpoint that hides a balance does not make money count as arrived at the settlement
// wallet.
func TestSweeps_BalanceByOne(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{true, false} {
		g := newGeth(t, chain.Polygon)
		items := []chain.SweepItem{g.item(1, 10)}
		g.Mine(1)
		hides, honest := newProxy(t, g.chain.URL()), newProxy(t, g.chain.URL())
		urls := []string{hides.URL, honest.URL}
		if !first {
			urls = []string{honest.URL, hides.URL}
		}
		s, _ := g.through(urls...)
		a := g.mustSign(s, items)
		g.mustBroadcast(s, a)
		g.Mine(1)
		g.item(1, 4)
		g.Mine(1)
		g.Finalize()
		expected := items[0]
		expected.Expected = expected.Expected.Add(money.UnitsFromUint64(4)) // recorded since, and still there
		hides.set("eth_call", always(`"0x`+strings.Repeat("0", 64)+`"`))
		outcome, err := s.Track(t.Context(), []chain.SweepItem{expected}, []chain.Attempt{a})
		if err != nil || outcome.Status != chain.TxFinal || len(outcome.Moved) != 1 ||
			outcome.Moved[0].Units.Cmp(items[0].Expected) != 0 {
			t.Errorf("the outcome is %+v, %v", outcome, err)
		}
	}
}

// TestBalances_OneUnread: an address for which an endpoint fails is the only one whose balance is not known, and the
// endpoint stays in use.
func TestBalances_OneUnread(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]chaintest.ProviderReply{
		"Error":    {Err: &chaintest.RPCError{Code: -32000, Message: "internal error"}},
		"Reverted": {Err: &chaintest.RPCError{Code: 3, Message: "execution reverted"}},
		"Nonsense": {Result: "?"},
	} {
		p := newProvided(t)
		good, _ := p.pay()
		bad, _ := p.pay()
		p.Finalize()
		at := p.heads().Final
		p.provider.Behave(chaintest.Rules{
			Call: func(_ *chaintest.Provider, c chaintest.ProviderCall) *chaintest.ProviderReply {
				if c.Method == "eth_call" && strings.Contains(strings.ToLower(string(c.Params[0])),
					strings.ToLower(string(bad.To.Address[2:]))) {
					return &answer
				}
				return nil
			},
		})
		for _, of := range [][]chain.Address{{bad.To.Address, good.To.Address}, {bad.To.Address}} {
			held, err := p.reader.MostHeld(t.Context(), p.Credited(), of, at)
			unread, _ := errors.AsType[*chain.UnreadError](err)
			if unread == nil || !slices.Equal(unread.Addresses, of[:1]) ||
				len(of) == 2 && held[1].Cmp(units(1)) != 0 {
				t.Errorf("%s: balances %v, %v", name, held, err)
			}
		}
		if e := p.reader.Endpoints()[0]; !e.CoolUntil.IsZero() {
			t.Errorf("%s: the endpoint rests: %s", name, e.Reason)
		}
	}
}
