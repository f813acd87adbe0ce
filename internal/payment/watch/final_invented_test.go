package watch_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// inventsFinal are the faults of an endpoint that calls a block final that is not on the chain, of a time so much
// later, and shows all blocks from the newest one to it.
func (r *rig) inventsFinal(ahead uint64, later time.Duration) chaintest.Faults {
	head := r.chain.Head()
	head.Time = head.Time.Add(later)
	return chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
		switch method {
		case "eth_blockNumber":
			return hexNumber(head.Number + ahead), true
		case "eth_getLogs":
			return []any{}, true
		}
		if method != "eth_getBlockByNumber" {
			return nil, false
		}
		number, of := head.Number+ahead, strings.Trim(string(params[0]), `"`)
		asked, err := strconv.ParseUint(strings.TrimPrefix(of, "0x"), 16, 64)
		if err == nil && asked > head.Number {
			number = asked
		} else if of != "finalized" && of != "latest" {
			return nil, false
		}
		return map[string]any{
			"number": hexNumber(number), "timestamp": hexNumber(uint64(head.Time.Unix())), //nolint:gosec // after 1970
			"hash": "0x" + strings.Repeat("fe", 24) + fmt.Sprintf("%016x", number),
		}, true
	}}
}

// TestWatcher_FinalInvented: an only endpoint calls a block final that is not on the chain, for one round a near one or
// one of days from now, for both readings of the blocks, or for long one that cannot be, and Florin is started again
// meanwhile. Afterwards the network is read on by itself, and what was paid is credited.
func TestWatcher_FinalInvented(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		ahead  uint64
		later  time.Duration
		rounds int
	}{
		"Next": {2, 0, 1}, "Near": {100, 0, 1}, "NearTwice": {100, 0, 60},
		"Later": {300_000, 12 * time.Hour, 1}, "Far": {1_000_000, 0, 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 1)
			r.watchFor(10 * time.Minute)
			p, q := r.start(), r.start()
			r.pay(p)
			r.chain.Mine(1)
			before := r.cursor().Scanned
			r.endpoints[0].Set(r.inventsFinal(row.ahead, row.later))
			r.watcher = watch.NewWatcher(r.profile, r.reader(), r.store, "one", r.now, slog.New(slog.DiscardHandler))
			for range row.rounds {
				r.pass(15 * time.Second)
				_ = r.watcher.RunOnce(t.Context())
			}
			if c := r.cursor().Scanned; name == "Far" && c.Number > before.Number+1_000 {
				t.Errorf("read from %d to %d", before.Number, c.Number)
			}
			r.endpoints[0].Set(chaintest.Faults{})
			r.catchUp()
			r.pay(q)
			for range 60 {
				r.chain.Wait(10 * time.Second)
				r.chain.Mine(4)
				_ = r.watcher.RunOnce(t.Context())
			}
			r.expect(p, payment.Completed, tenUSDC)
			r.expect(q, payment.Completed, tenUSDC)
			head := r.chain.Head().Number
			if c := r.cursor(); c.RereadTo > head {
				t.Errorf("at block %d all addresses are read up to %d", head, c.RereadTo)
			}
			if h := r.watcher.Health(); !h.OK || h.Scanned.Number > head || h.Scanned.Number+10 < head {
				t.Errorf("at block %d: %+v", head, h)
			}
		})
	}
}
