package evm_test

import (
	"errors"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/sandbox/devchain"
)

// The right token, to the right address, on another chain: tokens and deposit
// addresses are the same on both, and only the chain id distinguishes them.
func TestGeth_OtherChain(t *testing.T) {
	t.Parallel()
	polygon, base := newGeth(t, chain.Polygon), newGeth(t, chain.Base)
	if polygon.Credited().Contract != base.Credited().Contract {
		t.Fatal("the chains' tokens have different addresses, so this test shows nothing")
	}
	p := chaintest.Payment{To: polygon.Address(), Asset: polygon.Credited(), Units: 1_000_000}
	tx := polygon.Pay(p)
	polygon.Mine(1)
	polygon.Finalize()
	base.Mine(10)
	set := chain.NewWatchSet(1)
	set.Add(p.To)
	for _, c := range []struct {
		on    *geth
		found int
	}{{polygon, 1}, {base, 0}} {
		heads, err := c.on.reader.Heads(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := c.on.reader.Scan(t.Context(), 0, heads.Final, set)
		if err != nil || len(got) != c.found {
			t.Errorf("on %s: %+v, error %v", c.on.profile.Network, got, err)
		}
		balances, err := c.on.reader.Balances(t.Context(), c.on.Credited(), []chain.Address{p.To.Address}, heads.Final)
		if err != nil || balances[0].Cmp(units(uint64(c.found)*p.Units)) != 0 {
			t.Errorf("on %s the balance is %v, error %v", c.on.profile.Network, balances, err)
		}
		found, err := c.on.reader.Find(t.Context(), tx)
		if err != nil || found.Exists != (c.found == 1) {
			t.Errorf("on %s found as %+v, error %v", c.on.profile.Network, found, err)
		}
	}
	mixed, err := evm.New(evm.Config{Profile: base.profile, Endpoints: []string{polygon.chain.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mixed.Heads(t.Context()); !errors.Is(err, chain.ErrNoEndpoint) {
		t.Errorf("an endpoint of Polygon serves Base: %v", err)
	}
}

// Two real nodes of one chain cannot be had here; one node behind a proxy can,
// and confirms through it.
func TestGeth_ConfirmsElsewhere(t *testing.T) {
	t.Parallel()
	g := newGeth(t, chain.BEP20)
	urls := []string{g.chain.URL(), newProxy(t, g.chain.URL()).URL}
	reader, err := evm.New(evm.Config{Profile: g.profile, Endpoints: urls})
	if err != nil {
		t.Fatal(err)
	}
	p := chaintest.Payment{To: g.Address(), Asset: g.Credited(), Units: 5}
	g.Pay(p)
	g.Mine(1)
	g.Finalize()
	heads, err := reader.Heads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	set := chain.NewWatchSet(1)
	set.Add(p.To)
	got, _, err := reader.Scan(t.Context(), 0, heads.Final, set)
	if err != nil || len(got) != 1 {
		t.Fatalf("%+v, error %v", got, err)
	}
	before := reader.Endpoints()
	if v, err := chain.JudgeAll(t.Context(), reader, []chain.Transfer{got[0]}, heads.Final); err != nil ||
		v != chain.Stands {
		t.Errorf("verdict %d, error %v", v, err)
	}
	after := reader.Endpoints()
	if got[0].Source != before[0].Name || after[0].Requests != before[0].Requests ||
		after[1].Requests == before[1].Requests {
		t.Errorf("reported by %s, confirmed by %+v after %+v", got[0].Source, after, before)
	}
}

// Find reports the native coin sent to a deposit address.
func TestGeth_NativeCoin(t *testing.T) {
	t.Parallel()
	g := newGeth(t, chain.Polygon)
	to := g.Address()
	tx, err := g.chain.FundNative(t.Context(), common.Address(to.Raw), big.NewInt(1e18))
	if err != nil {
		t.Fatal(err)
	}
	g.Mine(1)
	found, err := g.reader.Find(t.Context(), chain.TxHash(tx.Hex()))
	if err != nil || len(found.Transfers) != 1 || found.Transfers[0].To != to.Address ||
		found.Transfers[0].Asset.Symbol != "POL" {
		t.Errorf("found as %+v, error %v", found, err)
	}
}

// Money sent to a derived deposit address is seen, and the factory on the
// chain puts a forwarder exactly there.
func TestGeth_DepositAddress(t *testing.T) {
	t.Parallel()
	g := newGeth(t, chain.BEP20)
	wallet := g.Address()
	deposit, err := evm.NewDepositor(chain.BEP20).DepositAddress(chain.Settlement{
		Network: chain.BEP20, Wallet: wallet.Address, PaymentID: chaintest.TxnID(42), Scheme: chain.SchemeTxnID,
	})
	if err != nil {
		t.Fatal(err)
	}
	g.Pay(chaintest.Payment{To: deposit, Asset: g.Credited(), Units: 700})
	factory := contracts.FactoryAddress()
	sweep := contracts.NewForwarderFactory().PackSweep([]contracts.ForwarderFactoryItem{{
		Settlement: common.Address(wallet.Raw), Salt: saltOf(t, chaintest.TxnID(42)),
		Tokens: []common.Address{common.HexToAddress(string(g.Credited().Contract))},
	}})
	g.Mine(1)
	g.send(devchain.Tx{To: &factory, Data: sweep, Gas: payGas})
	g.Mine(1)
	heads, err := g.reader.Heads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := g.reader.Balances(t.Context(), g.Credited(), []chain.Address{wallet.Address, deposit.Address},
		heads.Latest)
	if err != nil || got[0].Cmp(units(700)) != 0 || !got[1].IsZero() {
		t.Errorf("after the sweep wallet and deposit address hold %v, error %v", got, err)
	}
}

// A chain with other tokens than configured, or without the factory, is not
// offered.
func TestGeth_CheckBareChain(t *testing.T) {
	t.Parallel()
	c, err := devchain.Start(devchain.Config{ChainID: 137})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	p, _ := profileOf(chain.Polygon)
	a, err := evm.New(evm.Config{Profile: p, Endpoints: []string{c.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Check(t.Context()); err == nil {
		t.Error("an empty chain passes for Polygon")
	}
}
