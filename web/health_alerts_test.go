package web

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/alert"
)

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
