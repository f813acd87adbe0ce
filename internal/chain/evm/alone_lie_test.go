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

// lie makes an endpoint call a block final, and the newest one if asked for, that is not on the chain.
func lie(block uint64, at time.Time, newest bool) chaintest.Faults {
	return chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
		if method != "eth_getBlockByNumber" {
			return nil, false
		}
		number, of := block, strings.Trim(string(params[0]), `"`)
		asked, err := strconv.ParseUint(strings.TrimPrefix(of, "0x"), 16, 64)
		if err == nil && asked >= block {
			number = asked
		} else if of != "finalized" && (of != "latest" || !newest) {
			return nil, false
		}
		return map[string]any{
			"number": fmt.Sprintf("0x%x", number), "timestamp": fmt.Sprintf("0x%x", at.Unix()),
			"hash": "0x" + strings.Repeat("fe", 24) + fmt.Sprintf("%016x", number),
		}, true
	}}
}

// lies are blocks that an endpoint invents: how far ahead they are of the chain, how old they claim to be after its
// newest one, and whether they could be.
var lies = map[string]struct {
	ahead uint64
	later time.Duration
	could bool
}{
	"Future":  {100, 365 * 24 * time.Hour, false},
	"Outruns": {1_000_000, time.Minute, false},
	"Near":    {200, time.Minute, true},
}

// TestHeads_Lie: an endpoint that is the only one, or left of two, and calls a block final that cannot be makes it so
// for nobody, for a moment or for long. One that could be is not final if it is called so for a moment by one of two,
// and no longer than it is called so by an only one. Reading goes on when the lie has ended.
func TestHeads_Lie(t *testing.T) {
	t.Parallel()
	for name, l := range lies {
		for _, span := range []time.Duration{time.Minute, chain.AloneAfter + 2*chain.AloneDepth} {
			for of := range 4 {
				single, newest := of&1 > 0, of&2 > 0
				t.Run(fmt.Sprintf("%s/%s/%d", name, span, of), func(t *testing.T) {
					t.Parallel()
					p := newPairOf(t, chain.AloneAll, "Fails")
					if single {
						p = newUnsaying(t, chain.AloneAll, ".", nil).pairOf
					}
					p.lied(single, func(head chain.Head) chaintest.Faults {
						return lie(head.Number+l.ahead, head.Time.Add(l.later), newest)
					}, span, l.could && (single || span > chain.AloneDepth))
				})
			}
		}
	}
}

// lied has the endpoint lie for a while, and checks what is final then and afterwards.
func (p *pairOf) lied(single bool, lie func(chain.Head) chaintest.Faults, span time.Duration, may bool) {
	p.t.Helper()
	pass := func(span time.Duration) (most uint64) {
		for range span / time.Minute {
			p.clock.advance(time.Minute)
			if p.Mine(1); !single {
				p.endpoints[1].Set(chaintest.Faults{Status: 500})
			}
			if h, err := p.reader.Heads(p.t.Context()); err == nil {
				most = max(most, h.Final.Number)
			}
		}
		return most
	}
	want := func(since string) {
		h := p.heads()
		if behind := p.chain.Head().Number - h.Final.Number; behind < scriptFinalDepth || behind > scriptFinalDepth+7 {
			p.t.Fatalf("%s: block %d is final, of %d", since, h.Final.Number, p.chain.Head().Number)
		}
	}
	p.heads()
	pass(chain.AloneAfter + 2*chain.AloneDepth)
	want("before")
	p.endpoints[0].Set(lie(p.chain.Head()))
	if most := pass(span); most > p.chain.Head().Number && !may {
		p.t.Errorf("block %d was final", most)
	}
	p.endpoints[0].Set(chaintest.Faults{})
	if most := pass(2*chain.AloneDepth + 2*time.Minute); most > p.chain.Head().Number {
		p.t.Errorf("when it has stopped: block %d was final", most)
	}
	want("when it has stopped")
}
