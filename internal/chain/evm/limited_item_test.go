package evm_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
)

// TestScan_LimitedItem: endpoints that refuse each request with the receipt of one transaction for the sake of a rate,
// and answer all others, leave nobody unread: their blocks show it. None rests, or is asked less often.
func TestScan_LimitedItem(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]*chaintest.HTTPAnswer{
		"Status": {Status: http.StatusTooManyRequests},
		"Object": {Status: http.StatusOK, Body: `{"jsonrpc":"2.0","id":null,"error":{"code":429,"message":"rate limit"}}`},
	} {
		for n := 1; n <= 2; n++ {
			t.Run(fmt.Sprintf("%s%d", name, n), func(t *testing.T) {
				t.Parallel()
				s := newScript(t, n)
				var watched []chain.Watched
				var tx chain.TxHash
				for i := range 5 {
					p, of := s.pay()
					if watched = append(watched, p.To); i == 2 {
						tx = of
					}
				}
				s.Mine(5)
				nodes := s.throughProviders()
				s.limitRate(nodes)
				final := s.heads().Final
				for _, p := range nodes {
					p.Behave(refusesAbout(tx, answer))
				}
				got, err := s.scan(0, final, watched...)
				if err != nil || len(got) != len(watched) {
					t.Errorf("scanned %d, %v", len(got), err)
				}
				s.mustNotRest(name)
				for _, e := range s.reader.Endpoints() {
					if slices.ContainsFunc(e.Learnt, func(l string) bool { return strings.HasPrefix(l, "rate") }) {
						t.Errorf("%s learnt %v", e.Name, e.Learnt)
					}
				}
			})
		}
	}
}

// TestScan_LimitedAll: an endpoint that refuses every request with a receipt for the sake of a rate is refused for no
// item's sake: it rests, soon, and another one is asked.
func TestScan_LimitedAll(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	var watched []chain.Watched
	for range 40 {
		p, _ := s.pay()
		watched = append(watched, p.To)
	}
	s.Mine(5)
	nodes := s.throughProviders()
	s.limitRate(nodes)
	final := s.heads().Final
	nodes[0].Behave(chaintest.Rules{Request: func(_ int, calls []chaintest.ProviderCall, _ bool) *chaintest.HTTPAnswer {
		if slices.ContainsFunc(calls, func(c chaintest.ProviderCall) bool {
			return c.Method == "eth_getTransactionReceipt"
		}) {
			return &chaintest.HTTPAnswer{Status: http.StatusTooManyRequests}
		}
		return nil
	}})
	before := s.clock.Now()
	got, err := s.scan(0, final, watched...)
	if took := s.clock.Now().Sub(before); err != nil || len(got) != len(watched) || took > 20*time.Second {
		t.Errorf("scanned %d in %s, %v", len(got), took, err)
	}
	if e := s.reader.Endpoints()[0]; e.Errors != 1 || e.Healthy {
		t.Errorf("it did not rest: %+v", e)
	}
}

// refusesAbout is a provider that answers each request so that asks about the transaction.
func refusesAbout(tx chain.TxHash, answer *chaintest.HTTPAnswer) chaintest.Rules {
	return chaintest.Rules{Request: func(_ int, calls []chaintest.ProviderCall, _ bool) *chaintest.HTTPAnswer {
		if slices.ContainsFunc(calls, func(c chaintest.ProviderCall) bool {
			return len(c.Params) > 0 && strings.Contains(string(c.Params[0]), string(tx))
		}) {
			return answer
		}
		return nil
	}}
}

// limitRate reads through the providers at a rate.
func (s *script) limitRate(nodes []*chaintest.Provider) {
	s.t.Helper()
	var urls []string
	for _, p := range nodes {
		urls = append(urls, p.URL)
	}
	var err error
	if s.reader, err = evm.New(evm.Config{
		Profile: s.profile, Endpoints: urls, Now: s.clock.Now, Clock: s.clock.pauses(), Rate: 25,
	}); err != nil {
		s.t.Fatal(err)
	}
}
