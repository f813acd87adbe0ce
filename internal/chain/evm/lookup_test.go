package evm_test

import (
	"errors"
	"fmt"
	"math/big"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/fault"
)

// transferOf makes a payment final and returns it as the first endpoint reports it.
func (s *script) transferOf() chain.Transfer {
	s.t.Helper()
	p, _ := s.pay()
	s.Finalize()
	got, err := s.scan(0, s.chain.Head(), p.To)
	if err != nil || len(got) != 1 || got[0].Source != s.endpoints[0].Name() {
		s.t.Fatalf("%+v, error %v", got, err)
	}
	return got[0]
}

// With two endpoints, only the other one confirms.
func TestJudge_UsesOtherEndpoint(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	tr := s.transferOf()
	before := s.endpoints[1].Calls("eth_getTransactionReceipt")
	if v, err := chain.JudgeAll(t.Context(), s.reader, []chain.Transfer{tr}, s.chain.Head()); err != nil ||
		v != chain.Stands {
		t.Errorf("verdict %d, error %v", v, err)
	}
	if s.endpoints[1].Calls("eth_getTransactionReceipt") == before {
		t.Error("the other endpoint was not queried")
	}
	s.endpoints[1].Set(chaintest.Faults{Down: 1})
	if v, err := chain.JudgeAll(t.Context(), s.reader, []chain.Transfer{tr}, s.chain.Head()); !errors.Is(err,
		chain.ErrNoEndpoint) {
		t.Errorf("the other endpoint is down: verdict %d, error %v", v, err)
	}
}

func TestJudge_Lagging(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	tr := s.transferOf()
	s.endpoints[1].Set(chaintest.Faults{Lag: 1})
	if v, err := chain.JudgeAll(t.Context(), s.reader, []chain.Transfer{tr}, s.chain.Head()); err != nil ||
		v != chain.Undecided {
		t.Errorf("verdict %d, error %v, want Undecided", v, err)
	}
}

func TestJudge_OtherFork(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	s.Mine(5)
	s.endpoints[1].Freeze()
	s.Reorg(1, false)
	tr := s.transferOf()
	s.chain.Drop(0, false)
	at, _, err := s.reader.BlockAt(t.Context(), 5)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := chain.JudgeAll(t.Context(), s.reader, []chain.Transfer{tr}, at); !errors.Is(err, chain.ErrReorged) {
		t.Errorf("verdict %d, error %v, want ErrReorged", v, err)
	}
}

func TestJudge_BadInput(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	tr := s.transferOf()
	tr.Tx = "0x1"
	if _, err := chain.JudgeAll(t.Context(), s.reader, []chain.Transfer{tr}, s.chain.Head()); err == nil {
		t.Error("a hash that is none was confirmed")
	}
}

func TestBalances_Lagging(t *testing.T) {
	t.Parallel()
	s := newScript(t, 3)
	p, _ := s.pay()
	s.endpoints[0].Set(chaintest.Faults{Lag: 1})
	got, err := s.reader.Balances(t.Context(), s.Credited(), []chain.Address{p.To.Address}, s.chain.Head())
	if err != nil || len(got) != 1 || got[0].Cmp(units(1)) != 0 {
		t.Errorf("balances %v, error %v", got, err)
	}
	s.endpoints[1].Set(chaintest.Faults{Lag: 1})
	if got, err := s.reader.Balances(t.Context(), s.Credited(), []chain.Address{p.To.Address},
		s.chain.Head()); err == nil {
		t.Errorf("one of three keeps up, and the balance is %v", got)
	}
}

func TestBalances_BadInput(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	if _, err := s.reader.Balances(t.Context(), s.Counterfeit(), nil, s.chain.Head()); !fault.Is(err, fault.Invalid) {
		t.Errorf("balance of an unknown asset: %v, want Invalid", err)
	}
	if _, err := s.reader.Balances(t.Context(), s.Credited(), []chain.Address{"0x1"}, s.chain.Head()); !fault.Is(err,
		fault.Invalid) {
		t.Errorf("balance of no address: %v, want Invalid", err)
	}
}

func TestFind_PendingAndNative(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	to := s.Address()
	value := big.NewInt(5e17)
	tx := chain.TxHash(s.chain.Send(chaintest.Tx{To: string(to.Address), Value: value}))
	found, err := s.reader.Find(t.Context(), tx)
	if err != nil || !found.Exists || found.Block.Hash != "" || found.Final || len(found.Transfers) != 0 {
		t.Errorf("pending, it is found as %+v, error %v", found, err)
	}
	s.Mine(1)
	found, err = s.reader.Find(t.Context(), tx)
	if err != nil || len(found.Transfers) != 1 {
		t.Fatalf("found as %+v, error %v", found, err)
	}
	native := found.Transfers[0]
	if native.Ordinal != evm.NativeOrdinal || native.Asset.Contract != "" || native.Asset.Symbol != s.profile.Coin ||
		native.Asset.Decimals != 18 || native.Asset.Token != "" || native.To != to.Address ||
		native.Units.Big().Cmp(value) != 0 {
		t.Errorf("the coin is reported as %+v", native)
	}
}

