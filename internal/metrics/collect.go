package metrics

import (
	"context"
	"math/big"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/report"
)

// Sources are what a scrape reads. Everything is required and safe for concurrent
// use.
type Sources struct {
	Networks  []chain.Network // those that are on
	Health    func(chain.Network) payment.Health
	Endpoints func(chain.Network) []chain.EndpointHealth
	// Reading returns what reading a network costs.
	Reading func(chain.Network) (chain.CallReport, bool)
	// Sweeping returns the status of sweeping a network; ok is false where nothing
	// is swept.
	Sweeping func(chain.Network) (st settlement.Status, ok bool)
	Streams  func() int // live pages that are open
	Rates    func() exchange.Report
	// Alerts returns how many alerts of each kind the operator is notified of now, of every kind.
	Alerts func() map[string]int
	// Ages returns for how long each loop of the program has not turned, by name.
	Ages    func() map[string]time.Duration
	Store   *store.Store
	Reports *report.Reader
	Dust    money.Micros // smaller deposits wait for more
}

// Look makes every scrape read the sources. Call it once.
func (m *Metrics) Look(s Sources) { m.registry.MustRegister(present{s, m}) }

// present collects the state at the moment of a scrape.
type present struct {
	Sources
	m *Metrics
}

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("florin_"+name, help, labels, nil)
}

var (
	networkUp       = desc("network_up", "1 while the network is offered to payers.", "network")
	networkHead     = desc("network_head", "Number of the newest block read.", "network")
	networkFinal    = desc("network_final", "Number of the newest block that is final by the network's rule.", "network")
	networkScanned  = desc("network_scanned", "Number of the newest block whose money is taken in.", "network")
	networkLag      = desc("network_lag_seconds", "Age of the newest block when it was read.", "network")
	networkFinalAge = desc("network_final_age_seconds", "How much older the final block is than the newest one.", "network")
	networkSetAside = desc("payments_set_aside", "Payments that cannot be read on the network and are tried again.", "network")
	endpoints       = desc("network_endpoints", "RPC endpoints that are configured.", "network")
	healthy         = desc("network_endpoints_healthy", "RPC endpoints that are in use.", "network")
	asked           = desc("network_endpoint_requests_total", "Requests to all RPC endpoints of the network.", "network")
	erred           = desc("network_endpoint_errors_total", "Requests to RPC endpoints that failed.", "network")

	gasBalance   = desc("gas_balance_coins", "Native coins in the gas wallet.", "network")
	callsToday   = desc("rpc_calls_today", "Calls to the endpoints since midnight UTC, by all instances.", "network", "method")
	callsMonth   = desc("rpc_calls_month", "Calls to the endpoints that a month comes to, if it goes on as now.", "network")
	budgetSpent  = desc("rpc_budget_spent_percent", "How much of its budget of today the endpoint that is nearest to it has spent.", "network")
	gasRunway    = desc("gas_runway_days", "Days the gas wallet lasts at what sweeping costs at present; absent until measured.", "network")
	gasCost      = desc("gas_cost_per_payment_coins", "Native coins it costs to sweep one payment, measured; absent until measured.", "network")
	sweepWaiting = desc("sweeps_waiting", "1 while sweeps wait for gas, its price or the network.", "network")
	sweepFlying  = desc("sweep_in_flight", "Sweeps in flight in each state.", "network", "state")
	sweepAge     = desc("sweep_in_flight_age_seconds",
		"Since when the sweep in flight is planned; 0 when there is none.", "network")

	rateUSD       = desc("rate_usd", "What one unit of a currency or token is worth in USD; absent while there is no rate.", "currency")
	rateAge       = desc("rate_source_age_seconds", "How old what a source says of a currency is.", "currency", "source")
	rateSpread    = desc("rate_spread_percent", "How far the sources of a currency are apart.", "currency")
	rateDisagreed = desc("rate_disagreed_timestamp_seconds",
		"Moment at which the sources of a currency were last more than 1 % apart; absent if they never were.", "currency")

	alerts       = desc("alert", "Alerts of the kind that the operator is notified of now, of the whole installation.", "kind")
	loopAge      = desc("loop_age_seconds", "How long ago the loop of the program last turned.", "loop")
	streams      = desc("live_streams", "Open pages that are kept up to date.")
	databaseUp   = desc("database_up", "1 while the database answers and takes writes.")
	oldestDue    = desc("webhook_oldest_due_seconds", "For how long the oldest webhook that is due has waited; 0 when none is.")
	stuckWebhook = desc("webhooks_overdue", "Webhooks that are due for more than five minutes.")
	backupAt     = desc("backup_timestamp_seconds", "Moment of the newest backup that florin backup or backup.sh has written; absent without one.")
	slotLag      = desc("replication_slot_lag_bytes", "What PostgreSQL keeps of its log for the slot; absent without one.", "slot")
	slotActive   = desc("replication_slot_active", "1 while somebody receives through the slot; absent without one.", "slot")
	unswept      = desc("deposits_unswept_old", "Deposits that are final for more than 36 hours and not swept, dust apart.")
	dust         = desc("deposits_dust", "The same that are worth less than moving them costs; they wait for more.")
)

