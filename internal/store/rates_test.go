package store_test

import (
	"context"
	"math/big"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/store/storetest"
)

// Several instances cost as many calls as one: one asks, and the others use its answers.
func TestStore_Rates(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		now, calls, fenced := storetest.Start, atomic.Int64{}, atomic.Int64{}
		clock := func() time.Time { return now }
		read := func(_ context.Context, feeds []chain.Feed) ([]chain.FeedAnswer, error) {
			calls.Add(1)
			return []chain.FeedAnswer{{
				Answer: big.NewInt(116_152_000), UpdatedAt: now, Decimals: 8, Description: feeds[0].Of + " / USD",
			}}, nil
		}
		instance := func() *exchange.Service {
			o := exchange.Options{
				Now: clock, Shared: w.Rates("a hash"), Rules: exchange.Rules{FencePercent: 3, PegPercent: 1},
				Fence: func(context.Context) (exchange.Fence, error) {
					fenced.Add(1)
					return exchange.Fence{
						Name: "ecb", Date: now.Truncate(24 * time.Hour),
						PerEuro: map[exchange.Currency]*big.Rat{exchange.USD: big.NewRat(116, 100)},
					}, nil
				},
			}
			for _, n := range []chain.Network{chain.Base, chain.Polygon} {
				o.Sources = append(o.Sources, exchange.Feeds(n, []chain.Feed{{Of: "EUR", MaxAge: time.Hour}}, read))
			}
			return exchange.New(o)
		}
		all := []*exchange.Service{instance(), instance(), instance()}
		const minutes = 30
		for range minutes * 12 { // each instance has its own second of five
			for _, s := range all {
				q, err := s.Rate(t.Context(), "EUR", exchange.Pricing{})
				if err != nil || q.Rate.String() != "1.16152" || len(q.Sources) != 3 {
					t.Fatalf("%+v, %v", q, err)
				}
				w.Must(s.Turn(t.Context()))
				now = now.Add(time.Second)
			}
			now = now.Add(2 * time.Second)
		}
		if n := calls.Load(); n > 2*(minutes+1) || n < 2*(minutes-5) || fenced.Load() > 2 {
			t.Errorf("%d minutes of three instances cost %d calls, and %d of the fence", minutes, n, fenced.Load())
		}
		w.Must(all[0].Turn(t.Context()))
		before := calls.Load()
		if _, err := instance().Rate(t.Context(), "EUR", exchange.Pricing{}); err != nil || calls.Load() != before {
			t.Errorf("a new instance: %v, %d calls", err, calls.Load()-before)
		}
		// One that ends while it asks keeps the others waiting for no more than a turn.
		now = now.Add(time.Minute)
		mine, _, err := w.Rates("a hash").Begin(t.Context(), now, time.Minute)
		if w.Must(err); !mine {
			t.Fatal("nobody had begun")
		}
		if mine, _, err := w.Rates("another").Begin(t.Context(), now, time.Minute); err != nil || !mine {
			t.Errorf("other sources wait for these: %v, %v", mine, err)
		}
		now = now.Add(time.Minute)
		if _, err := all[0].Rate(t.Context(), "EUR", exchange.Pricing{}); err != nil {
			t.Errorf("after one that ended: %v", err)
		}
	})
}
