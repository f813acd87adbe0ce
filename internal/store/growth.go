package store

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/florinpay/florin/internal/store/db"
)

const (
	// firstGrowth is how many payments there are when PostgreSQL is first made to look at its tables; later looks are
	// growthFactor apart.
	firstGrowth  = 500
	growthFactor = 10
	// analyzeFor bounds one look, which reads a sample.
	analyzeFor = time.Minute
)

// growing are the tables that grow with the payments.
const growing = "payments, routes, deposits, events, feed, deliveries, delivery_attempts, ledger_entries, sales"

// growth has PostgreSQL look at tables that have grown: until it knows, it plans every statement for empty tables, at a
// third of the rate, and its own look may come a minute later. Its zero value is ready for use.
type growth struct {
	seen    atomic.Int64 // payments at the last look
	running sync.WaitGroup
}

// note takes the number of a new payment.
func (g *growth) note(number int64, analyze func()) {
	seen := g.seen.Load()
	if number < max(firstGrowth, seen*growthFactor) || !g.seen.CompareAndSwap(seen, number) {
		return
	}
	g.running.Go(analyze)
}

// grown takes the number of a new payment.
func (s *Store) grown(number int64) {
	if !s.db.Dialect().ManyWriters {
		return
	}
	s.growth.note(number, func() {
		ctx, cancel := context.WithTimeout(context.Background(), analyzeFor)
		defer cancel()
		if err := s.analyze(ctx); err != nil {
			s.log.Warn("PostgreSQL could not look at its grown tables, and may be slow until it does", "error", err)
		}
	})
}

func (s *Store) analyze(ctx context.Context) error {
	_, err := s.db.Reader().NewRaw("ANALYZE " + growing).Exec(ctx)
	return db.Wrap(err, "look at the tables")
}