// Describe names the metrics.
func (p present) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		networkUp, networkHead, networkFinal, networkScanned, networkLag, networkFinalAge, networkSetAside,
		endpoints, healthy, asked, erred, callsToday, callsMonth, budgetSpent,
		gasBalance, gasRunway, gasCost, sweepWaiting, sweepFlying, sweepAge, alerts, loopAge, streams, databaseUp,
		backupAt,
		slotLag, slotActive, oldestDue, stuckWebhook, rateUSD, rateAge, rateSpread, rateDisagreed,
		unswept, dust,
	} {
		ch <- d
	}
}

// Collect reads the sources. Those that fail are left out.
func (p present) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeLimit/2)
	defer cancel()
	s := scrape{present: p, ctx: ctx, ch: ch, now: p.m.now()}
	s.gauge(streams, float64(p.Streams()))
	for kind, n := range p.Alerts() {
		s.gauge(alerts, float64(n), kind)
	}
	for name, age := range p.Ages() {
		s.gauge(loopAge, age.Seconds(), name)
	}
	s.rates()
	up := p.Store.Works(ctx) == nil
	s.gauge(databaseUp, oneIf(up))
	for _, n := range p.Networks {
		s.network(n)
		s.endpoints(n)
		s.reading(n)
		s.gas(n)
		if up {
			s.inFlight(n)
		}
	}
	if up {
		s.stuck()
	}
}

// scrape is one scrape.
type scrape struct {
	present
	ctx context.Context //nolint:containedctx // of one scrape, which it lives for
	ch  chan<- prometheus.Metric
	now time.Time
}

