package main_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/testkit"
)

// TestRules: promtool accepts the rules, and the cases show when each of them fires.
func TestRules(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Fatalf(".ci/install-programs installs Prometheus, with promtool: %v", err)
	}
	for _, args := range [][]string{
		{"check", "config", "prometheus.yml"},
		{"check", "rules", "florin.rules.yml", "alerts.rules.yml"},
		{"test", "rules", "florin.rules.test.yml"},
	} {
		cmd := exec.Command(promtool, args...)
		cmd.Dir = "prometheus"
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
	cases := read(t, "prometheus/florin.rules.test.yml")
	rules := documents(t, "prometheus/florin.rules.yml")[0].at("groups", 0, "rules")
	list, _ := rules.v.([]any)
	if len(list) == 0 {
		t.Fatal("there are no rules")
	}
	for i := range list {
		rule := rules.at(i)
		name, _ := rule.at("alert").v.(string)
		if !strings.Contains(cases, `alertname="`+name+`"`) {
			t.Errorf("no case shows that %s fires", name)
		}
		for _, x := range []node{rule.at("annotations", "summary"), rule.at("annotations", "description")} {
			if text, _ := x.v.(string); text == "" {
				t.Errorf("%s lacks a summary, or a description that says what to do", name)
			}
		}
	}
}

// TestRules_Alerts: each kind of alert has a rule, which says when it begins and how urgent it is.
func TestRules_Alerts(t *testing.T) {
	t.Parallel()
	rules := documents(t, "prometheus/alerts.rules.yml")[0].at("groups", 0, "rules")
	for i, kind := range alert.Kinds() {
		rule := rules.at(i)
		rule.at("expr").is(t, "the condition", `max by (job) (florin_alert{kind="`+string(kind)+`"}) > 0`)
		rule.at("labels", "severity").is(t, "the severity of "+string(kind), kind.Severity())
		if text, _ := rule.at("annotations", "description").v.(string); !strings.HasPrefix(text, "Begins when ") {
			t.Errorf("%s is described as %q", kind, text)
		}
	}
}

// TestDashboard: panels do not overlap, and each has a title, a description and queries of the chosen data source.
func TestDashboard(t *testing.T) {
	t.Parallel()
	var d struct {
		Panels []struct {
			ID                       int
			Type, Title, Description string
			GridPos                  struct{ X, Y, W, H int }
			Targets                  []struct {
				Expr       string
				Datasource struct{ UID string }
			}
		}
	}
	testkit.Must(t, json.Unmarshal([]byte(read(t, "grafana/florin.json")), &d))
	taken, ids := map[[2]int]string{}, map[int]bool{}
	for _, p := range d.Panels {
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("%s lies over %q at %d, %d", p.Title, other, x, y)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
		if ids[p.ID] {
			t.Errorf("two panels have the id %d", p.ID)
		}
		ids[p.ID] = true
		if p.Type == "row" {
			continue
		}
		if p.Title == "" || p.Description == "" || len(p.Targets) == 0 {
			t.Errorf("the panel %d %q has no title, description or query", p.ID, p.Title)
		}
		for _, target := range p.Targets {
			if target.Datasource.UID != "${datasource}" || target.Expr == "" {
				t.Errorf("%s: %+v", p.Title, target)
			}
		}
	}
	if len(d.Panels) < 20 {
		t.Errorf("there are %d panels", len(d.Panels))
	}
}
