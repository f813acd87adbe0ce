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

// future makes an endpoint call a block of the far future final, and the newest one if asked for: always the same one,
// or a higher one every minute.
func (p *pairOf) future(newest, moves bool) chaintest.Faults {
	began := p.clock.Now()
	return chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
		if method != "eth_getBlockByNumber" {
			return nil, false
		}
		number := uint64(1_000_000)
		if moves {
			number += uint64(p.clock.Now().Sub(began) / time.Minute) //nolint:gosec // not negative
		}
		of := strings.Trim(string(params[0]), `"`)
		asked, err := strconv.ParseUint(strings.TrimPrefix(of, "0x"), 16, 64)
		if err == nil && asked >= 1_000_000 {
			number = asked
		} else if of != "finalized" && (of != "latest" || !newest) {
			return nil, false
		}
		return map[string]any{
			"number": fmt.Sprintf("0x%x", number), "timestamp": fmt.Sprintf("0x%x", began.Unix()),
			"hash": "0x" + strings.Repeat("fe", 24) + fmt.Sprintf("%016x", number),
		}, true
	}}
}

// honest makes an endpoint answer so for what is not on the chain yet, and say what is final or not.
func (p *pairOf) honest(beyond any, says bool) chaintest.Faults {
	return chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
		if method != "eth_getBlockByNumber" || string(params[0]) == `"finalized"` {
			return nil, method == "eth_getBlockByNumber" && !says
		}
		number, err := strconv.ParseUint(strings.TrimPrefix(strings.Trim(string(params[0]), `"`), "0x"), 16, 64)
		return beyond, err == nil && number > p.chain.Head().Number
	}}
}

// TestHeads_FutureFinal: an endpoint that calls a block of the far future final makes it so for nobody, with one other
// endpoint that answers or two, for as long as it does. Two others that say what is final go on, whatever they answer
// for a block that is not there yet, and all do when it has stopped.
func TestHeads_FutureFinal(t *testing.T) {
	t.Parallel()
	for name, beyond := range map[string]any{
		"Null": nil, "Error": &chaintest.RPCError{Code: -32000, Message: "the block is out of range"},
	} {
		for n := 2; n <= 3; n++ {
			for liar := range n {
				for of := range 8 {
					newest, moves, says := of&1 > 0, of&2 > 0, of&4 > 0
					t.Run(fmt.Sprintf("%s/%dOf%d/%d", name, liar+1, n, of), func(t *testing.T) {
						t.Parallel()
						p := newUnsaying(t, chain.AloneAll, strings.Repeat(".", n), nil).pairOf
						for i, e := range p.endpoints {
							if e.Set(p.honest(beyond, says)); i == liar {
								e.Set(p.future(newest, moves))
							}
						}
						h := p.quiet(chain.AloneAfter + chain.AloneDepth + 5*time.Minute)
						want := p.chain.Head().Number - scriptFinalDepth
						if h.Number > want || n == 3 && says && h.Number < want {
							t.Fatalf("block %d is final, want %d", h.Number, want)
						}
						for _, e := range p.endpoints {
							e.Set(chaintest.Faults{})
						}
						if h = p.quiet(5 * time.Minute); h.Number != p.chain.Head().Number-scriptFinalDepth {
							t.Errorf("when it has stopped: block %d is final", h.Number)
						}
					})
				}
			}
		}
	}
}

// TestJudge_SafeByBoth: what both endpoints have called safe is no single word because only the finalized block has
// moved since.
func TestJudge_SafeByBoth(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2, func(p *chain.Profile) { p.Finality = chain.Finality{Tag: chain.TagSafe} })
	s.Mine(20)
	to := s.Address()
	s.Pay(chaintest.Payment{To: to, Asset: s.Credited(), Units: 1_000_000_000})
	s.Mine(2)
	at := s.heads().Final
	for _, e := range s.endpoints {
		e.Set(chaintest.Faults{Tag: func(tag string) string {
			if tag == "safe" {
				return fmt.Sprintf("0x%x", at.Number)
			}
			return tag
		}})
	}
	s.Mine(1)
	if h := s.heads(); h.Final != at || h.Finalized.Number >= at.Number {
		t.Fatalf("heads %+v", h)
	}
	got, err := s.scan(0, at, to)
	if err != nil || len(got) != 1 || got[0].Block.Number != at.Number {
		t.Fatalf("scanned %+v, %v", got, err)
	}
	if v, err := chain.JudgeAll(t.Context(), s.reader, got, at); v != chain.Stands {
		t.Errorf("judged %v, %v", v, err)
	}
}
