package evm_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
)

// boast makes an endpoint call its newest block safe and finalized.
func (s *script) boast(endpoint int) {
	s.endpoints[endpoint].Set(chaintest.Faults{Tag: func(string) string { return "latest" }})
}

// TestHeads_OneWord: final is what a second endpoint has reached too, whichever of
// them calls its newest block final.
func TestHeads_OneWord(t *testing.T) {
	t.Parallel()
	for _, tag := range []chain.FinalityTag{chain.TagFinalized, chain.TagSafe} {
		for boaster := range 2 {
			s := newScript(t, 2, func(p *chain.Profile) { p.Finality = chain.Finality{Tag: tag} })
			s.Mine(20)
			s.boast(boaster)
			for range 3 {
				h := s.heads()
				latest := s.chain.Head().Number
				want := latest - scriptFinalDepth
				if h.Finalized.Number != want || tag == chain.TagFinalized && h.Final.Number != want {
					t.Errorf("%s, endpoint %d boasts: final %d, finalized %d of %d", tag, boaster, h.Final.Number, h.Finalized.Number, latest)
				}
				s.Mine(1)
			}
		}
	}
}

// TestHeads_SecondIsDown: what was final stays, nothing becomes final, and the
// network is read on when the second endpoint is back.
func TestHeads_SecondIsDown(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	s.Mine(20)
	before := s.heads()
	s.endpoints[1].Set(chaintest.Faults{Down: 1})
	s.Mine(5)
	if h := s.heads(); h.Final != before.Final || h.Latest.Number != 25 {
		t.Errorf("heads are %+v, were %+v", h, before)
	}
	s.endpoints[1].Set(chaintest.Faults{})
	s.clock.advance(2 * time.Minute)
	if h := s.heads(); h.Final.Number != 25-scriptFinalDepth {
		t.Errorf("heads are %+v", h)
	}
}

// TestHeads_NeverAgreed: before two endpoints have agreed, no block is final but the
// first one.
func TestHeads_NeverAgreed(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	s.Mine(20)
	s.endpoints[1].Set(chaintest.Faults{Down: 1})
	if h := s.heads(); h.Final.Number != 0 || h.Finalized.Number != 0 || h.Latest.Number != 20 {
		t.Errorf("heads are %+v", h)
	}
}

// TestHeads_Apart: two endpoints whose chains differ are named, since nothing is final meanwhile, and no more once they
// agree. A third one that agrees with one of them decides.
func TestHeads_Apart(t *testing.T) {
	t.Parallel()
	for n := 2; n <= 3; n++ {
		s := newScript(t, n)
		s.Mine(20)
		s.heads()
		pass := func() {
			for range 4 {
				s.clock.advance(15 * time.Second)
				s.Mine(1)
				_, _ = s.reader.Heads(t.Context())
			}
		}
		named := func() bool { return chain.TooFew(s.reader.Endpoints()) != "" }
		s.endpoints[1].Set(lie(s.heads().Final.Number+1, s.chain.Head().Time.Add(time.Minute), true))
		if pass(); named() != (n == 2) {
			t.Errorf("of %d while they differ: %+v", n, s.reader.Endpoints())
		}
		s.endpoints[1].Set(chaintest.Faults{})
		if pass(); named() {
			t.Errorf("of %d when they agree: %+v", n, s.reader.Endpoints())
		}
	}
}

// TestHeads_ThirdHelps: where one of three endpoints stands still, the other two
// agree.
func TestHeads_ThirdHelps(t *testing.T) {
	t.Parallel()
	for stalled := range 3 {
		s := newScript(t, 3)
		s.Mine(20)
		s.heads()
		still := s.chain.Blocks()[10]
		s.endpoints[stalled].Set(chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
			if method != "eth_getBlockByNumber" || string(params[0]) != `"finalized"` {
				return nil, false
			}
			return map[string]any{"number": "0xa", "hash": still.Hash, "timestamp": "0x6a000000"}, true
		}})
		for range 3 {
			s.Mine(5)
			s.clock.advance(10 * time.Second)
			h := s.heads()
			if want := s.chain.Head().Number - scriptFinalDepth; h.Final.Number != want {
				t.Errorf("endpoint %d stands still: final is %d, want %d", stalled, h.Final.Number, want)
			}
		}
	}
}

// TestHeads_JumpsAhead: one of three endpoints that shows a block of the far future, and then nothing any more, makes
// nothing final and none of the others late.
func TestHeads_JumpsAhead(t *testing.T) {
	t.Parallel()
	for jumper := range 3 {
		s := newScript(t, 3)
		s.Mine(20)
		s.heads()
		s.endpoints[jumper].Set(chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
			if method != "eth_getBlockByNumber" || string(params[0]) != `"latest"` {
				return nil, false
			}
			return map[string]any{
				"number": "0xf4240", "hash": "0x" + strings.Repeat("fe", 32), "timestamp": "0x6f000000",
			}, true
		}})
		s.wantHonest(jumper, false)
		s.endpoints[jumper].Set(chaintest.Faults{Down: 1})
		for range 5 {
			s.wantHonest(jumper, true)
		}
		s.endpoints[jumper].Set(chaintest.Faults{})
		s.clock.advance(5 * time.Minute)
		s.wantHonest(jumper, true)
	}
}

