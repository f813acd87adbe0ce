package metrics

import (
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/florinpay/florin/internal/chain"
)

// Metrics holds all metrics.
type Metrics struct {
	registry *prometheus.Registry
	now      func() time.Time
	log      *slog.Logger
	latency  *latencyTracker

	payments  *prometheus.CounterVec
	reorgs    prometheus.Counter
	deposits  *prometheus.CounterVec
	attempts  *prometheus.CounterVec
	sweeps    *prometheus.CounterVec
	requests  *prometheus.CounterVec
	took      *prometheus.HistogramVec
	toWebhook *prometheus.HistogramVec
	ledger    ledgerState
}

// Buckets in seconds. A webhook should be sent within a quarter of a second after its block; a response takes some
// milliseconds.
var (
	webhookBuckets = []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15, 60}
	requestBuckets = []float64{.001, .005, .025, .1, .25, 1, 5, 30}
)

// New returns metrics without sources.
func New(version string, now func() time.Time, log *slog.Logger) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(), now: now, log: log, latency: newLatencyTracker(),
		payments: counter("payment_changes_total", "Payments that came into a state.", "network", "state"),
		reorgs: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "florin_payment_reorgs_total", Help: "Completed payments whose money vanished from the chain.",
		}),
		deposits:  counter("deposits_total", "Deposits that were seen, credited (final by the network's rule), or vanished.", "network", "state"),
		attempts:  counter("webhook_attempts_total", "Attempts to deliver a webhook.", "outcome"),
		sweeps:    counter("sweeps_ended_total", "Sweeps that ended.", "network", "state"),
		requests:  counter("http_requests_total", "Answered requests.", "route", "method", "status"),
		took:      histogram("http_request_seconds", "Time until a request was answered.", requestBuckets, "route"),
		toWebhook: histogram("block_to_webhook_seconds", "From first sight of the head that made a payment final to the first attempt at its webhook.", webhookBuckets, "network"),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "florin_build_info", Help: "Always 1; the labels are the versions of Florin and Go.",
		ConstLabels: prometheus.Labels{"version": version, "go": runtime.Version()},
	})
	build.Set(1)
	m.registry.MustRegister(build, m.payments, m.reorgs, m.deposits, m.attempts, m.sweeps, m.requests, m.took,
		m.toWebhook, &m.ledger,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.begin()
	return m
}

// begin creates the counters that alerts use before anything is counted: a rate
// over a counter that starts at 1 misses the first event.
func (m *Metrics) begin() {
	for _, outcome := range outcomes {
		m.attempts.WithLabelValues(outcome)
	}
	for _, n := range chain.Networks() {
		for _, state := range sweepEnds {
			m.sweeps.WithLabelValues(string(n), string(state))
		}
	}
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "florin_" + name, Help: help}, labels)
}

func histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "florin_" + name, Help: help, Buckets: buckets},
		labels)
}

const (
	// scrapeLimit bounds one scrape; Prometheus gives up after ten seconds
	// by default.
	scrapeLimit = 8 * time.Second
	// scrapesAtOnce: two servers may scrape at the same moment, no more need to.
	scrapesAtOnce = 2
)

// Handler serves the metrics in the formats of Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog:      slog.NewLogLogger(m.log.Handler(), slog.LevelWarn),
		ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: scrapesAtOnce, Timeout: scrapeLimit,
	})
}

// Answered counts an answered request. route is the pattern it matched, empty
// for none; route and method must be of closed sets.
func (m *Metrics) Answered(route, method string, status int, took time.Duration) {
	if route == "" {
		route = "none"
	}
	m.requests.WithLabelValues(route, method, statusText(status)).Inc()
	m.took.WithLabelValues(route).Observe(took.Seconds())
}

// statusText keeps to the statuses that HTTP has.
func statusText(status int) string {
	if http.StatusText(status) == "" {
		return "other"
	}
	return strconv.Itoa(status)
}
