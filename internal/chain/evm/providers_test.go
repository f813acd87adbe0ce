package evm_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// The adapter reads through every provider as it is.
func TestProviders(t *testing.T) {
	t.Parallel()
	chaintest.RunProviders(t, chaintest.EVMBehaviours(), func(t *testing.T) chaintest.ProviderHarness {
		return newProvided(t)
	})
}

// provided is a scripted chain that is read through a provider alone.
type provided struct {
	*script
	provider *chaintest.Provider
}

func newProvided(t *testing.T) *provided {
	t.Helper()
	s := newScript(t, 1, func(p *chain.Profile) { p.Finality = chain.Finality{Tag: chain.TagSafe} })
	p := &provided{s, chaintest.NewProvider(t, s.endpoints[0].URL)}
	reader, err := evm.New(
		evm.Config{Profile: s.profile, Endpoints: []string{p.provider.URL}, Now: s.clock.Now, Clock: s.clock.pauses()},
	)
	if err != nil {
		t.Fatal(err)
	}
	s.reader = reader
	return p
}

func (p *provided) Provider() *chaintest.Provider { return p.provider }
func (p *provided) Wait(d time.Duration)          { p.clock.advance(d) }

// An endpoint without old logs is passed over for them, stays in use for the others, and says so.
func TestProviders_PrunedLogs(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	watched := s.addresses(3)
	txs := s.history(watched, 300, 0)
	pruned := chaintest.NewProvider(t, s.endpoints[0].URL)
	pruned.Behave(chaintest.PrunedLogs(128))
	var err error
	if s.reader, err = evm.New(evm.Config{
		Profile: s.profile, Endpoints: []string{pruned.URL, s.endpoints[1].URL}, Now: s.clock.Now,
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.reader.Heads(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.mustFind(txs, watched...)
	_, before := pruned.Requests()
	s.mustFind(map[chain.TxHash]bool{}, s.Address())
	if _, after := pruned.Requests(); after != before {
		t.Errorf("asked %d times more for what it does not have", after-before)
	}
	p := chaintest.Payment{To: s.Address(), Asset: s.Credited(), Units: 9}
	s.Pay(p)
	s.Mine(1)
	got, err := s.scan(s.chain.Head().Number-50, s.chain.Head(), p.To)
	if err != nil || len(got) != 1 || got[0].Source != s.reader.Endpoints()[0].Name {
		t.Errorf("new logs come as %+v, %v", got, err)
	}
	e := s.reader.Endpoints()[0]
	if !e.Healthy || len(e.Learnt) != 1 || e.Learnt[0] != "history: less than 300 blocks" {
		t.Errorf("the endpoint without history: %+v", e)
	}
}

// A tag that a rate limit kept from being answered is not unknown.
func TestProviders_TagLimited(t *testing.T) {
	t.Parallel()
	p := newProvided(t)
	p.provider.Behave(chaintest.TagLimited())
	if _, err := p.reader.Heads(t.Context()); err == nil {
		t.Error("heads without an answer for a tag")
	}
	if e := p.reader.Endpoints()[0]; len(e.Learnt) > 0 {
		t.Errorf("learnt %q", e.Learnt)
	}
}

// A node that does not know what is pending counts what is in blocks, and is not asked again.
func TestProviders_PendingUnknown(t *testing.T) {
	t.Parallel()
	p := newProvided(t)
	pending := 0
	answer := func(_ *chaintest.Provider, c chaintest.ProviderCall) *chaintest.ProviderReply {
		switch {
		case c.Method == "eth_getBalance":
			return &chaintest.ProviderReply{Result: "0x7"}
		case c.Method == "eth_getTransactionCount" && string(c.Params[1]) == `"pending"`:
			pending++
			unknown := &chaintest.RPCError{Code: -32602, Message: "unsupported block tag: pending"}
			return &chaintest.ProviderReply{Err: unknown}
		case c.Method == "eth_getTransactionCount":
			return &chaintest.ProviderReply{Result: "0x5"}
		}
		return nil
	}
	p.provider.Behave(chaintest.Rules{Call: answer})
	for range 3 {
		if err := p.reader.Pool().Do(t.Context(), func(ctx context.Context, e *rpc.Endpoint) error {
			a, err := rpc.ReadAccount(ctx, e, common.HexToAddress(string(p.Address().Address)))
			if err == nil && (a.Balance.Int64() != 7 || a.Nonce != 5 || a.Pending != 5) {
				t.Errorf("the account is read as %+v", a)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if pending != 1 {
		t.Errorf("asked %d times for what is pending", pending)
	}
	if e := p.reader.Endpoints()[0]; !slices.Contains(e.Learnt, "unknown tag: pending") {
		t.Errorf("learnt %q", e.Learnt)
	}
}
