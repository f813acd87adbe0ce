package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

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
