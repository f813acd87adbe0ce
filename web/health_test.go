package web

import (
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/recharge"
	docspages "github.com/florinpay/florin/web/docs"
)

// A part of the program that does not get on is named; the rest is not.
func TestHealth_Loops(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.server.ReportLoops(func() []Loop {
		return []Loop{{"expiry", 90 * time.Second, 76 * time.Second}, {"webhooks", time.Second, time.Minute}}
	})
	got := b.ask("GET", "/health", "")
	if got.status != 200 || got.text(t, "status") != "degraded" ||
		!strings.Contains(got.body, `"loops":[{"name":"expiry","ageSeconds":90,"boundSeconds":76}]`) {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	got := b.ask("GET", "/health", "")
	for path, want := range map[string]string{
		"status": "ok", "reason": "null", "database": "ok", "version": "test", "networks.BEP20.status": "ok",
		"networks.BEP20.head":    "1010",
		"networks.POLYGON.final": "1000", "networks.BASE.lagSeconds": "2", "networks.SOL.status": "off",
		"rechargeApiKey.status": "off",
	} {
		if value := got.text(t, path); value != want {
			t.Errorf("%s is %s, want %s", path, value, want)
		}
	}
	if !strings.Contains(got.text(t, "rechargeApiKey.reason"), "treasury") {
		t.Errorf("it is not said why nothing is sold: %s", got.body)
	}
	for ready, want := range map[error]string{nil: "ok", fault.New(fault.Unavailable, "BEP20 is behind"): "degraded"} {
		b.recharges.Service = recharge.New(b.store.Settlement(),
			&recharge.Network{Treasury: merchantWallet, Ready: func() error { return ready }}, b.clock.Now,
			slog.New(slog.DiscardHandler))
		got := b.ask("GET", "/health", "")
		if got.text(t, "rechargeApiKey.status") != want ||
			(got.text(t, "rechargeApiKey.reason") == "") != (ready == nil) || got.text(t, "status") != "ok" {
			t.Errorf("with %v: %s", ready, got.body)
		}
	}
	must(t, b.store.Close())
	time.Sleep(pingKept + 50*time.Millisecond)
	if got := b.ask("GET", "/health", ""); got.status != 503 || got.text(t, "status") != "down" ||
		got.text(t, "database") != "down" {
		t.Errorf("without a database: %d %s", got.status, got.body)
	}
}

// TestHealth_Alerts: anybody may read the alerts of networks, and none that names a merchant.
func TestHealth_Alerts(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	if got := b.ask("GET", "/health", ""); strings.Contains(got.body, `"alerts"`) {
		t.Errorf("there are alerts: %s", got.body)
	}
	b.server.ReportAlerts(func() []alert.Alert {
		return []alert.Alert{
			{Since: b.clock.Now(), Condition: alert.Condition{
				Kind: alert.WebhooksDead, Subject: "key_1", Title: "Webhooks do not arrive", Text: "ada@shop.example",
			}},
			{Since: b.clock.Now(), Condition: alert.Condition{
				Kind: alert.GasLow, Subject: "POLYGON", Title: "Low", Text: "It is low.",
				Advice: "Send POL.", Public: true,
			}},
		}
	})
	got := b.ask("GET", "/health", "")
	if !strings.Contains(got.body, `"alerts":[{"kind":"gas_low","subject":"POLYGON","title":"Low","detail":"It is low.","advice":"Send POL."`) {
		t.Errorf("the alert of the gas wallet is not there: %s", got.body)
	}
	if strings.Contains(got.body, "shop.example") {
		t.Errorf("a merchant is named: %s", got.body)
	}
}

// Every field of GET /health is documented, at any depth.
func TestOpenAPI_Health(t *testing.T) {
	t.Parallel()
	d, err := newBundle(t).server.docs.OpenAPI()
	must(t, err)
	checked := 0
	var check func(of reflect.Type, s docspages.Schema, path string)
	check = func(of reflect.Type, s docspages.Schema, path string) {
		switch s = resolved(d, s); of.Kind() {
		case reflect.Pointer:
			check(of.Elem(), s, path)
		case reflect.Slice:
			if s.Items == nil {
				t.Errorf("%s is no list of anything", path)
				return
			}
			check(of.Elem(), *s.Items, path+"[]")
		case reflect.Map:
			if s.Values == nil {
				t.Errorf("%s has no schema of its values", path)
				return
			}
			check(of.Elem(), *s.Values, path+".*")
		case reflect.Struct:
			for i := range of.NumField() {
				name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
				if name == "" {
					continue // a moment, which is a text
				}
				checked++
				field, ok := s.Properties[name]
				if !ok || field.Description == "" && field.Ref == "" {
					t.Errorf("%s.%s is not documented", path, name)
					continue
				}
				check(of.Field(i).Type, field, path+"."+name)
			}
		}
	}
	check(reflect.TypeFor[healthReport](), d.Components.Schemas["Health"], "Health")
	if checked < 30 {
		t.Errorf("only %d fields were checked", checked)
	}
}

func resolved(d *docspages.Document, s docspages.Schema) docspages.Schema {
	if s.Ref == "" {
		return s
	}
	return d.Components.Schemas[strings.TrimPrefix(s.Ref, docspages.SchemaPrefix)]
}

// set changes what is known of a network.
func (l *testNetworks) set(n chain.Network, change func(*payment.Health)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.health[n]
	change(&h)
	l.health[n] = h
}

// TestHealth_Networks: what an operator must know of a network that can be read: how old its
// final block is, that one endpoint's word is all there is, and how many payments are set aside.
func TestHealth_Networks(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.networks.set(chain.BEP20, func(h *payment.Health) { h.Endpoints = 1 })
	b.networks.set(chain.Polygon, func(h *payment.Health) { h.Endpoints, h.FinalAge = 2, 83*time.Second })
	b.networks.set(chain.Base, func(h *payment.Health) { h.SetAside = 3 })
	got := b.ask("GET", "/health", "")
	for path, want := range map[string]string{
		"status": "degraded", "networks.BEP20.status": "ok", "networks.POLYGON.status": "ok",
		"networks.BEP20.note":    "one endpoint: no second one confirms what it reports and calls final",
		"networks.POLYGON.note":  "null",
		"networks.BASE.status":   "degraded",
		"networks.BASE.setAside": "3", "networks.BASE.reason": "3 payments cannot be read and are tried again",
		"networks.POLYGON.finalAgeSeconds": "83", "networks.BEP20.finalAgeSeconds": "0",
	} {
		if value := got.text(t, path); value != want {
			t.Errorf("%s is %q, want %q", path, value, want)
		}
	}
	if got.status != http.StatusOK {
		t.Errorf("status %d: the other payments are served", got.status)
	}
	b.networks.set(chain.Base, func(h *payment.Health) { h.OK, h.Reason = false, "it is slow" })
	if reason := b.ask("GET", "/health", "").text(t, "networks.BASE.reason"); reason != "it is slow" {
		t.Errorf("a network that cannot be read at all gives the reason %q", reason)
	}
}

// TestHealth_NothingFinal: a final block that is not known has no age.
func TestHealth_NothingFinal(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.networks.set(chain.Base, func(h *payment.Health) {
		h.OK, h.Stalled, h.Reason, h.Final = false, true, "this network is confirming slowly", chain.Head{}
	})
	got := b.ask("GET", "/health", "")
	for path, want := range map[string]string{
		"networks.BASE.status": "degraded", "networks.BASE.reason": "this network is confirming slowly",
		"networks.BASE.finalAgeSeconds": "null", "networks.POLYGON.finalAgeSeconds": "0",
	} {
		if value := got.text(t, path); value != want {
			t.Errorf("%s is %q, want %q", path, value, want)
		}
	}
}

// TestOperator_SetAside: the operator sees which payment cannot be read, whose it is and why,
// until it is read.
func TestOperator_SetAside(t *testing.T) {
	t.Parallel()
	b, root := rootDashboard(t)
	m := b.shop(b.member(ownerEmail))
	p := b.newPayment(m)
	failed := watch.SetAside{
		Network: chain.Polygon, PaymentID: p.ID, From: 4711, Since: b.clock.Now(), Attempts: 2, NextAt: b.clock.Now(),
		Reason: "two endpoints disagree",
	}
	must(t, b.store.SaveSetAside(t.Context(), failed))
	b.clock.advance(time.Minute)
	root.get("/operator").wants(t, 200, "Endpoints of Polygon disagree, or payments there cannot be read.",
		"1 payment cannot be read and will be tried again", "Two endpoints disagree.")
	root.get("/operator/problems").wants(t, 200, "Payment "+string(p.ID)+" of "+ownerEmail+
		" cannot be read on Polygon", "(2 attempts): two endpoints disagree.", "from block 4711 on")
	must(t, b.store.DeleteSetAside(t.Context(), failed))
	b.clock.advance(time.Minute)
	if r := root.get("/operator/problems"); strings.Contains(r.body, string(p.ID)) {
		t.Error("it is shown after it was read")
	}
}

// TestHealth_OneVoice: endpoints of one provider are named in the note of their network.
func TestHealth_OneVoice(t *testing.T) {
	t.Parallel()
	b := newDashboard(t, func(d *Deps, _ *Options) {
		d.Dashboard.Endpoints = func(n chain.Network) []chain.EndpointHealth {
			list := []chain.EndpointHealth{{Name: "a.example", Voice: "a"}, {Name: "a.example#2", Voice: "a"}}
			if n == chain.Base {
				list = append(list, chain.EndpointHealth{Name: "b.example", Voice: "b"})
			}
			return list
		}
	})
	b.networks.set(chain.BEP20, func(h *payment.Health) { h.Endpoints = 1 })
	got := b.ask("GET", "/health", "")
	const shared = "a.example and a.example#2 are one provider and count as one endpoint"
	for path, want := range map[string]string{
		"networks.BASE.note":  shared,
		"networks.BEP20.note": "one endpoint: no second one confirms what it reports and calls final; " + shared,
	} {
		if value := got.text(t, path); value != want {
			t.Errorf("%s is %q, want %q", path, value, want)
		}
	}
}

// TestHealth_Learnt: what was learnt of an endpoint is in the report, with its name and no more of its address.
func TestHealth_Learnt(t *testing.T) {
	t.Parallel()
	b := newDashboard(t, func(d *Deps, _ *Options) {
		d.Dashboard.Endpoints = func(n chain.Network) []chain.EndpointHealth {
			if n != chain.Base {
				return []chain.EndpointHealth{{Name: "plain.example", Healthy: true}}
			}
			return []chain.EndpointHealth{
				{Name: "rpc.example", Learnt: []string{"logs: 5 blocks", "unknown tag: safe"}},
			}
		}
	})
	got := b.ask("GET", "/health", "")
	want := `"endpoints":[{"name":"rpc.example","learnt":["logs: 5 blocks","unknown tag: safe"]}]`
	if !strings.Contains(got.body, want) {
		t.Errorf("%s lacks %s", got.body, want)
	}
	if strings.Contains(got.body, "plain.example") {
		t.Errorf("%s names an endpoint of which nothing was learnt", got.body)
	}
}
