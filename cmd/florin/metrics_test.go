package main_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/florinpay/florin/internal/testkit"
)

// freeAddress returns an address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	return net.JoinHostPort("127.0.0.1", testkit.MustPort(t))
}

// scraped holds the metrics as Prometheus reads them.
type scraped struct {
	families map[string]*dto.MetricFamily
	text     string
}

func scrape(t *testing.T, address string) scraped {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/metrics", nil)
	testkit.Must(t, err)
	res, err := http.DefaultClient.Do(req)
	testkit.Must(t, err)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK ||
		!strings.HasPrefix(res.Header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Fatalf("scrape: %s %q %v", res.Status, res.Header.Get("Content-Type"), err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatalf("the metrics are not in the text format: %v", err)
	}
	return scraped{families, string(raw)}
}

// value returns the one metric that has the name and all the labels, given as name and value in turn. Of a histogram it
// is the number of observations. ok is false if there is none.
func (s scraped) value(name string, labels ...string) (v float64, ok bool) {
	for _, m := range s.families[name].GetMetric() {
		has := make(map[string]string)
		for _, l := range m.GetLabel() {
			has[l.GetName()] = l.GetValue()
		}
		same := true
		for i := 0; i < len(labels); i += 2 {
			same = same && has[labels[i]] == labels[i+1]
		}
		if same {
			count := float64(m.GetHistogram().GetSampleCount())
			return m.GetCounter().GetValue() + m.GetGauge().GetValue() + count, true
		}
	}
	return 0, false
}

// secretLooking matches what no label may contain: payments, keys, addresses, hashes.
var secretLooking = regexp.MustCompile(`flk_|whsec_|0x[0-9a-fA-F]{8}|"[0-9A-HJKMNP-TV-Z]{26}"|@example`)

// afterPayment lists the metrics once a payment on Polygon is completed and swept.
var afterPayment = []metric{
	{"florin_sweeps_ended_total", []string{"network", "POLYGON", "state", "CONFIRMED"}, 1, 1},
	{"florin_payment_changes_total", []string{"state", "PENDING", "network", "none"}, 1, 1},
	{"florin_payment_changes_total", []string{"state", "STARTED", "network", "POLYGON"}, 1, 1},
	{"florin_payment_changes_total", []string{"state", "COMPLETED", "network", "POLYGON"}, 1, 1},
	{"florin_deposits_total", []string{"state", "seen", "network", "POLYGON"}, 1, 1},
	{"florin_deposits_total", []string{"state", "credited", "network", "POLYGON"}, 1, 1},
	{"florin_webhook_attempts_total", []string{"outcome", "delivered"}, 1, 1},
	{"florin_webhook_attempts_total", []string{"outcome", "given_up"}, 0, 0},
	{"florin_block_to_webhook_seconds", []string{"network", "POLYGON"}, 1, 1},
	{"florin_webhook_oldest_due_seconds", nil, 0, 0},
	{"florin_network_up", []string{"network", "BASE"}, 1, 1},
	{"florin_network_head", []string{"network", "POLYGON"}, 3, 1e6},
	{"florin_network_scanned", []string{"network", "POLYGON"}, 3, 1e6},
	{"florin_network_final", []string{"network", "POLYGON"}, 3, 1e6},
	{"florin_network_lag_seconds", []string{"network", "BEP20"}, 0, 30},
	{"florin_network_endpoints", []string{"network", "BEP20"}, 1, 1},
	{"florin_network_endpoints_healthy", []string{"network", "BEP20"}, 1, 1},
	{"florin_network_endpoint_requests_total", []string{"network", "BEP20"}, 5, 1e9},
	{"florin_network_endpoint_errors_total", []string{"network", "BEP20"}, 0, 1e3},
	{"florin_rpc_calls_today", []string{"network", "POLYGON", "method", "eth_getLogs"}, 1, 1e9},
	{"florin_rpc_calls_month", []string{"network", "POLYGON"}, 1, 1e12},
	{"florin_gas_balance_coins", []string{"network", "POLYGON"}, 0.5, 1},
	{"florin_sweeps_waiting", []string{"network", "POLYGON"}, 0, 0},
	{"florin_sweep_in_flight_age_seconds", []string{"network", "POLYGON"}, 0, 0},
	{"florin_sweep_in_flight", []string{"network", "POLYGON", "state", "SENT"}, 0, 0},
	{"florin_ledger_differences", nil, 0, 0},
	{"florin_ledger_checked_timestamp_seconds", nil, 1.7e9, 1e11},
	{"florin_database_up", nil, 1, 1},
	{"florin_alert", []string{"kind", "gas_out"}, 0, 0},
	{"florin_http_requests_total", []string{"route", "/orders/:txnid", "method", "GET", "status", "200"}, 1, 1e4},
	{"florin_http_requests_total", []string{"route", "none", "method", "GET", "status", "404"}, 1, 1},
	{"florin_http_request_seconds", []string{"route", "/create-payment"}, 1, 1},
	{"florin_build_info", []string{"version", testVersion}, 1, 1},
	{"go_goroutines", nil, 5, 1e5},
	{"process_resident_memory_bytes", nil, 1e6, 1e10},
}

// TestMetrics_Payment reads the effect of a payment in the metrics.
func TestMetrics(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	s := openShop(t, append(settling, "FLORIN_METRICS_LISTEN="+address)...)
	s.fundGas(t)
	if status, log := s.stop(t, syscall.SIGTERM); status != 0 || !strings.Contains(log, "http://"+address+"/metrics") {
		t.Errorf("stopping ends with %d: %s", status, log)
	}
	s.server = s.serve(t) // which measures a gas wallet that is full
	polygon := s.chains[1]
	txnid, deposit := s.start(t, "POLYGON", "USDC", 1250)
	page, err := http.Get(s.server.url + "/pay/" + txnid + "/live")
	testkit.Must(t, err)
	defer page.Body.Close()
	if n, _ := scrape(t, address).value("florin_live_streams"); n != 1 { // its answer has begun: it is counted
		t.Errorf("with one open page there are %v", n)
	}
	s.do(t, http.MethodGet, "/nothing/"+s.key, "")
	polygon.pay(t, polygon.token("USDC"), deposit, 1250)
	s.await(t, txnid, "COMPLETED")
	s.awaitWebhook(t, txnid, "completed")
	m := awaitMetrics(t, address, afterPayment)
	if found := secretLooking.FindString(m.text); found != "" || strings.Contains(m.text, txnid) ||
		strings.Contains(m.text, s.key) {
		t.Errorf("the metrics name %q", found)
	}
	m.isBounded(t)
	res, err := http.Get("http://" + address + "/")
	testkit.Must(t, err)
	defer res.Body.Close()
	if res.StatusCode != http.StatusNotFound {
		t.Errorf("the metrics server serves more than metrics: %s", res.Status)
	}
	other := newInstallation(t, "FLORIN_LISTEN=127.0.0.1:0", "FLORIN_METRICS_LISTEN="+address)
	if r := other.run(t, "", "serve"); r.status != 1 || !strings.Contains(r.stderr, "FLORIN_METRICS_LISTEN="+address) ||
		strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("on an address in use: status %d, %q", r.status, r.stderr)
	}
	t.Run("Names", func(t *testing.T) {
		for _, file := range []string{
			"../../deploy/prometheus/florin.rules.yml", "../../deploy/prometheus/alerts.rules.yml",
			"../../deploy/grafana/florin.json",
		} {
			text := testkit.ReadFile(t, file)
			m.namesMetrics(t, file, string(text))
		}
	})
	t.Run("Outage", func(t *testing.T) { s.watchOutage(t, address) })
}

