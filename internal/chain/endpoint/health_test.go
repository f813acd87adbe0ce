package endpoint_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
)

// TestHealth_Moves: an endpoint whose newest block grows is alive, and so it is again after it was far too high for a
// while, before it counts as silent. One that goes back and forth is silent.
func TestHealth_Moves(t *testing.T) {
	t.Parallel()
	const far = 1_000_000_000
	for name, c := range map[string]struct {
		head   func(minute uint64) uint64
		silent bool
	}{
		"Grows":        {func(m uint64) uint64 { return m }, false},
		"StandsStill":  {func(uint64) uint64 { return 9 }, true},
		"BackAndForth": {func(m uint64) uint64 { return 9 + m%2 }, true},
		"SeldomForth":  {func(m uint64) uint64 { return 10 - min(m%4, 1) }, true},
		"FallsBack":    {func(m uint64) uint64 { return m + 1_000*(1-min(m/20, 1)) }, false},
		"FarOnce":      {func(m uint64) uint64 { return m + far*(1-min(m-1, 1)) }, false},
	} {
		now := begin
		h := endpoint.NewHealth(func() time.Time { return now })
		silent := false
		for m := range uint64(120) {
			now = now.Add(time.Minute)
			h.RecordHead(c.head(m + 1))
			silent = now.Sub(h.MovedAt()) > chain.AloneAfter
			if silent && !c.silent {
				t.Errorf("%s: silent after %d minutes", name, m+1)
				break
			}
		}
		if silent != c.silent {
			t.Errorf("%s: silent %t in the end", name, silent)
		}
	}
}
