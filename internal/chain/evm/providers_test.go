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
	reader, err := evm.New(evm.Config{Profile: s.profile, Endpoints: []string{p.provider.URL}, Now: s.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	s.reader = reader
	return p
}

func (p *provided) Provider() *chaintest.Provider { return p.provider }
func (p *provided) Wait(d time.Duration)          { p.clock.advance(d) }