// metric is one that Prometheus must read, and its allowed values.
type metric struct {
	name   string
	labels []string
	least  float64
	most   float64
}

// awaitMetrics scrapes until every metric has its expected value: counters follow the effects they count.
func awaitMetrics(t *testing.T, address string, all []metric) (m scraped) {
	t.Helper()
	var wrong []string
	defer func() {
		for _, text := range wrong {
			t.Error(text)
		}
	}()
	eventually(t, "the metrics", func() bool {
		m, wrong = scrape(t, address), nil
		for _, want := range all {
			if v, ok := m.value(want.name, want.labels...); !ok || v < want.least || v > want.most {
				wrong = append(
					wrong,
					fmt.Sprintf(
						"%s%v is %v (there: %t), want %v to %v", want.name, want.labels, v, ok, want.least, want.most,
					),
				)
			}
		}
		return len(wrong) == 0
	})
	return m
}

// isBounded checks every label of Florin's own metrics against the closed sets.
func (s scraped) isBounded(t *testing.T) {
	t.Helper()
	allowed := map[string]string{
		"network": `BEP20|POLYGON|BASE|SOL|none`, "outcome": `[a-z_]+`, "status": `\d{3}|other`,
		"method": `GET|POST|HEAD|other|eth_[A-Za-z]+|(get|send|simulate|is|minimum)[A-Z][A-Za-z]+`,
		"state":  `[A-Z]+|seen|credited|vanished`, "route": `none|/[a-z0-9/:*-]*`, "version": `.*`, "kind": `[a-z_]+`, "go": `go.*`,
		"loop": `[A-Za-z ]+|(balances|sweeps) of [A-Z0-9]+`,
	}
	for name, family := range s.families {
		if !strings.HasPrefix(name, "florin_") {
			continue
		}
		for _, m := range family.GetMetric() {
			for _, l := range m.GetLabel() {
				pattern, known := allowed[l.GetName()]
				if !known || !regexp.MustCompile(`^(`+pattern+`)$`).MatchString(l.GetValue()) {
					t.Errorf("%s has the label %s=%q", name, l.GetName(), l.GetValue())
				}
			}
		}
	}
}
