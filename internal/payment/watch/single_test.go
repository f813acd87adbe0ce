package watch_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
)

// TestWatcher_SingleSells: once one of two endpoints has been silent for long, what the other one says is final is
// minutes old, and the network is offered all the same; when both answer, the usual limit holds again.
func TestWatcher_SingleSells(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2, func(p *chain.Profile) { p.SafeLimit, p.FinalizedLimit = 3*time.Minute, 3*time.Minute })
	r.watchFor(time.Minute)
	r.endpoints[1].Set(chaintest.Faults{Status: 500})
	r.watchFor(5 * time.Minute)
	if h := r.watcher.Health(); h.OK || !h.Stalled {
		t.Fatalf("nothing is final for minutes, and the network is offered: %+v", h)
	}
	r.watchFor(chain.AloneAfter + chain.AloneDepth)
	for range 3 {
		p := r.start()
		r.pay(p)
		r.watchFor(chain.AloneDepth + time.Minute)
		r.expect(p, payment.Completed, tenUSDC)
	}
	r.endpoints[1].Set(chaintest.Faults{})
	r.watchFor(3 * time.Minute)
	r.endpoints[1].Set(chaintest.Faults{Status: 500})
	r.watchFor(5 * time.Minute)
	if h := r.watcher.Health(); h.OK {
		t.Fatalf("the other one has just fallen silent, and the network is offered: %+v", h)
	}
}
