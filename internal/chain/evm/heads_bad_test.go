package evm_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// failsAt makes a node fail for one block by its number.
func failsAt(number uint64, object *chaintest.RPCError, whole *chaintest.HTTPAnswer) chaintest.Rules {
	of := func(c chaintest.ProviderCall) bool {
		return c.Method == "eth_getBlockByNumber" && string(c.Params[0]) == `"`+rpc.Quantity(number)+`"`
	}
	return chaintest.Rules{
		Request: func(_ int, calls []chaintest.ProviderCall, _ bool) *chaintest.HTTPAnswer {
			if slices.ContainsFunc(calls, of) {
				return whole
			}
			return nil
		},
		Call: func(_ *chaintest.Provider, c chaintest.ProviderCall) *chaintest.ProviderReply {
			if of(c) && object != nil {
				return &chaintest.ProviderReply{Err: object}
			}
			return nil
		},
	}
}

// throughProviders puts a provider before each endpoint, and reads through these.
func (s *script) throughProviders() (nodes []*chaintest.Provider) {
	s.t.Helper()
	var urls []string
	for _, e := range s.endpoints {
		p := chaintest.NewProvider(s.t, e.URL)
		nodes, urls = append(nodes, p), append(urls, p.URL)
	}
	var err error
	if s.reader, err = evm.New(evm.Config{
		Profile: s.profile, Endpoints: urls, Now: s.clock.Now, Clock: s.clock.pauses(),
	}); err != nil {
		s.t.Fatal(err)
	}
	return nodes
}

// mustNotRest fails if an endpoint cools down.
func (s *script) mustNotRest(name string) {
	s.t.Helper()
	for _, e := range s.reader.Endpoints() {
		if !e.CoolUntil.IsZero() {
			s.t.Errorf("%s: %s rests: %s", name, e.Name, e.Reason)
		}
	}
}

// TestHeads_OneBlockFails: endpoints that fail for the block that was final before, for good, go on with the next one,
// and none rests.
func TestHeads_OneBlockFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		object *chaintest.RPCError
		whole  *chaintest.HTTPAnswer
	}{
		"Error":   {object: &chaintest.RPCError{Code: -32000, Message: "internal error"}},
		"Limit":   {object: &chaintest.RPCError{Code: -32005, Message: "limit exceeded"}},
		"Status":  {whole: &chaintest.HTTPAnswer{Status: http.StatusInternalServerError, Body: "internal"}},
		"Dropped": {whole: &chaintest.HTTPAnswer{Drop: true}},
	} {
		for _, tag := range []chain.FinalityTag{chain.TagFinalized, chain.TagSafe} {
			for n := range 2 {
				s := newScript(t, n+1, func(p *chain.Profile) { p.Finality = chain.Finality{Tag: tag} })
				nodes := s.throughProviders()
				s.Mine(20)
				before := s.heads()
				for _, p := range nodes {
					p.Behave(failsAt(before.Final.Number, c.object, c.whole))
				}
				for range 3 {
					s.Mine(2)
					h, err := s.reader.Heads(t.Context())
					if err != nil || h.Latest.Number != s.chain.Head().Number || h.Final.Number <= before.Final.Number {
						t.Errorf("%s, %s by %d: %+v after %+v, %v", name, tag, n+1, h, before, err)
					}
					before = h
				}
				s.mustNotRest(name)
			}
		}
	}
}

// TestScan_HeaderFails: where endpoints fail for the header of a block, who was paid in it is unread, and nobody else.
func TestScan_HeaderFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		object *chaintest.RPCError
		whole  *chaintest.HTTPAnswer
	}{
		"Error":   {object: &chaintest.RPCError{Code: -32000, Message: "internal error"}},
		"Status":  {whole: &chaintest.HTTPAnswer{Status: http.StatusInternalServerError, Body: "internal"}},
		"Dropped": {whole: &chaintest.HTTPAnswer{Drop: true}},
	} {
		for n := range 2 {
			s := newScript(t, n+1)
			nodes := s.throughProviders()
			bad, _ := s.pay()
			at := s.chain.Head().Number
			good, _ := s.pay()
			s.Mine(5)
			final := s.heads().Final
			for _, p := range nodes {
				p.Behave(failsAt(at, c.object, c.whole))
			}
			got, err := s.scan(at-1, final, bad.To, good.To)
			unread, some := errors.AsType[*chain.UnreadError](err)
			if !some || !slices.Equal(unread.Addresses, []chain.Address{bad.To.Address}) {
				t.Errorf("%s by %d: %v, want only the one who was paid in block %d unread", name, n+1, err, at)
			}
			if len(got) != 1 || got[0].To != good.To.Address {
				t.Errorf("%s by %d: scanned %+v", name, n+1, got)
			}
			s.mustNotRest(name)
		}
	}
}
