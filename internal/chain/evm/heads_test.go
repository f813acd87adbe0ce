package evm_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/fault"
)

func (s *script) heads() chain.Heads {
	s.t.Helper()
	h, err := s.reader.Heads(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}

func TestHeads_Tags(t *testing.T) {
	t.Parallel()
	for _, tag := range []chain.FinalityTag{chain.TagFinalized, chain.TagSafe} {
		s := newScript(t, 1, func(p *chain.Profile) { p.Finality = chain.Finality{Tag: tag} })
		for range 8 {
			h := s.heads()
			latest := s.chain.Head().Number
			wantFinal := latest - min(latest, scriptFinalDepth)
			wantCredit := wantFinal
			if tag == chain.TagSafe {
				wantCredit = latest - min(latest, 1)
			}
			if h.Latest.Number != latest || h.Final.Number != wantCredit || h.Finalized.Number != wantFinal {
				t.Errorf("%s at %d: final %d, finalized %d", tag, latest, h.Final.Number, h.Finalized.Number)
			}
			s.Mine(1)
		}
	}
}

// A node without the labels, as young chains are.
func TestHeads_NoLabelsYet(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	s.Mine(5)
	first, _, err := s.reader.BlockAt(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	s.endpoints[0].Set(chaintest.Faults{NoLabels: true})
	h := s.heads()
	if h.Latest != s.chain.Head() || h.Final != first || h.Finalized != first {
		t.Errorf("heads are %+v", h)
	}
	s.endpoints[0].Set(chaintest.Faults{})
	if h := s.heads(); h.Final.Number != 2 {
		t.Errorf("heads are %+v", h)
	}
}

// The depth rule counts the chain's own seconds: blocks of a fifth of a second
// share timestamps, and the chain may pause.
func TestHeads_Depth(t *testing.T) {
	t.Parallel()
	depths := []time.Duration{time.Second, 12 * time.Second, 10 * time.Minute, 24 * time.Hour}
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		depth := depths[r.IntN(len(depths))]
		s := newScript(t, 1, func(p *chain.Profile) { p.Finality = chain.Finality{Depth: depth} })
		s.chain.SetBlockTime(200 * time.Millisecond)
		blocks := []chain.Head{s.chain.Head()}
		for range 40 {
			if r.IntN(4) == 0 {
				s.chain.Wait(time.Duration(r.Int64N(int64(2 * depth))))
			}
			for range r.IntN(60) {
				s.Mine(1)
				blocks = append(blocks, s.chain.Head())
			}
			want := blockAtDepth(blocks, depth)
			if got := s.heads(); got.Final != want {
				t.Fatalf("seed %d, depth %s at %d: final is %+v, want %+v", seed, depth, len(blocks)-1, got.Final, want)
			}
		}
		if posts := s.endpoints[0].Posts(); posts > 40*6 {
			t.Errorf("seed %d, depth %s: %d requests for 40 heads", seed, depth, posts)
		}
	}
}

// In the ordinary run of things the depth rule costs few calls.
func TestHeads_DepthIsCheap(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1, func(p *chain.Profile) { p.Finality = chain.Finality{Depth: 12 * time.Second} })
	s.chain.SetBlockTime(200 * time.Millisecond)
	s.Mine(1000)
	s.heads()
	posts, calls := s.endpoints[0].Posts(), s.endpoints[0].Calls("eth_getBlockByNumber")
	const rounds = 50
	for range rounds {
		s.Mine(5)
		s.heads()
	}
	posts, calls = s.endpoints[0].Posts()-posts, s.endpoints[0].Calls("eth_getBlockByNumber")-calls
	if posts > 3*rounds || calls > 15*rounds {
		t.Errorf("%d requests with %d calls for %d heads", posts, calls, rounds)
	}
}

// blockAtDepth is the expected result, found by counting.
func blockAtDepth(blocks []chain.Head, depth time.Duration) chain.Head {
	latest := blocks[len(blocks)-1]
	for i := len(blocks) - 1; i > 0; i-- {
		if latest.Time.Sub(blocks[i].Time) >= depth {
			return blocks[i]
		}
	}
	return blocks[0]
}

// An endpoint that goes back lags; the other one is used.
func TestHeads_OneFallsBehind(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	s.Mine(10)
	before := s.heads()
	s.endpoints[0].Set(chaintest.Faults{Lag: 4})
	if got := s.heads(); got != before {
		t.Errorf("heads are %+v, were %+v", got, before)
	}
	s.Mine(2)
	if got := s.heads(); got.Latest.Number != 12 {
		t.Errorf("the newest block is %d, want 12", got.Latest.Number)
	}
	for range 3 {
		s.Mine(1)
		s.heads()
	}
	if e := s.reader.Endpoints(); !e[1].Healthy || e[1].Head != 15 {
		t.Errorf("endpoints are %+v", e)
	}
}

