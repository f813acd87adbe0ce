package metrics

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/florinpay/florin/internal/store"
)

// VerifyEvery is the interval of ledger checks: a check reads every entry, and a difference is not urgent.
const VerifyEvery = 6 * time.Hour

var (
	ledgerDifferences = desc("ledger_differences", "Differences that the last verification of the ledger found.")
	ledgerCheckedAt   = desc("ledger_checked_timestamp_seconds", "When the ledger was last verified.")
)

// ledgerState is the result of the last verification. It collects nothing before
// the first.
type ledgerState struct {
	mu          sync.Mutex
	at          time.Time
	differences int
}

// Describe names the metrics.
func (b *ledgerState) Describe(ch chan<- *prometheus.Desc) {
	ch <- ledgerDifferences
	ch <- ledgerCheckedAt
}

// Collect returns the result.
func (b *ledgerState) Collect(ch chan<- prometheus.Metric) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.at.IsZero() {
		return
	}
	ch <- prometheus.MustNewConstMetric(ledgerDifferences, prometheus.GaugeValue, float64(b.differences))
	ch <- prometheus.MustNewConstMetric(ledgerCheckedAt, prometheus.GaugeValue, float64(b.at.UnixMilli())/1000)
}

// Verify verifies what came after the last check of the ledger, which is kept: every few hours, whatever its length.
// Once a day and by command everything is verified.
func (m *Metrics) Verify(ctx context.Context, s *store.Store) error {
	result, err := s.VerifyNews(ctx, m.now())
	if err != nil {
		return err
	}
	if len(result.Differences) > 0 {
		m.log.Error("the ledger does not agree with itself; see `florin verify-ledger`",
			"differences", len(result.Differences), "first", result.Differences[0])
	}
	m.ledger.mu.Lock()
	defer m.ledger.mu.Unlock()
	m.ledger.at, m.ledger.differences = m.now(), len(result.Differences)
	return nil
}
