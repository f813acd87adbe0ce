package watch_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/lookup"
	"github.com/florinpay/florin/internal/payment/watch"
)

// TestWatcher_FoundWithoutLog: a transaction that a payer names, and that a quorum has, counts although no endpoint
// that is asked for logs lists it, however often its block is read.
func TestWatcher_FoundWithoutLog(t *testing.T) {
	t.Parallel()
	for endpoints, bad := range map[int]int{1: 1, 2: 2, 3: 2} {
		t.Run(fmt.Sprintf("%dOf%d", bad, endpoints), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, endpoints)
			p := r.start()
			for _, e := range r.endpoints[:bad] {
				e.Set(chaintest.Faults{Omit: func(map[string]any) bool { return true }})
			}
			tx := r.pay(p)
			r.mined(rigFinalDepth + 20)
			r.expect(p, payment.Started, 0)
			readers := map[chain.Network]chain.Reader{r.profile.Network: r.reader()}
			found, err := lookup.New(r.service, readers, r.store, r.now).Find(t.Context(), string(p.ID), tx)
			if err != nil || !found.Reread {
				t.Fatalf("found %+v, %v", found, err)
			}
			r.mined(3)
			r.expect(p, payment.Completed, tenUSDC)
			r.wantSetAside(0)
		})
	}
}

// TestWatcher_FoundOnAccounts: a row with token accounts, which are read for it only, stays until the network is read
// up to the time at which somebody has seen money on them.
func TestWatcher_FoundOnAccounts(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	r.watch()
	r.must(watch.Repair(t.Context(), r.store, chain.Polygon, p.ID, 1, watch.ErrDiffers, r.now(), "account"))
	r.watch()
	r.wantSetAside(1)
	r.pass(time.Minute)
	r.settle()
	r.wantSetAside(0)
}

// TestWatcher_FoundBeforeRead: a payer names a transaction that is final and that the network was not read up to yet.
// The answer is that it is recorded now, and it is: the next look is a round.
func TestWatcher_FoundBeforeRead(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.paced()
	p := r.start()
	r.readFor(45 * time.Second)
	for _, e := range r.endpoints { // quick reads show nothing
		e.Set(chaintest.Faults{Omit: func(map[string]any) bool { return true }})
	}
	tx := r.pay(p)
	r.chain.Mine(rigFinalDepth + 1)
	r.watcher.ReadDue(t.Context())
	for _, e := range r.endpoints {
		e.Set(chaintest.Faults{})
	}
	r.expect(p, payment.Started, 0)
	reader := r.reader()
	_, err := reader.Heads(t.Context())
	r.must(err)
	readers := map[chain.Network]chain.Reader{r.profile.Network: reader}
	found, err := lookup.New(r.service, readers, r.store, r.now).Find(t.Context(), string(p.ID), tx)
	if err != nil || !found.Reread {
		t.Errorf("found %+v, %v", found, err)
	}
	r.watcher.ReadDue(t.Context())
	r.expect(p, payment.Completed, tenUSDC)
	r.wantSetAside(0)
}