// A transaction that one endpoint does not have is looked up through the others.
func TestFind_TriesOtherEndpoints(t *testing.T) {
	t.Parallel()
	s := newScript(t, 3)
	s.endpoints[0].Freeze()
	_, tx := s.pay()
	if found, err := s.reader.Find(t.Context(), tx); err != nil || !found.Exists || len(found.Transfers) != 1 {
		t.Errorf("found as %+v, error %v", found, err)
	}
	s.endpoints[0].Set(chaintest.Faults{Down: 1})
	if found, err := s.reader.Find(t.Context(), tx); err != nil || !found.Exists {
		t.Errorf("found as %+v, error %v", found, err)
	}
}

func TestFind_ZeroValue(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	p := chaintest.Payment{To: s.Address(), Asset: s.Credited()}
	tx := s.Pay(p)
	s.Mine(1)
	found, err := s.reader.Find(t.Context(), tx)
	if err != nil || len(found.Transfers) != 1 || !found.Transfers[0].Units.IsZero() ||
		found.Transfers[0].To != p.To.Address {
		t.Errorf("found as %+v, error %v", found, err)
	}
}

func TestBlockAt_TriesOtherEndpoints(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	s.endpoints[0].Freeze()
	s.Mine(3)
	if got, ok, err := s.reader.BlockAt(t.Context(), 3); err != nil || !ok || got != s.chain.Head() {
		t.Errorf("block 3 is %+v (%v), error %v", got, ok, err)
	}
	for range 2 { // the second time the endpoint that fails is not asked
		s.heads()
		s.endpoints[1].Set(chaintest.Faults{Down: 1})
		if got, ok, err := s.reader.BlockAt(t.Context(), 3); err == nil {
			t.Errorf("one endpoint fails, one is behind, and block 3 is %+v (%v)", got, ok)
		}
		s.endpoints[1].Set(chaintest.Faults{})
	}
}

func TestCheck_Refuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		adjust func(*chain.Profile)
		code   string
		want   error
	}{
		"Decimals":     {adjust: func(p *chain.Profile) { p.Assets[0].Decimals = 18 }},
		"NoToken":      {adjust: func(p *chain.Profile) { p.Assets[0].Contract = "0x00000000000000000000000000000000000000ee" }},
		"NoFactory":    {code: "0x", want: evm.ErrNoFactory},
		"OtherFactory": {code: "0x6001"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t, 1)
			if c.adjust != nil {
				s.profile.Assets = append([]chain.Asset{}, s.profile.Assets...)
				c.adjust(&s.profile)
				s.reader = s.adapter()
			}
			if c.code != "" {
				s.chain.SetCode(factoryAddress, c.code)
			}
			err := s.reader.Check(t.Context())
			if !fault.Is(err, fault.Unprocessable) || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestNew_Refuses(t *testing.T) {
	t.Parallel()
	polygon, _ := profileOf(chain.Polygon)
	solana, _ := profileOf(chain.Solana)
	twice, none, bad := polygon, polygon, polygon
	twice.Assets = append(append([]chain.Asset{}, polygon.Assets...), polygon.Assets[0])
	none.Assets = nil
	bad.Assets = []chain.Asset{{Network: chain.Polygon, Contract: "USDT", Symbol: "USDT", Decimals: 6}}
	good := []string{"https://user:pass@rpc.example/" + chaintest.Secret}
	var many []string
	for i := range 17 {
		many = append(many, fmt.Sprintf("https://rpc%d.example", i))
	}
	for name, c := range map[string]evm.Config{
		"Solana":        {Profile: solana, Endpoints: good},
		"NoEndpoint":    {Profile: polygon},
		"TooMany":       {Profile: polygon, Endpoints: many},
		"NotHTTP":       {Profile: polygon, Endpoints: []string{"ws://rpc.example"}},
		"NoHost":        {Profile: polygon, Endpoints: []string{"https:///x"}},
		"NoURL":         {Profile: polygon, Endpoints: []string{"https://%zz/" + chaintest.Secret}},
		"EndpointTwice": {Profile: polygon, Endpoints: append(good, good[0])},
		"AssetTwice":    {Profile: twice, Endpoints: good},
		"NoAssets":      {Profile: none, Endpoints: good},
		"NoAssetPlace":  {Profile: bad, Endpoints: good},
	} {
		if _, err := evm.New(c); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v, want Invalid", name, err)
		}
	}
	a, err := evm.New(evm.Config{
		Profile:   polygon,
		Endpoints: append(good, "https://rpc.example/other", "http://rpc.example:81"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range a.Endpoints() {
		names = append(names, e.Name)
	}
	if fmt.Sprint(names) != "[rpc.example rpc.example#2 rpc.example:81]" {
		t.Errorf("endpoints are called %v", names)
	}
}
