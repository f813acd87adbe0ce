package watch_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/chain"
)

// TestWatcher_RestoredIndex: a restored database does not know what was swept in the lost time, and an endpoint may
// list it later than the blocks. Until it does, an emptied address looks as if it had never been paid: nothing is read
// from the restored cursor on before then.
func TestWatcher_RestoredIndex(t *testing.T) {
	t.Parallel()
	r, s := newSlotRig(t, 0)
	p := r.start()
	address := p.Routes[0].Address.Address
	r.rounds(2 * time.Minute)
	restored := r.now()
	_, err := r.store.Adopt(r.Context(), backup.Mark{}, restored)
	r.must(err)
	clear(s.asked)
	for r.now().Before(restored.Add(r.profile.IndexLag)) {
		if r.watcher.RunOnce(r.Context()) == nil || s.asked[address] > 0 {
			t.Fatalf("the address is read %s after the restore", r.now().Sub(restored))
		}
		if h := r.watcher.Health(); h.OK {
			t.Errorf("the network is offered %s after the restore", r.now().Sub(restored))
		}
		r.pass(10 * time.Second)
	}
	r.pass(slotFinal * slotTime)
	r.watch()
	if s.asked[address] == 0 {
		t.Error("the address is not read later either")
	}
	c, _, err := r.store.Cursor(r.Context(), chain.Solana)
	r.must(err)
	if c.Scanned.Time.Before(restored) {
		t.Errorf("the network is read up to %s only", c.Scanned.Time)
	}
}
