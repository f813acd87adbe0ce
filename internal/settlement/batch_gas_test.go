package settlement

import (
	"log/slog"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// wide is the sender of a network whose sweeps are never signed.
type wide struct{ chain.SweepSender }

func (wide) Network() chain.Network { return chain.Polygon }

// TestSweeper_BatchesByGas: as many balances share a transaction as fit by gas, as the last large batch has shown.
func TestSweeper_BatchesByGas(t *testing.T) {
	t.Parallel()
	const most, each = 16_000_000, 64_000
	policy := Policy{Batch: 400, Gas: most, GasEach: each}
	for name, c := range map[string]struct {
		n, batch    int
		gas         uint64
		fits, after int
	}{
		"BeforeAny":         {0, 250, 0, 250, 250},
		"AsExpected":        {250, 250, most, 250, 250},
		"TakesMore":         {200, 250, 200 * 2 * each, 125, 125},
		"TakesLess":         {250, 250, 250 * each / 2, 400, 400},
		"SingleShowsNot":    {1, 250, 400_000, 250, 250},
		"SlowGrowthGoesOn":  {130, 130, 130 * each / 2, 400, 130},
		"TooLargeShrinksIt": {125, 125, 125 * 4 * each, 62, 62},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := New(wide{}, nil, policy, "one", time.Now, nil, slog.New(slog.DiscardHandler))
			if s.batch != 250 {
				t.Fatalf("it begins with %d balances", s.batch)
			}
			s.batch = c.batch
			s.size(c.n, chain.Attempt{Fee: chain.Fee{Gas: c.gas}})
			if s.fits != c.fits || s.batch != c.after {
				t.Errorf("%d fit and %d are taken, want %d and %d", s.fits, s.batch, c.fits, c.after)
			}
		})
	}
	if n := (Policy{Batch: 5}).fits(1, 700_000); n != 5 {
		t.Errorf("without a limit of gas %d fit, want 5", n)
	}
}
