package evm_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
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
