package endpoint_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
)

// arrivals are when calls reach a server.
type arrivals struct {
	mu sync.Mutex
	at []time.Time
}

func (a *arrivals) add(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for range n {
		a.at = append(a.at, time.Now())
	}
}

// most returns the most calls in any second.
func (a *arrivals) most() (most int) {
	for i, first := range a.at {
		n := 0
		for _, at := range a.at[i:] {
			if at.Sub(first) < time.Second {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// However many callers there are, whatever the sizes of their batches and however long a request takes to arrive and to
// be answered, no second sees more calls than the rate; and the rate is used.
func TestRate(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{1, 2.5, 7, 25} {
		synctest.Test(t, func(t *testing.T) {
			r, seen := endpoint.NewRate(rate, endpoint.Clock{}), new(arrivals)
			begin := time.Now()
			var all sync.WaitGroup
			total := 0
			rng := rand.New(rand.NewPCG(1, uint64(rate))) //nolint:gosec // it must be repeatable
			for range 60 {
				calls := 1 + rng.IntN(r.Most(12))
				there, back := rng.IntN(300), rng.IntN(300)
				total += calls
				all.Go(func() {
					answered, err := r.Begin(t.Context(), calls)
					if err != nil {
						t.Error(err)
						return
					}
					defer answered()
					time.Sleep(time.Duration(there) * time.Millisecond)
					seen.add(calls)
					time.Sleep(time.Duration(back) * time.Millisecond)
				})
			}
			all.Wait()
			if most := seen.most(); float64(most) > rate || len(seen.at) != total {
				t.Errorf("rate %g: %d calls in a second, %d of %d calls", rate, most, len(seen.at), total)
			}
			// A request takes up to 0.6 s, and one in flight may keep another from filling the second.
			if took, slowest := time.Since(begin).Seconds(), 4*float64(total)/rate+5; took > slowest {
				t.Errorf("rate %g: %d calls took %g s, more than %g", rate, total, took, slowest)
			}
		})
	}
}

// A caller that gives up leaves no slot behind, and a request that never comes back holds only its own.
func TestRate_GivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := endpoint.NewRate(2, endpoint.Clock{})
		hangs, err := r.Begin(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := r.Begin(short, 2); !errors.Is(err, endpoint.ErrBusy) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("two calls beside one that hangs: %v", err)
		}
		answered, err := r.Begin(t.Context(), 1)
		if err != nil {
			t.Fatalf("the other slot: %v", err)
		}
		answered()
		hangs()
		hangs() // counts once
		began := time.Now()
		if _, err := r.Begin(t.Context(), 2); err != nil || time.Since(began) != time.Second {
			t.Errorf("both slots after %s: %v", time.Since(began), err)
		}
		if _, err := r.Begin(t.Context(), 3); err == nil {
			t.Error("three calls in one request at a rate of two")
		}
	})
}

func TestRate_None(t *testing.T) {
	t.Parallel()
	r := endpoint.NewRate(0, endpoint.Clock{})
	answered, err := r.Begin(t.Context(), 1_000_000)
	if err != nil || r.Most(50) != 50 {
		t.Fatal(err)
	}
	answered()
}

// TestRate_Strangers: whatever strangers ask for, they have a fifth of the rate, and others are not kept waiting.
func TestRate_Strangers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := endpoint.NewRate(20, endpoint.Clock{})
		ask := func(ctx context.Context) time.Duration {
			began := time.Now()
			answered, err := r.Begin(ctx, 1)
			if err != nil {
				t.Error(err)
				return 0
			}
			defer answered()
			time.Sleep(100 * time.Millisecond)
			return time.Since(began)
		}
		var strangers sync.WaitGroup
		for range 40 {
			strangers.Go(func() { ask(chain.AsStranger(t.Context())) })
		}
		began := time.Now()
		for range 9 {
			if took := ask(t.Context()); took > 150*time.Millisecond {
				t.Errorf("a call of our own took %s among those of strangers", took)
			}
		}
		strangers.Wait()
		if took := time.Since(began); took < 9*time.Second || took > 12*time.Second {
			t.Errorf("forty requests of strangers took %s", took)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := r.Begin(chain.AsStranger(gone), 1); !errors.Is(err, endpoint.ErrBusy) {
			t.Errorf("a stranger who has left: %v", err)
		}
		time.Sleep(time.Second)
		ask(chain.AsStranger(t.Context())) // his turn was given back
	})
}
