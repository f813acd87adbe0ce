package evm_test

import (
	"context"
	"crypto/rand"
	"math/big"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/sandbox/devchain"
)

// script is a scripted chain with adapters reading it through its endpoints.
type script struct {
	t         *testing.T
	chain     *chaintest.EVM
	endpoints []*chaintest.Endpoint
	profile   chain.Profile
	clock     *clock
	reader    *evm.Adapter
}

var (
	_ chaintest.Forker = (*script)(nil)
	_ chaintest.Forker = (*scriptDeep)(nil)
)

// clock is a clock that is advanced by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// pauses is the clock for pauses: each ends at once, and the clock has gone on.
func (c *clock) pauses() endpoint.Clock {
	return endpoint.Clock{Now: c.Now, Sleep: func(ctx context.Context, d time.Duration) error {
		c.advance(d)
		return ctx.Err()
	}}
}

const scriptFinalDepth = 3

var factoryAddress = contracts.FactoryAddress().Hex()

// newScript starts a scripted chain with that many endpoints.
func newScript(t *testing.T, endpoints int, adjust ...func(*chain.Profile)) *script {
	t.Helper()
	p, _ := profileOf(chain.Polygon)
	for _, f := range adjust {
		f(&p)
	}
	s := &script{t: t, profile: p, clock: &clock{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}}
	s.chain = chaintest.NewEVM(chaintest.EVMConfig{
		ChainID: p.ChainID, Assets: p.Assets, FinalDepth: scriptFinalDepth, SafeDepth: 1, BlockTime: time.Second,
	})
	factory := contracts.FactoryAddress()
	codes := factoryCodes(t)
	s.chain.SetCode(factory.Hex(), codes[0])
	s.chain.SetCode(contracts.ImplementationAddress(factory).Hex(), codes[1])
	for range endpoints {
		s.endpoints = append(s.endpoints, s.chain.Endpoint(t))
	}
	s.reader = s.adapter()
	return s
}

// adapter returns a fresh adapter on the script's endpoints.
func (s *script) adapter() *evm.Adapter {
	s.t.Helper()
	var urls []string
	for _, e := range s.endpoints {
		urls = append(urls, e.URL)
	}
	a, err := evm.New(evm.Config{Profile: s.profile, Endpoints: urls, Now: s.clock.Now, Clock: s.clock.pauses()})
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

func profileOf(n chain.Network) (chain.Profile, bool) {
	for _, p := range chain.Profiles() {
		if p.Network == n {
			return p, true
		}
	}
	return chain.Profile{}, false
}

// factoryCodes returns the runtime code of the forwarder factory and of its
// implementation, as a real chain has them.
func factoryCodes(t *testing.T) [2]string {
	t.Helper()
	codes, err := deployedCodes()
	if err != nil {
		t.Fatal(err)
	}
	return codes
}

var deployedCodes = sync.OnceValues(func() (codes [2]string, err error) {
	c, err := devchain.Start(devchain.Config{ChainID: 137})
	if err != nil {
		return codes, err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := c.Setup(ctx); err != nil {
		return codes, err
	}
	factory := contracts.FactoryAddress()
	for i, at := range []common.Address{factory, contracts.ImplementationAddress(factory)} {
		code, err := c.Client().CodeAt(ctx, at, nil)
		if err != nil {
			return codes, err
		}
		codes[i] = hexutil.Encode(code)
	}
	return codes, nil
})

func (s *script) Reader() chain.Reader   { return s.reader }
func (s *script) Credited() chain.Asset  { return s.profile.Assets[0] }
func (s *script) Other() chain.Asset     { return s.profile.Assets[len(s.profile.Assets)-1] }
func (s *script) Address() chain.Watched { return freshAddress(s.profile.Network) }
func (s *script) Mine(n int)             { s.chain.Mine(n) }
func (s *script) Finalize()              { s.chain.Mine(scriptFinalDepth) }
func (s *script) Counterfeit() chain.Asset {
	return chain.Asset{
		Network: s.profile.Network, Contract: "0x00000000000000000000000000000000000000CF",
		Symbol: s.Credited().Symbol, Decimals: s.Credited().Decimals, Token: s.Credited().Token,
	}
}

func freshAddress(n chain.Network) chain.Watched {
	raw := make([]byte, 20)
	_, _ = rand.Read(raw) // never fails
	return chain.AddressOf(n, raw)
}

func (s *script) Pay(payments ...chaintest.Payment) chain.TxHash {
	return chain.TxHash(s.chain.Send(chaintest.Tx{
		To:   string(payments[0].Asset.Contract),
		Logs: transferLogs(payments...),
	}))
}

func (s *script) PayFailed(p chaintest.Payment) chain.TxHash {
	return chain.TxHash(s.chain.Send(chaintest.Tx{To: string(p.Asset.Contract), Failed: true, Logs: transferLogs(p)}))
}

const payer = "0x00000000000000000000000000000000000000AB"

func transferLogs(payments ...chaintest.Payment) []chaintest.Log {
	var logs []chaintest.Log
	for _, p := range payments {
		logs = append(logs, chaintest.TransferLog(string(p.Asset.Contract), payer, string(p.To.Address),
			new(big.Int).SetUint64(p.Units)))
	}
	return logs
}

// Reorg puts a transaction of another account before those that are kept.
func (s *script) Reorg(n int, keep bool) {
	s.chain.Drop(n, keep)
	other := chaintest.Payment{To: s.Address(), Asset: s.Credited(), Units: 1}
	s.chain.SendFirst(chaintest.Tx{To: string(s.Credited().Contract), Logs: transferLogs(other, other)})
	s.chain.Mine(n + 1)
}

// scriptDeep credits by depth in time instead of a tag.
type scriptDeep struct{ *script }

func (s *scriptDeep) Finalize() { s.chain.Mine(30) }

// pay makes a payment of one unit to a new address and mines it.
func (s *script) pay() (chaintest.Payment, chain.TxHash) {
	p := chaintest.Payment{To: s.Address(), Asset: s.Credited(), Units: 1}
	tx := s.Pay(p)
	s.Mine(1)
	return p, tx
}

func (s *script) scan(from uint64, to chain.Head, watched ...chain.Watched) ([]chain.Transfer, error) {
	set := chain.NewWatchSet(len(watched))
	for _, w := range watched {
		set.Add(w)
	}
	got, _, err := s.reader.Scan(s.t.Context(), from, to, set)
	return got, err
}

func units(v uint64) money.Units { return money.UnitsFromUint64(v) }
