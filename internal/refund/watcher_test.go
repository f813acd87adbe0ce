package refund

import (
	"context"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// gapped is a chain that has no block in a range of numbers, and counts what it is asked.
type gapped struct {
	chain.Reader

	from, to uint64
	calls    int
}

func (g *gapped) BlockAt(_ context.Context, n uint64) (chain.Head, bool, error) {
	g.calls++
	return chain.Head{Number: n}, n < g.from || n > g.to, nil
}

// TestBlockTo: numbers without a block cost few calls, however many they are.
func TestBlockTo(t *testing.T) {
	t.Parallel()
	top := chain.Head{Number: 10_000}
	for gap := range uint64(900) {
		g := &gapped{from: 2_000, to: 2_000 + gap}
		head, err := blockTo(t.Context(), g, 2_000, top)
		if err != nil || head.Number <= 2_000+gap || g.calls > 12 {
			t.Fatalf("past %d numbers: block %d after %d calls, %v", gap, head.Number, g.calls, err)
		}
	}
	g := &gapped{from: 2_000, to: 20_000}
	if head, err := blockTo(t.Context(), g, 2_000, top); err != nil || head != top || g.calls > 14 {
		t.Errorf("no block below the top: %+v after %d calls, %v", head, g.calls, err)
	}
}

// TestWatcher_Slowdown: a network whose budget is nearly spent is read less often. A round that is tried a moment early
// is made.
func TestWatcher_Slowdown(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)
	asked := []Refund{{Status: AddressGiven, AskedAt: now, AddressAt: now}}
	w := &Watcher{
		readAt:   map[chain.Network]time.Time{chain.Base: now, chain.Polygon: now},
		Slowdown: func(n chain.Network) int64 { return map[chain.Network]int64{chain.Base: 4}[n] },
	}
	for _, row := range []struct {
		n     chain.Network
		after time.Duration
		want  bool
	}{
		{chain.BEP20, 0, true}, // not read yet
		{chain.Polygon, WatchEvery, true},
		{chain.Base, WatchEvery, false},
		{chain.Polygon, WatchEvery - 50*time.Millisecond, true},
		{chain.Base, 3*WatchEvery + time.Second, false},
		{chain.Base, 4*WatchEvery - 50*time.Millisecond, true},
	} {
		if got := w.due(row.n, asked, now.Add(row.after)); got != row.want {
			t.Errorf("%s after %s: due is %t", row.n, row.after, got)
		}
	}
}
