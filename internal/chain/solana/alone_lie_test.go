package solana_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana"
)

// lie makes a node call a slot final, and the newest one if asked for, that the ledger has not made; zero: it stops.
func (n *node) lie(slot uint64, at time.Time, newest bool) {
	number := []byte(strconv.FormatUint(slot, 10))
	n.mu.Lock()
	defer n.mu.Unlock()
	if delete(n.alter, "getSlot"); slot == 0 {
		delete(n.deny, "getBlock")
		return
	}
	n.alter["getSlot"] = func(params, result json.RawMessage) json.RawMessage {
		if newest || bytes.Contains(params, []byte("finalized")) {
			return number
		}
		return result
	}
	n.deny["getBlock"] = func(params json.RawMessage) (status int, body string) {
		if !bytes.Contains(params, number) {
			return 0, ""
		}
		return http.StatusOK, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"blockhash":%q,"previousBlockhash":%[1]q,`+
			`"parentSlot":%d,"blockTime":%d,"signatures":[]}}`, someHash, slot-1, at.Unix())
	}
}

// TestHeads_Lie: a node that is the only one, or left of two, and calls a slot final that cannot be makes it so for
// nobody, for a moment or for long. One that could be is not final if it is called so for a moment by one of two, and
// no longer than it is called so by an only one. Reading goes on when the lie has ended.
func TestHeads_Lie(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]struct {
		ahead uint64
		later time.Duration
		could bool
	}{
		"Future":  {2_000, 365 * 24 * time.Hour, false},
		"Outruns": {1_000_000, time.Minute, false},
		"Near":    {450, time.Minute, true},
	} {
		for _, span := range []time.Duration{time.Minute, chain.AloneAfter + 2*chain.AloneDepth} {
			for of := range 4 {
				single, newest := of&1 > 0, of&2 > 0
				t.Run(fmt.Sprintf("%s/%s/%d", name, span, of), func(t *testing.T) {
					t.Parallel()
					n := 2
					if single {
						n = 1
					}
					x := newLying(t, n)
					x.pass(chain.AloneAfter + 2*chain.AloneDepth)
					x.want("before")
					head := mustHeads(t, x.reader).Latest
					x.nodes[0].lie(head.Number+l.ahead, head.Time.Add(l.later), newest)
					may := l.could && (single || span > chain.AloneDepth)
					if most := x.pass(span); most >= head.Number+l.ahead && !may {
						t.Errorf("slot %d was final", most)
					}
					x.nodes[0].lie(0, time.Time{}, false)
					if most := x.pass(2*chain.AloneDepth + 2*time.Minute); most == head.Number+l.ahead {
						t.Errorf("when it has stopped: slot %d was final", most)
					}
					x.want("when it has stopped")
				})
			}
		}
	}
}

// lying is a ledger read through a node that lies, and one that is silent.
type lying struct {
	*ledgerHarness

	t      *testing.T
	reader *solana.Adapter
	nodes  []*node
	clock  *clock
}

func newLying(t *testing.T, n int) *lying {
	t.Helper()
	x := &lying{ledgerHarness: newLedger(t), t: t}
	x.Finalize()
	x.reader, x.nodes, x.clock = x.through(t, n, func(c *solana.Config) { c.Alone = chain.AloneAll })
	mustHeads(t, x.reader)
	if n > 1 {
		x.nodes[1].refuse(503)
	}
	return x
}

// pass reads the heads every minute, in which the ledger makes six slots, and returns the newest final slot.
func (x *lying) pass(span time.Duration) (most uint64) {
	for range span / time.Minute {
		x.clock.advance(time.Minute)
		x.Mine(6)
		if heads, err := x.reader.Heads(x.t.Context()); err == nil {
			most = max(most, heads.Final.Number)
		}
	}
	return most
}

// want checks that the final slot is one that the ledger has made of late.
func (x *lying) want(since string) {
	x.t.Helper()
	var slot uint64
	call(x.t, x.URL(), &slot, "getSlot", map[string]any{"commitment": "finalized"})
	if h := mustHeads(x.t, x.reader); h.Final.Number > slot || h.Final.Number+60 < slot {
		x.t.Fatalf("%s: slot %d is final, of %d", since, h.Final.Number, slot)
	}
}
