package chain_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// shared is a store that two instances add to, and that can fail.
type sharedCalls struct {
	calls map[chain.Calls]int64 // with Count 0
	fail  bool
}

var errDown = errors.New("the database is down")

func (s *sharedCalls) AddCalls(ctx context.Context, calls []chain.Calls, forget string) error {
	if s.fail {
		return errDown
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, c := range calls {
		n := c.Count
		c.Count = 0
		s.calls[c] += n
	}
	for c := range s.calls {
		if c.Day < forget {
			delete(s.calls, c)
		}
	}
	return nil
}

func (s *sharedCalls) CallsSince(_ context.Context, day string) ([]chain.Calls, error) {
	if s.fail {
		return nil, errDown
	}
	var list []chain.Calls
	for c, n := range s.calls {
		if c.Day >= day {
			c.Count = n
			list = append(list, c)
		}
	}
	return list, nil
}

func TestMeter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 6, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	store := &sharedCalls{calls: make(map[chain.Calls]int64)}
	open := func() *chain.Meter { return chain.NewMeter(store, clock, slog.New(slog.DiscardHandler)) }
	one, two := open(), open()
	flush := func(m *chain.Meter, want error) {
		t.Helper()
		if err := m.Flush(t.Context()); !errors.Is(err, want) {
			t.Fatalf("flush: %v, want %v", err, want)
		}
	}
	total := func(m *chain.Meter, want int64) {
		t.Helper()
		if got := chain.TotalCalls(m.Today(chain.Base)); got != want {
			t.Errorf("%d calls today, want %d", got, want)
		}
	}
	one.Counter(chain.Base)("a.example", "eth_getLogs")
	two.Counter(chain.Base)("a.example", "eth_getLogs")
	two.Counter(chain.Base)("b.example", "eth_chainId")
	two.Counter(chain.Polygon)("b.example", "eth_chainId")
	total(one, 1)
	store.fail = true
	flush(one, errDown)
	total(one, 1) // kept
	store.fail = false
	flush(one, nil)
	flush(two, nil)
	flush(one, nil)
	total(one, 3)
	total(open(), 0)
	again := open() // after a restart
	flush(again, nil)
	total(again, 3)
	if by := chain.ByEndpoint(again.Today(chain.Base)); by["a.example"] != 2 || by["b.example"] != 1 {
		t.Errorf("by endpoint: %v", by)
	}
	if month := again.Month(chain.Base); month != int64(3*4*chain.DaysOfMonth) {
		t.Errorf("a month of three calls in six hours: %d", month)
	}
	now = now.Add(24 * time.Hour)
	total(again, 0)
	if month := again.Month(chain.Base); month != int64(3/1.25*chain.DaysOfMonth) {
		t.Errorf("a month of three calls in thirty hours: %d", month)
	}
}

// What was counted last is stored when the meter ends, and a database that is down then does not make the program fail.
func TestMeter_End(t *testing.T) {
	t.Parallel()
	for _, down := range []bool{false, true} {
		store := &sharedCalls{calls: make(map[chain.Calls]int64), fail: down}
		m := chain.NewMeter(store, time.Now, slog.New(slog.DiscardHandler))
		m.Counter(chain.Base)("a.example", "eth_getLogs")
		if m.Store(t.Context()); len(store.calls) == 0 != down {
			t.Errorf("database down: %v; stored %v", down, store.calls)
		}
	}
}
