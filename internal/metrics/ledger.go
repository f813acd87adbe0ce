package metrics

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// verifyEvery is how often the book of credits is added up: it reads the whole
// of it, and a mistake in it is none that a minute matters for.
const verifyEvery = 6 * time.Hour

var (
	ledgerDifferences = desc("ledger_differences", "What did not agree when the book of credits was last added up.")
	ledgerCheckedAt   = desc("ledger_checked_timestamp_seconds", "When the book of credits was last added up.")
)

// bookState is how the book of credits was found. It collects nothing until it
// was looked at once.
type bookState struct {
	mu          sync.Mutex
	at          time.Time
	differences int
}

// Describe names what is collected.
func (b *bookState) Describe(ch chan<- *prometheus.Desc) {
	ch <- ledgerDifferences
	ch <- ledgerCheckedAt
}

// Collect tells how the book was found.
func (b *bookState) Collect(ch chan<- prometheus.Metric) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.at.IsZero() {
		return
	}
	ch <- prometheus.MustNewConstMetric(ledgerDifferences, prometheus.GaugeValue, float64(b.differences))
	ch <- prometheus.MustNewConstMetric(ledgerCheckedAt, prometheus.GaugeValue, float64(b.at.UnixMilli())/1000)
}

// Verifier adds up the book of credits.
type Verifier interface {
	VerifyLedger(ctx context.Context) (entries int64, differences []string, err error)
}

// Verify adds up the book of credits at once and then every few hours, until
// ctx ends.
func (m *Metrics) Verify(ctx context.Context, v Verifier) {
	tick := time.NewTicker(verifyEvery)
	defer tick.Stop()
	for {
		m.verify(ctx, v)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (m *Metrics) verify(ctx context.Context, v Verifier) {
	_, differences, err := v.VerifyLedger(ctx)
	if err != nil {
		if ctx.Err() == nil {
			m.log.Warn("the book of credits could not be added up", "error", err)
		}
		return
	}
	if len(differences) > 0 {
		m.log.Error("the book of credits does not agree with itself; see `florin verify-ledger`", "differences", len(differences), "first", differences[0])
	}
	m.book.mu.Lock()
	defer m.book.mu.Unlock()
	m.book.at, m.book.differences = m.now(), len(differences)
}