// The answers of an endpoint that stops following the chain stay valid, so it would
// be used for ever if the others were not checked.
func TestHeads_PreferredStops(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	s.Mine(5)
	s.heads()
	s.endpoints[0].Freeze()
	s.Mine(30)
	s.clock.advance(10 * time.Second)
	if got := s.heads(); got.Latest.Number != 35 {
		t.Errorf("the newest block is %d, want 35", got.Latest.Number)
	}
}

// Behind one address there may be several nodes: one of them being behind
// takes back nothing that was final.
func TestHeads_AllFallBehind(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	s.Mine(10)
	before := s.heads()
	s.endpoints[0].Set(chaintest.Faults{Lag: 2})
	got := s.heads()
	if got.Final != before.Final || got.Finalized != before.Finalized || got.Latest.Number != 8 {
		t.Errorf("heads are %+v, were %+v", got, before)
	}
	s.endpoints[0].Set(chaintest.Faults{Lag: 5})
	if got, err := s.reader.Heads(t.Context()); !errors.Is(err, chain.ErrNoEndpoint) {
		t.Errorf("behind the finalized block: %+v, error %v", got, err)
	}
	s.endpoints[0].Set(chaintest.Faults{})
	if got := s.heads(); got != before {
		t.Errorf("heads are %+v, were %+v", got, before)
	}
}

// Two endpoints disagree about a finalized block: the first reported one stays, and
// the health of the other endpoint says why it is not used.
func TestHeads_FinalityBroken(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	s.Mine(10)
	before := s.heads()
	s.endpoints[1].Freeze()
	s.chain.Drop(8, false)
	s.Mine(12)
	got := s.heads()
	if got.Finalized != before.Finalized || got.Latest != before.Latest {
		t.Errorf("heads are %+v, were %+v", got, before)
	}
	if e := s.reader.Endpoints()[0]; e.Healthy || e.Reason == "" {
		t.Errorf("the endpoint that breaks its promise is %+v", e)
	}
}

// Finality that stalls while blocks go on is reported as it is.
func TestHeads_FinalityStalls(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	s.Mine(10)
	before := s.heads()
	s.chain.PinFinal()
	s.Mine(50)
	if got := s.heads(); got.Final != before.Final || got.Latest.Number != 60 {
		t.Errorf("heads are %+v, were %+v", got, before)
	}
}

func TestHeads_WrongChain(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	s.Mine(1)
	s.endpoints[0].Set(chaintest.Faults{ChainID: 1})
	s.heads()
	e := s.reader.Endpoints()
	if e[0].Healthy || e[0].CoolUntil.IsZero() ||
		s.endpoints[0].Calls("eth_getBlockByNumber") != 0 {
		t.Errorf("the endpoint of another chain is %+v", e[0])
	}
	s.endpoints[0].Set(chaintest.Faults{})
	s.clock.advance(time.Hour)
	s.heads()
	if e := s.reader.Endpoints()[0]; !e.Healthy {
		t.Errorf("corrected, the endpoint is %+v", e)
	}
}

// An endpoint that changes its chain later is found out too.
func TestHeads_ChainChanges(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	s.heads()
	s.endpoints[0].Set(chaintest.Faults{ChainID: 1})
	s.clock.advance(time.Hour)
	if _, err := s.reader.Heads(t.Context()); !errors.Is(err, chain.ErrNoEndpoint) {
		t.Errorf("error %v, want ErrNoEndpoint", err)
	}
}

// An endpoint that is down is tried less and less often, and is used again when it
// answers.
func TestEndpoints_CoolDown(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	s.heads()
	asked := s.endpoints[0].Posts()
	s.endpoints[0].Set(chaintest.Faults{Status: 503})
	for range 3600 {
		if _, err := s.reader.Heads(t.Context()); !fault.Is(err, fault.Unavailable) {
			t.Fatalf("error %v, want Unavailable", err)
		}
		s.clock.advance(time.Second)
	}
	if tries := s.endpoints[0].Posts() - asked; tries < 30 || tries > 100 {
		t.Errorf("asked %d times in an hour", tries)
	}
	s.endpoints[0].Set(chaintest.Faults{})
	s.clock.advance(time.Minute)
	s.heads()
	if e := s.reader.Endpoints()[0]; !e.Healthy || !e.CoolUntil.IsZero() {
		t.Errorf("the endpoint is %+v", e)
	}
}

// Retry-After is honoured, within reason.
func TestEndpoints_RetryAfter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ seconds, atLeast, atMost int }{{7, 7, 7}, {0, 1, 60}, {90, 90, 90}, {86_400, 60, 300}} {
		s := newScript(t, 1)
		s.endpoints[0].Set(chaintest.Faults{Status: 429, RetryAfter: c.seconds})
		if _, err := s.reader.Heads(t.Context()); err == nil {
			t.Fatal("no error")
		}
		wait := int(s.reader.Endpoints()[0].CoolUntil.Sub(s.clock.Now()) / time.Second)
		if wait < c.atLeast || wait > c.atMost {
			t.Errorf("asked to wait %d s, it waits %d", c.seconds, wait)
		}
	}
}
