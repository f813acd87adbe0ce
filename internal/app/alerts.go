package app

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/audit"
)

// alertSources returns where the state of the installation is read from, for alerts, pages and GET /health alike.
func (a *App) alertSources() alert.Sources {
	return alert.Sources{
		Network: a.networks.Network, Health: a.networks.Health, Endpoints: a.networks.endpoints,
		Reading: a.networks.Reading, Sweeping: a.networks.Sweeping, Rates: a.rates.Report,
		Disk: a.disk.look(a.Config.DatabaseURL.Reveal()),
		Stored: func(ctx context.Context, now time.Time) (alert.Stored, error) {
			return a.Store.Reports().Alerts(ctx, now, a.Config.SweepDust)
		},
	}
}

// newAlerts returns what notifies the operator.
func (a *App) newAlerts(holder string) *alert.Monitor {
	return alert.NewMonitor(alert.MonitorOptions{
		Store: a.Store.Alerts(), Observe: a.alertSources().Observe, Channels: alert.Channels{
			Mail: a.Config.OperatorMail, Hook: !a.Config.OperatorHook.Empty(), Page: a.Config.BaseURL + "/operator",
		},
		Works: a.Store.Works, Send: a.send,
		Check: func(ctx context.Context) error { return a.checker.Ask(ctx, audit.Act{Who: "Florin, once a day"}) },
		Checked: func(ctx context.Context) (time.Time, error) {
			last, _, err := a.Store.LedgerCheck(ctx)
			return last.AskedAt, err
		},
		Certificates: a.certificates, Holder: holder, Now: a.clock.Now,
		NewID: func() string { return "ntc_" + newULID(a.clock.Now()) }, Log: a.log,
	})
}

// countAlerts counts the alerts that the operator is notified of, by kind.
func (a *App) countAlerts() map[string]int {
	counts := make(map[string]int)
	for _, kind := range alert.Kinds() {
		counts[string(kind)] = 0
	}
	for _, x := range a.alerts.Current() {
		counts[string(x.Kind)]++
	}
	return counts
}
