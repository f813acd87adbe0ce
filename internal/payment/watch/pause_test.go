package watch

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// TestWatcher_Rest: a pushed block is read a moment later, money at once, and neither these nor changes of payments
// make the next step later than it was due.
func TestWatcher_Rest(t *testing.T) {
	t.Parallel()
	const due = time.Second
	for name, c := range map[string]struct {
		events []func(*Watcher)
		most   time.Duration
		want   time.Duration
	}{
		"Nothing":           {nil, due, due},
		"Block":             {[]func(*Watcher){(*Watcher).Headed}, due, headRest},
		"Money":             {[]func(*Watcher){(*Watcher).Headed, (*Watcher).Pushed}, due, 0},
		"Change":            {[]func(*Watcher){(*Watcher).Wake}, due, wakeRest},
		"ChangeShortBefore": {[]func(*Watcher){(*Watcher).Wake}, 5 * time.Millisecond, 5 * time.Millisecond},
		"BlockShortBefore":  {[]func(*Watcher){(*Watcher).Headed}, time.Millisecond, time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := NewWatcher(chain.Profiles()[0], nil, nil, "one", time.Now, slog.New(slog.DiscardHandler))
				for _, happen := range c.events {
					happen(w)
				}
				began := time.Now()
				w.rest(t.Context(), c.most)
				if took := time.Since(began); took != c.want {
					t.Errorf("rested %v, want %v", took, c.want)
				}
			})
		})
	}
}