// wantHonest makes some blocks and checks that final, and if asked the newest block too, are as the chain has them, and
// that all endpoints but one are well.
func (s *script) wantHonest(apart int, newest bool) {
	s.t.Helper()
	s.Mine(3)
	s.clock.advance(10 * time.Second)
	h, latest := s.heads(), s.chain.Head().Number
	if want := latest - scriptFinalDepth; h.Final.Number != want || h.Finalized.Number != want {
		s.t.Errorf("endpoint %d apart: final %d, finalized %d, want %d", apart, h.Final.Number, h.Finalized.Number, want)
	}
	if newest && h.Latest.Number != latest {
		s.t.Errorf("endpoint %d apart: the newest block is %d, want %d", apart, h.Latest.Number, latest)
	}
	for i, e := range s.reader.Endpoints() {
		if newest && i != apart && (!e.Healthy || e.Head != latest) {
			s.t.Errorf("endpoint %d apart: endpoint %d is %+v at %d", apart, i, e, latest)
		}
	}
}

// TestHeads_SafeGoesBack: a second endpoint some blocks behind takes back nothing
// that was safe, and a reorganisation does.
func TestHeads_SafeGoesBack(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2, func(p *chain.Profile) { p.Finality = chain.Finality{Tag: chain.TagSafe} })
	s.Mine(20)
	before := s.heads()
	s.endpoints[1].Set(chaintest.Faults{Lag: 2})
	s.endpoints[0].Set(chaintest.Faults{Down: 1})
	if h := s.heads(); h.Final != before.Final || h.Finalized != before.Finalized {
		t.Errorf("heads are %+v, were %+v", h, before)
	}
	s.endpoints[0].Set(chaintest.Faults{})
	s.endpoints[1].Set(chaintest.Faults{})
	s.clock.advance(2 * time.Minute)
	s.chain.Drop(2, false)
	s.Mine(1)
	if h := s.heads(); h.Final == before.Final {
		t.Errorf("the replaced block %+v is still final", h.Final)
	}
}

// TestHeads_OneKeepsTheFork: one of three endpoints stays on the fork that safe blocks were replaced by. That the last
// safe block was replaced is what the others say, though their newest safe block is asked for together with it.
func TestHeads_OneKeepsTheFork(t *testing.T) {
	t.Parallel()
	for keeps := range 3 {
		s := newScript(t, 3, func(p *chain.Profile) { p.Finality = chain.Finality{Tag: chain.TagSafe} })
		s.Mine(20)
		before := s.heads()
		old := s.chain.Blocks()
		s.endpoints[keeps].Set(chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
			if method != "eth_getBlockByNumber" {
				return nil, false
			}
			tag := strings.Trim(string(params[0]), `"`)
			tags := map[string]uint64{"finalized": 17, "safe": 19, "latest": 20}
			number, err := strconv.ParseUint(strings.TrimPrefix(tag, "0x"), 16, 64)
			if named, isTag := tags[tag]; isTag {
				number, err = named, nil
			}
			if err != nil || number > 20 {
				return nil, true
			}
			b := old[number]
			return map[string]any{
				"number": fmt.Sprintf("0x%x", number), "hash": b.Hash, "timestamp": fmt.Sprintf("0x%x", b.Time.Unix()),
			}, true
		}})
		s.chain.Drop(2, false)
		s.Mine(6)
		s.clock.advance(10 * time.Second)
		if h := s.heads(); h.Final.Number <= before.Final.Number {
			t.Fatalf("endpoint %d keeps the fork: final is %d, was %d", keeps, h.Final.Number, before.Final.Number)
		}
		b, ok, err := s.reader.BlockAt(t.Context(), before.Final.Number)
		if err != nil || !ok || b.Hash == before.Final.Hash {
			t.Errorf("endpoint %d keeps the fork: block %+v, %t, %v", keeps, b, ok, err)
		}
	}
}

// TestHeads_Calls: in the ordinary run of things two endpoints are asked for three blocks each and nothing else: no
// block twice at one endpoint, and no check of health beside it.
func TestHeads_Calls(t *testing.T) {
	t.Parallel()
	for tag, most := range map[chain.FinalityTag]int{chain.TagFinalized: 3, chain.TagSafe: 4} {
		s := newScript(t, 2, func(p *chain.Profile) { p.Finality = chain.Finality{Tag: tag} })
		s.Mine(20)
		s.heads()
		const rounds = 10
		var before, posts [2]int
		for i, e := range s.endpoints {
			before[i], posts[i] = e.Calls("eth_getBlockByNumber"), e.Posts()
		}
		for range rounds {
			s.Mine(3)
			s.clock.advance(20 * time.Second)
			s.heads()
		}
		for i, e := range s.endpoints {
			calls, requests := e.Calls("eth_getBlockByNumber")-before[i], e.Posts()-posts[i]
			if calls > most*rounds || requests > rounds || e.Calls("eth_blockNumber") > 0 {
				t.Errorf("%s: endpoint %d was asked for %d blocks in %d requests, and %d times for its height", tag, i, calls,
					requests, e.Calls("eth_blockNumber"))
			}
		}
	}
}
