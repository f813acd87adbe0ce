package watch_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment/watch"
)

// TestWatcher_RestartedAtRest: a network that credits before the chain finalizes was read twice up to a block that is
// not finalized yet. After a restart, with nobody waiting, reading goes on from there, and what is kept of finalized
// blocks is true.
func TestWatcher_RestartedAtRest(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2, func(p *chain.Profile) { p.Finality = chain.Finality{Tag: chain.TagSafe} })
	p := r.start()
	r.watchFor(3 * time.Minute)
	_, err := r.service.Cancel(r.Context(), string(p.ID), audit.Act{})
	r.must(err)
	before := r.cursor()
	if before.Second.Number <= before.Rechecked.Number {
		t.Fatalf("the cursor is at %+v; the test shows nothing", before)
	}
	w := watch.NewWatcher(r.profile, r.reader(), r.store, "one", r.now, slog.New(slog.DiscardHandler))
	for range 90 {
		r.chain.Wait(time.Minute)
		r.chain.Mine(1)
		w.ReadDue(r.Context())
	}
	c := r.cursor()
	if c.Second.Number < before.Second.Number+30 || c.Rechecked.Number < before.Second.Number {
		t.Errorf("an hour and a half later it is read twice up to %d, rechecked to %d; before: %d",
			c.Second.Number, c.Rechecked.Number, before.Second.Number)
	}
	if got := r.chain.Blocks()[c.Rechecked.Number].Hash; got != c.Rechecked.Hash {
		t.Errorf("finalized block %d is kept as %q, and is %q", c.Rechecked.Number, c.Rechecked.Hash, got)
	}
}
