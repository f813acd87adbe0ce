package web

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/recharge"
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
