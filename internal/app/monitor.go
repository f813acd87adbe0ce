package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/metrics"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/webhook"
)

// monitor serves the metrics on a separate address, which only the operator's network should reach. A nil monitor
// measures nothing.
type monitor struct {
	*metrics.Metrics

	side *side
}

func newMonitor(address, version string, log *slog.Logger) *monitor {
	m := metrics.New(version, Now, log)
	return &monitor{m, newMetricsSide(address, m.Handler(), log)}
}

// count counts the changes of payments.
func (m *monitor) count(s *store.Store) {
	if m != nil {
		s.OnStored(m.Stored)
	}
}

// countWebhooks wraps the store of webhooks to count how attempts end.
func (m *monitor) countWebhooks(s webhook.Store) webhook.Store {
	if m == nil {
		return s
	}
	return m.CountWebhooks(s)
}

// countSweeps wraps the store of sweeps to count how they end.
func (m *monitor) countSweeps(s settlement.Store) settlement.Store {
	if m == nil {
		return s
	}
	return m.CountSweeps(s)
}

// read wraps the reader to measure its endpoints.
func (m *monitor) read(r chain.Reader) chain.Reader {
	if m == nil {
		return r
	}
	return m.Read(r)
}

// webhooks times deliveries.
func (m *monitor) webhooks(send webhook.Send) webhook.Send {
	if m == nil {
		return send
	}
	return m.Webhooks(send)
}

// answered returns the function that counts requests; nil without metrics.
func (m *monitor) answered() func(route, method string, status int, took time.Duration) {
	if m == nil {
		return nil
	}
	return m.Answered
}

// observe registers what the metrics read from the built program.
func (m *monitor) observe(a *App) {
	if m == nil {
		return
	}
	s := metrics.Sources{
		Health: a.networks.Health, Sweeping: a.networks.Sweeping, Streams: a.server.Streams,
		Alerts: a.countAlerts,
		Ages: func() map[string]time.Duration {
			ages := make(map[string]time.Duration)
			for _, l := range a.loops.ages() {
				ages[l.Name] = l.Age
			}
			return ages
		},
		Store: a.Store, Reports: a.Store.Reports(), Dust: a.Config.SweepDust,
		Reading:   a.networks.Reading,
		Rates:     a.rates.Report,
		Endpoints: func(n chain.Network) []chain.EndpointHealth { return a.networks[n].reader.Endpoints() },
	}
	for _, l := range a.networks.inOrder() {
		s.Networks = append(s.Networks, l.Profile.Network)
	}
	m.Look(s)
}

// listen listens on the address.
func (m *monitor) listen(ctx context.Context) error {
	if m == nil {
		return nil
	}
	return m.side.listen(ctx)
}

// run serves until ctx ends.
func (m *monitor) run(ctx context.Context) error {
	if m == nil {
		return nil
	}
	return m.side.run(ctx)
}

// loops verify the ledger in the background.
func (m *monitor) loops(s *store.Store) []loop {
	if m == nil {
		return nil
	}
	return []loop{{
		name: "ledger", every: metrics.VerifyEvery, within: ledger.CheckLimit, failed: "the ledger could not be verified",
		turn: func(ctx context.Context) error { return m.Verify(ctx, s) },
	}}
}

// close releases the address of a program that never ran.
func (m *monitor) close() {
	if m != nil {
		m.side.close()
	}
}
