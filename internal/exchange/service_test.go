package exchange_test

import (
	"context"
	"math/big"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
)

// sources are two chains whose feeds say the truth, and a bank's rates.
type sources struct {
	calls, fenced atomic.Int64
	hang          atomic.Bool
	fail          atomic.Bool
}

func (s *sources) read(ctx context.Context, feeds []chain.Feed) ([]chain.FeedAnswer, error) {
	s.calls.Add(1)
	if s.hang.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if s.fail.Load() {
		return nil, chain.ErrNoEndpoint
	}
	answers := make([]chain.FeedAnswer, len(feeds))
	for i, f := range feeds {
		answers[i] = chain.FeedAnswer{
			Answer: big.NewInt(116_152_000), UpdatedAt: time.Now(), Decimals: 8, Description: f.Of + " / USD",
		}
	}
	return answers, nil
}

func (s *sources) service(networks ...chain.Network) *exchange.Service {
	return exchange.New(s.options(networks...))
}

func (s *sources) options(networks ...chain.Network) exchange.Options {
	o := exchange.Options{
		Rules: exchange.Rules{FencePercent: 3, PegPercent: 1}, Now: time.Now,
		Fence: func(context.Context) (exchange.Fence, error) {
			s.fenced.Add(1)
			return exchange.Fence{
				Name: "ecb", Date: time.Now().UTC().Truncate(24 * time.Hour),
				PerEuro: map[exchange.Currency]*big.Rat{exchange.USD: big.NewRat(116, 100)},
			}, nil
		},
	}
	for _, n := range networks {
		o.Sources = append(o.Sources, exchange.Feeds(n, []chain.Feed{{Of: "EUR", MaxAge: 26 * time.Hour}}, s.read))
	}
	return o
}

// run turns the service once a second for so long.
func run(t *testing.T, s *exchange.Service, long time.Duration) {
	t.Helper()
	for range long / time.Second {
		time.Sleep(time.Second)
		if err := s.Turn(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// Nobody who prices abroad costs nothing; somebody who does costs a call a minute and network, and none in the request.
func TestService_Calls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var from sources
		s := from.service(chain.Base, chain.Polygon)
		if _, err := s.Rate(t.Context(), exchange.USD, exchange.Pricing{}); err != nil {
			t.Error(err)
		}
		run(t, s, 24*time.Hour)
		if _, err := s.Rate(t.Context(), exchange.USD, exchange.Pricing{}); err != nil || from.calls.Load() != 0 {
			t.Fatalf("a day without prices in other currencies: %d calls, %v", from.calls.Load(), err)
		}
		if q, err := s.Rate(t.Context(), "EUR", exchange.Pricing{}); err != nil || q.Rate.String() != "1.16152" || from.calls.Load() != 2 {
			t.Fatalf("the first price: %+v, %v, %d calls", q, err, from.calls.Load())
		}
		for range 24 * 60 {
			run(t, s, time.Minute)
			before := from.calls.Load()
			if _, err := s.Rate(t.Context(), "EUR", exchange.Pricing{}); err != nil || from.calls.Load() != before {
				t.Fatalf("a warm price: %v, %d calls", err, from.calls.Load()-before)
			}
		}
		if n := from.calls.Load(); n > 2*1441 || n < 2*1400 || from.fenced.Load() > 26 {
			t.Errorf("a day of prices: %d calls of two networks and %d of the fence", n, from.fenced.Load())
		}
		run(t, s, time.Hour)
		before := from.calls.Load()
		run(t, s, time.Hour)
		if n := from.calls.Load() - before; n != 0 {
			t.Errorf("%d calls after the last price", n)
		}
	})
}

// A cold request waits for one reading, two seconds at most; what was read is used for two minutes and a half.
func TestService_Cold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var from sources
		s := from.service(chain.Base, chain.Polygon)
		from.hang.Store(true)
		began := time.Now()
		_, err := s.Rate(t.Context(), "EUR", exchange.Pricing{})
		took := time.Since(began)
		if f := fault.Of(err); f == nil || f.Reason != fault.ReasonRateUnavailable || took > 2*time.Second {
			t.Fatalf("sources that hang: %v after %s", err, took)
		}
		if _, err = s.Rate(t.Context(), "EUR", exchange.Pricing{}); err == nil || from.calls.Load() != 2 {
			t.Errorf("again at once: %v, %d calls", err, from.calls.Load())
		}
		from.hang.Store(false)
		time.Sleep(time.Minute)
		if _, err := s.Rate(t.Context(), "EUR", exchange.Pricing{}); err != nil {
			t.Errorf("a minute later: %v", err)
		}
		from.fail.Store(true)
		for _, x := range []struct {
			after time.Duration
			ok    bool
		}{{2 * time.Minute, true}, {31 * time.Second, false}} {
			run(t, s, x.after)
			if _, err := s.Rate(t.Context(), "EUR", exchange.Pricing{}); (err == nil) != x.ok {
				t.Errorf("%s after the last answer: %v", x.after, err)
			}
		}
	})
}

// A source, or a bank, that hangs does not keep a price from what the others say.
func TestService_OneHangs(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]struct{ hangs, bank bool }{"a source": {hangs: true}, "the bank": {bank: true}} {
		synctest.Test(t, func(t *testing.T) {
			var from, other sources
			o := from.options(chain.Base, chain.Polygon)
			o.Sources = append(o.Sources, exchange.Feeds(chain.BEP20, []chain.Feed{{Of: "EUR"}}, other.read))
			fence, bank := o.Fence, false
			o.Fence = func(ctx context.Context) (exchange.Fence, error) {
				if bank {
					<-ctx.Done()
					return exchange.Fence{}, ctx.Err()
				}
				return fence(ctx)
			}
			rates := exchange.New(o)
			if _, err := rates.Rate(t.Context(), "EUR", exchange.Pricing{}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Hour) // all is cold
			other.hang.Store(s.hangs)
			bank = s.bank
			began := time.Now()
			_, err := rates.Rate(t.Context(), "EUR", exchange.Pricing{})
			if took := time.Since(began); err != nil || took > 2*time.Second {
				t.Errorf("%s hangs: %v after %s", name, err, took)
			}
		})
	}
}

// One network alone is no rate, and a currency that none has costs no call.
func TestService_Refused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var from sources
		s := from.service(chain.Base)
		_, err := s.Rate(t.Context(), "NGN", exchange.Pricing{})
		if !fault.Is(err, fault.Unavailable) || from.calls.Load() != 0 {
			t.Errorf("a currency that no source has: %v, %d calls", err, from.calls.Load())
		}
		if _, err := s.Rate(t.Context(), "EUR", exchange.Pricing{}); !fault.Is(err, fault.Unavailable) {
			t.Errorf("one source: %v", err)
		}
	})
}
