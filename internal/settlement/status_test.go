package settlement_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/wallet"
)

// minutes lets a minute pass in every round.
type minutes struct {
	settlement.Store
	clock  *testkit.Clock
	rounds atomic.Int64
}

func (m *minutes) Lease(ctx context.Context, name, holder string, now, until time.Time) (bool, error) {
	m.clock.Pass(time.Minute)
	m.rounds.Add(1)
	return m.Store.Lease(ctx, name, holder, now, until)
}

// counted counts how often the gas wallet is read.
type counted struct {
	chain.SweepSender
	reads atomic.Int64
}

func (c *counted) GasWallet(ctx context.Context) (chain.GasWallet, error) {
	c.reads.Add(1)
	return c.SweepSender.GasWallet(ctx)
}

// Reading the gas wallet costs calls: it is read often only while it matters.
func TestSweeper_MeasuresSeldom(t *testing.T) {
	t.Parallel()
	const rounds = 4
	for name, c := range map[string]struct {
		empty bool
		least int64
		most  int64
	}{
		"Enough": {false, 1, 1},
		"Empty":  {true, rounds - 1, rounds + 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, chain.Polygon, storetest.SQLite(t))
			if c.empty {
				var err error
				w.gas, _, err = wallet.GenerateEVM()
				w.must(err)
				w.sender = w.newSender(ceiling)
			}
			store := &minutes{Store: w.store.Settlement(), clock: w.clock}
			sender := &counted{SweepSender: w.sender}
			s := w.newSweeper(sender, store, "sweeper")
			for store.rounds.Load() < rounds+1 {
				_ = s.Turn(t.Context()) // an empty wallet is what is tested
			}
			if got := sender.reads.Load(); got < c.least || got > c.most {
				t.Errorf("in %d minutes the gas wallet was read %d times, want %d to %d", rounds, got, c.least, c.most)
			}
		})
	}
}
