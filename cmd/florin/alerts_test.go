package main_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// prometheus is a running Prometheus with the alerts of deploy/.
type prometheus struct{ url string }

var waits = regexp.MustCompile(`(?m)^( +for:) .*$`)

// startPrometheus scrapes the address with the alerts of deploy/, each without its wait: promtool tests those.
func startPrometheus(t *testing.T, address string) *prometheus {
	t.Helper()
	program, err := exec.LookPath("prometheus")
	if err != nil {
		t.Fatalf(".ci/install-programs installs Prometheus: %v", err)
	}
	dir := t.TempDir()
	for _, name := range []string{"florin.rules.yml", "alerts.rules.yml"} {
		rules := testkit.ReadFile(t, "../../deploy/prometheus/"+name)
		write(t, dir, name, waits.ReplaceAllString(string(rules), "$1 0s"))
	}
	whole := testkit.ReadFile(t, "../../deploy/prometheus/prometheus.yml")
	text := strings.ReplaceAll(string(whole), "127.0.0.1:9100", address)
	text = strings.Replace(text, "scrape_interval: 15s", "scrape_interval: 1s\n  evaluation_interval: 1s", 1)
	p := &prometheus{url: "http://" + freeAddress(t)}
	cmd := exec.CommandContext(t.Context(), program, "--config.file="+write(t, dir, "prometheus.yml", text),
		"--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+strings.TrimPrefix(p.url, "http://"))
	var out lockedText
	cmd.Stdout, cmd.Stderr = &out, &out
	testkit.Must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait()
	})
	eventually(t, "Prometheus", func() bool {
		res, err := http.Get(p.url + "/-/ready")
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
	return p
}

// query returns the labels of the result of an expression.
func (p *prometheus) query(t *testing.T, expression string) (list []map[string]string) {
	t.Helper()
	res, err := http.Get(p.url + "/api/v1/query?query=" + url.QueryEscape(expression))
	testkit.Must(t, err)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	testkit.Must(t, err)
	var answer struct {
		Status, Error string
		Data          struct {
			Result []struct{ Metric map[string]string }
		}
	}
	testkit.Must(t, json.Unmarshal(raw, &answer))
	if answer.Status != "success" {
		t.Fatalf("%s: %s", expression, answer.Error)
	}
	for _, r := range answer.Data.Result {
		list = append(list, r.Metric)
	}
	return list
}

// firing lists the alerts that fire, without that of the disk: the machine that runs the tests may have little room.
func (p *prometheus) firing(t *testing.T) (names []string) {
	t.Helper()
	for _, labels := range p.query(t, `ALERTS{alertstate="firing",alertname!="FlorinDiskLow"}`) {
		names = append(names, labels["alertname"])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// await waits until the alerts that fire are these.
func (p *prometheus) await(t *testing.T, names ...string) {
	t.Helper()
	var last []string
	defer func() {
		if t.Failed() {
			t.Logf("firing: %v, want %v", last, names)
		}
	}()
	eventually(t, "the alerts "+strings.Join(names, ", "), func() bool {
		last = p.firing(t)
		return slices.Equal(last, names)
	})
}

// dashboardQueries are the queries of the dashboard as Grafana sends them.
func dashboardQueries(t *testing.T) (list []string) {
	t.Helper()
	raw := testkit.ReadFile(t, "../../deploy/grafana/florin.json")
	var d struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	testkit.Must(t, json.Unmarshal(raw, &d))
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			list = append(list, strings.ReplaceAll(target.Expr, "$__rate_interval", "1m"))
		}
	}
	return list
}

// unseen are metrics that a server without a backup and without days of sweeping does not have.
var unseen = []string{
	"florin_gas_runway_days", "florin_backup_timestamp_seconds", "florin_replication_slot_active",
	"florin_replication_slot_lag_bytes",
}

var metricName = regexp.MustCompile(`\b(florin|process|go)_[a-z_]*[a-z]`)

// namesMetrics fails if the text names a metric that was not scraped.
func (s scraped) namesMetrics(t *testing.T, what, text string) {
	t.Helper()
	for _, name := range metricName.FindAllString(text, -1) {
		if s.families[strings.TrimSuffix(name, "_bucket")] == nil && !slices.Contains(unseen, name) {
			t.Errorf("%s names %s, which is no metric", what, name)
		}
	}
}

// unmeasured are queries without a result: how long gas lasts is known only after days of sweeping.
var unmeasured = []string{"florin_gas_runway_days"}

// watchOutage lets a Prometheus watch the shop, whose metrics are at the address: each query of the dashboard has a
// result, no alert fires while all is well, and the right one in each outage.
func (s *shop) watchOutage(t *testing.T, address string) {
	t.Helper()
	_, recipient := keyOfAge(t)
	s.must(t, "", "backup", filepath.Join(t.TempDir(), "backup.age"), "--recipient", recipient)
	p := startPrometheus(t, address)
	for _, query := range dashboardQueries(t) {
		if !slices.ContainsFunc(unmeasured, func(name string) bool { return strings.Contains(query, name) }) {
			eventually(t, query, func() bool { return len(p.query(t, query)) > 0 })
		}
	}
	p.await(t)
	s.start(t, "BASE", "USDT", 500) // an idle network is read every few minutes only
	testkit.Must(t, s.chains[2].Close())
	p.await(t, "FlorinNetworkUnreadable") // after two minutes
	if status, log := s.stop(t, syscall.SIGTERM); status != 0 {
		t.Errorf("status %d: %s", status, log)
	}
	p.await(t, "FlorinDown")
	s.server = s.serve(t)
	eventually(t, "the end of the alert", func() bool { return !slices.Contains(p.firing(t), "FlorinDown") })
}
