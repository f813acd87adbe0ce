package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/webhook"
)

// alertSources returns where the state of the installation is read from, for alerts, pages and GET /health alike.
func (a *App) alertSources() alert.Sources {
	return alert.Sources{
		Network: a.networks.Network, Health: a.networks.Health, Endpoints: a.networks.endpoints,
		Reading: a.networks.Reading, Sweeping: a.networks.Sweeping,
		Stored: func(ctx context.Context, now time.Time) (alert.Stored, error) {
			return a.Store.Reports().Alerts(ctx, now, a.Config.SweepDust)
		},
	}
}

// newAlerts returns what notifies the operator.
func (a *App) newAlerts(o Options, holder string) *alert.Monitor {
	return alert.NewMonitor(alert.MonitorOptions{
		Store: a.Store.Alerts(), Observe: a.alertSources().Observe, Channels: a.channels(o),
		Check: func(ctx context.Context) error { return a.checker.Ask(ctx, "Florin, once a day") },
		Checked: func(ctx context.Context) (time.Time, error) {
			last, _, err := a.Store.LedgerCheck(ctx)
			return last.AskedAt, err
		},
		Certificates: a.certificates, Holder: holder, Now: a.clock.Now,
		NewID: func() string { return "ntc_" + newULID(a.clock.Now()) }, Log: a.log,
	})
}

// channels returns the configured ways to the operator.
func (a *App) channels(o Options) []alert.Channel {
	var list []alert.Channel
	page := a.Config.BaseURL + "/operator"
	if send := a.mailer(o); send != nil {
		for _, to := range a.Config.OperatorMail {
			list = append(list, alert.Channel{
				Name: "mail to " + to,
				Send: func(ctx context.Context, n alert.Notice) error {
					return send(ctx, to, "[Florin] "+n.Subject(), n.Message(page))
				},
			})
		}
	}
	if !a.Config.OperatorHook.Empty() {
		list = append(list, a.operatorHook(page))
	}
	return list
}

// operatorHook sends notices to the operator's webhook. The address is the operator's own, so it may be private.
func (a *App) operatorHook(page string) alert.Channel {
	sender := webhook.NewSender(webhook.Options{AllowPrivate: true, Now: a.clock.Now})
	var keys []secret.Text
	if !a.Config.OperatorHookKey.Empty() {
		keys = []secret.Text{a.Config.OperatorHookKey}
	}
	return alert.Channel{Name: "webhook", Send: func(ctx context.Context, n alert.Notice) error {
		body, err := n.Body(page)
		if err != nil {
			return err
		}
		result := sender.Send(ctx, webhook.Delivery{
			EventID: n.ID, URL: a.Config.OperatorHook.Reveal(), Body: body, SigningSecrets: keys,
		})
		if state, _ := webhook.Decide(0, result, 0); state == webhook.Delivered {
			return nil
		}
		if result.Attempt.Error != "" {
			return errors.New(result.Attempt.Error)
		}
		return fmt.Errorf("the receiver answered %d", result.Attempt.Status)
	}}
}
