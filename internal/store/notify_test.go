package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
)

// hear returns a channel of the changes that the store reports, and listens
// until the test ends.
func hear(t *testing.T, s *store.Store) <-chan payment.ID {
	t.Helper()
	heard := make(chan payment.ID, 100)
	s.OnChange(func(id payment.ID) { heard <- id })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Listen(ctx, func() {}) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("listen: %v", err)
		}
	})
	return heard
}

// next waits for the next change; "none" if there is none in time.
func next(heard <-chan payment.ID, patience time.Duration) payment.ID {
	select {
	case id := <-heard:
		return id
	case <-time.After(patience):
		return "none"
	}
}

const patience = time.Minute

func TestStore_OnChange(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(2, 0)
		heard := hear(t, w.Store)
		if w.ManyWriters() {
			if id := next(heard, patience); id != "" {
				t.Fatalf("heard %q before anything", id)
			}
		}
		p := w.NewStarted(k)
		if id := next(heard, patience); id != p.ID {
			t.Errorf("heard %q of %q", id, p.ID)
		}
		// changes nothing
		w.Update(p.ID, storetest.StartOn(chain.Polygon, money.USDC, storetest.Start))
		w.Update(p.ID, storetest.StartOn(chain.Base, money.USDC, storetest.Start))
		if id := next(heard, patience); id != p.ID {
			t.Errorf("heard %q of %q", id, p.ID)
		}
		if id := next(heard, 50*time.Millisecond); id != "none" {
			t.Errorf("heard %q of nothing", id)
		}
	})
}

// On PostgreSQL every instance hears of every change, also after its
// connection was lost.
func TestStore_Listen_Others(t *testing.T) {
	t.Parallel()
	url := storetest.PostgreSQL(t)
	w := newWorld(t, storetest.Open(t, url), url)
	other := storetest.Open(t, url)
	heard := hear(t, other)
	if id := next(heard, patience); id != "" {
		t.Fatalf("heard %q first", id)
	}
	p := w.NewStarted(w.NewKey(1, 0))
	if id := next(heard, patience); id != p.ID {
		t.Errorf("heard %q of %q", id, p.ID)
	}
	_, err := w.SQL().Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND query LIKE 'LISTEN%'`)
	w.Must(err)
	if id := next(heard, patience); id != "" {
		t.Errorf("heard %q when the connection was lost", id)
	}
	w.Update(p.ID, storetest.StartOn(chain.Base, money.USDC, storetest.Start))
	if id := next(heard, patience); id != p.ID {
		t.Errorf("heard %q of %q after the loss", id, p.ID)
	}
}
