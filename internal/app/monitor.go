package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/metrics"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/webhook"
)

// monitor serves the metrics on a separate address, which only the operator's network should reach. A nil monitor
// measures nothing.
type monitor struct {
	*metrics.Metrics

	address  string
	server   *http.Server
	listener net.Listener
	log      *slog.Logger
}

// Timeouts of the metrics server, whose only client is Prometheus.
const (
	metricsReadTimeout  = 5 * time.Second
	metricsWriteTimeout = 15 * time.Second // longer than a scrape may take
	metricsIdleTimeout  = 2 * time.Minute  // longer than the usual pause between scrapes
	metricsHeaderBytes  = 8 << 10
	scrapeWithin        = 2 * time.Second // how long a scrape may go on when the program stops
)

func newMonitor(address, version string, log *slog.Logger) *monitor {
	m := &monitor{Metrics: metrics.New(version, Now, log), address: address, log: log}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.Handler())
	m.server = &http.Server{
		Handler: mux, ReadHeaderTimeout: metricsReadTimeout, ReadTimeout: metricsReadTimeout,
		WriteTimeout: metricsWriteTimeout, IdleTimeout: metricsIdleTimeout, MaxHeaderBytes: metricsHeaderBytes,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	return m
}

// count wraps the store to count its transactions.
func (m *monitor) count(s *store.Store) metrics.Store {
	if m == nil {
		return s
	}
	return m.Count(s)
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

// posts wraps the sender to time deliveries.
func (m *monitor) posts(s *webhook.Sender) webhook.Posts {
	if m == nil {
		return s
	}
	return m.Posts(s)
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
		Store: a.Store, Reports: a.Store.Reports(), Dust: a.Config.SweepDust,
		Reading:   a.networks.Reading,
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
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", m.address)
	if err != nil {
		return fmt.Errorf("listen on FLORIN_METRICS_LISTEN=%s: %w", m.address, err)
	}
	m.listener = l
	m.log.Info("metrics are served", "url", "http://"+l.Addr().String()+"/metrics")
	return nil
}

// run serves and verifies the ledger in the background until ctx ends.
func (m *monitor) run(ctx context.Context, s *store.Store) error {
	if m == nil {
		return nil
	}
	group, working := errgroup.WithContext(ctx)
	group.Go(func() error { m.Verify(working, sinceLastProof{s}); return nil })
	group.Go(func() error {
		if err := m.server.Serve(m.listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve metrics: %w", err)
		}
		return nil
	})
	group.Go(func() error {
		<-working.Done()
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), scrapeWithin)
		defer cancel()
		if m.server.Shutdown(end) != nil {
			return m.server.Close()
		}
		return nil
	})
	return group.Wait()
}

// close releases the address of a program that never ran.
func (m *monitor) close() {
	if m != nil && m.listener != nil {
		_ = m.listener.Close()
	}
}

// sinceLastProof verifies what came after the last proof of the ledger, which is kept: every few hours, whatever its
// length. Once a day and by command everything is verified.
type sinceLastProof struct{ *store.Store }

// VerifyLedger is ProveLedger.
func (s sinceLastProof) VerifyLedger(ctx context.Context) (entries int64, differences []string, err error) {
	r, err := s.ProveLedger(ctx, Now())
	return r.Entries, r.Differences, err
}