func (s scrape) gauge(d *prometheus.Desc, v float64, labels ...string) {
	s.ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

// rates reports what is known of currencies, and nothing that is not of now.
func (s scrape) rates() {
	r := s.Rates()
	for _, l := range r.Lines {
		if !l.DisagreedAt.IsZero() {
			s.gauge(rateDisagreed, float64(l.DisagreedAt.Unix()), l.Of)
		}
		if !r.Fresh(s.now) {
			continue
		}
		if l.Rate > 0 {
			s.gauge(rateUSD, float64(l.Rate)/exchange.RateScale, l.Of)
		}
		s.gauge(rateSpread, float64(l.Spread)/100, l.Of)
		for _, x := range l.Sources {
			if x.Problem == "" {
				s.gauge(rateAge, x.Age.Seconds(), l.Of, x.Name)
			}
		}
	}
}

func (s scrape) reading(n chain.Network) {
	r, ok := s.Reading(n)
	if !ok {
		return
	}
	for method, calls := range chain.ByMethod(r.Today) {
		s.gauge(callsToday, float64(calls), network(n), method)
	}
	s.gauge(callsMonth, float64(r.Month), network(n))
	s.gauge(budgetSpent, float64(r.Spent), network(n))
}

func (s scrape) network(n chain.Network) {
	h, label := s.Health(n), network(n)
	s.gauge(networkUp, oneIf(h.OK), label)
	s.gauge(networkScanned, float64(h.Scanned.Number), label)
	if h.FinalKnown() {
		s.gauge(networkFinalAge, h.FinalAge.Seconds(), label)
	}
	s.gauge(networkSetAside, float64(h.SetAside), label)
	// The lag of an unreachable network grows from its newest block read.
	if heads, ok := s.m.latency.last(n); ok {
		s.gauge(networkHead, float64(heads.Latest.Number), label)
		s.gauge(networkFinal, float64(heads.Final.Number), label)
		lag := h.Lag // a network that is read slowly, because nothing is awaited there, is not behind
		if !h.OK {
			lag = s.now.Sub(heads.Latest.Time)
		}
		s.gauge(networkLag, max(lag.Seconds(), 0), label)
	}
}

func (s scrape) endpoints(n chain.Network) {
	var well, requests, errors float64
	list, label := s.Endpoints(n), network(n)
	for _, e := range list {
		well += oneIf(e.Healthy)
		requests += float64(e.Requests)
		errors += float64(e.Errors)
	}
	s.gauge(endpoints, float64(len(list)), label)
	s.gauge(healthy, well, label)
	s.ch <- prometheus.MustNewConstMetric(asked, prometheus.CounterValue, requests, label)
	s.ch <- prometheus.MustNewConstMetric(erred, prometheus.CounterValue, errors, label)
}

func (s scrape) gas(n chain.Network) {
	st, ok := s.Sweeping(n)
	if !ok {
		return
	}
	label := network(n)
	s.gauge(sweepWaiting, oneIf(st.Waiting != ""), label)
	if st.At.IsZero() {
		return
	}
	s.gauge(gasBalance, coins(st.Runway.Wallet.Balance, n), label)
	if st.Runway.Days >= 0 {
		s.gauge(gasRunway, float64(st.Runway.Days), label)
	}
	if !st.Runway.PerItem.IsZero() {
		s.gauge(gasCost, coins(st.Runway.PerItem, n), label)
	}
}

func (s scrape) inFlight(n chain.Network) {
	list, err := s.Store.Settlement().InFlight(s.ctx, n)
	if err != nil {
		s.m.log.Warn("the sweeps in flight could not be measured", "network", n, "error", err)
		return
	}
	label, age, count := network(n), 0.0, make(map[settlement.State]float64)
	for _, w := range list {
		count[w.State]++
		age = max(age, s.now.Sub(w.CreatedAt).Seconds())
	}
	for _, state := range []settlement.State{settlement.Planned, settlement.Signed, settlement.Sent} {
		s.gauge(sweepFlying, count[state], label, string(state))
	}
	s.gauge(sweepAge, age, label)
}

func (s scrape) stuck() {
	if due, ok, err := s.Store.NextDue(s.ctx, s.now); err == nil {
		age := 0.0
		if ok {
			age = max(s.now.Sub(due).Seconds(), 0)
		}
		s.gauge(oldestDue, age)
	}
	if at, err := s.Reports.BackedUpAt(s.ctx); err == nil && !at.IsZero() {
		s.gauge(backupAt, float64(at.UnixMilli())/1000)
	}
	if slots, err := s.Reports.Slots(s.ctx); err == nil {
		for _, x := range slots {
			s.gauge(slotLag, float64(x.Lag), x.Name)
			s.gauge(slotActive, oneIf(x.Active && !x.Lost), x.Name)
		}
	}
	if st, err := s.Reports.Stuck(s.ctx, s.now, s.Dust); err == nil {
		s.gauge(stuckWebhook, float64(st.Deliveries))
		s.gauge(unswept, float64(st.Unswept))
		s.gauge(dust, float64(st.Dust))
	}
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// coins is an amount in whole native coins: Prometheus knows floats only.
func coins(u money.Units, n chain.Network) float64 {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n.CoinDecimals())), nil)
	f, _ := new(big.Rat).SetFrac(u.Big(), scale).Float64()
	return f
}
