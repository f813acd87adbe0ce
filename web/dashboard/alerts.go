package dashboard

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// alerts list what keeps money from arriving or events from being delivered.
func (d *Surface) alerts(
	ctx context.Context, who session.Principal, houses []house, now time.Time,
) ([]panel.Notice, error) {
	all, err := d.refundAlerts(ctx, who)
	if err != nil {
		return nil, err
	}
	settlement, err := d.settlementAlerts(ctx, who, now)
	if err != nil {
		return nil, err
	}
	all = append(all, settlement...)
	for _, h := range houses {
		at := "?key=" + h.key.PublicID
		shop := shopName(ctx, houses, h)
		if text := d.nowhere(h); text != "" {
			all = append(all, panel.Notice{
				Bad: true, Text: views.T(ctx, text, "Shop", shop),
				Link: "/dashboard/settings/payouts" + at, LinkText: "Enter your wallets",
			})
		}
		if !h.has {
			continue
		}
		switch {
		case d.Merchants.Meter().Affords(h.balance, ledger.Credit) != nil:
			all = append(all, panel.Notice{
				Bad:  true,
				Text: views.T(ctx, "{{.Shop}} has no credits left: your customers cannot start a payment.", "Shop", shop),
				Link: "/dashboard/credits" + at, LinkText: "Buy credits",
			})
		case d.Merchants.Meter().IsLow(h.balance.Credits):
			all = append(
				all,
				panel.Notice{
					Bad:  true,
					Text: views.N(ctx, "{{.Shop}} has only {{.N}} credits left.", int(h.balance.Credits), "Shop", shop),
					Link: "/dashboard/credits" + at, LinkText: "Buy credits",
				},
			)
		}
		all = append(all, d.networkAlerts(ctx, shop, h)...)
		crowded, err := d.Payments.Crowded(ctx, h.key.ID)
		if err != nil {
			return nil, err
		}
		if crowded {
			all = append(all, panel.Notice{
				Text: views.T(ctx, "Somebody opens more payments with the links and donation pages of {{.Shop}} "+
					"than there is room for, and pays none. Your customers can still pay: the oldest give way. "+
					"If it goes on, pause what is abused, and make another one.", "Shop", shop),
				Bad: true, Link: "/dashboard/links", LinkText: "See your links",
			})
		}
		failing, err := d.Reports.FailedDeliveries(ctx, []int64{h.key.ID}, now.Add(-oneDay))
		if err != nil {
			return nil, err
		}
		all = append(all, d.unsent(ctx, who, shop, h, failing.Parked)...)
		if failing.Waiting+failing.GivenUp > 0 {
			all = append(all, panel.Notice{
				Bad:  true,
				Text: failingText(ctx, failing, shop),
				Link: webhooksPath + at, LinkText: "See the answers", Button: sendAgain(who, h.key, now),
			})
		}
	}
	return all, nil
}

// unsent says why nothing is sent to the receiver of a key: there is no callback address any more, or the operator's
// rules refuse it. What is due waits.
func (d *Surface) unsent(
	ctx context.Context, who session.Principal, shop string, h house, parked int64,
) []panel.Notice {
	settings := "/dashboard/settings/webhooks?key=" + h.key.PublicID
	if parked > 0 {
		n := panel.Notice{
			Bad: true,
			Text: views.N(ctx, "{{.N}} webhooks of {{.Shop}} wait for a callback address: there is none.",
				int(parked), "Shop", shop),
			Link: settings, LinkText: "Enter the address",
		}
		if who.Membership.Role.May(merchant.ActWebhooks) {
			n.Button = &panel.Button{
				ID: "stop-" + h.key.PublicID, Text: "Do not send them", Path: webhooksPath + "/stop",
				Inputs: map[string]string{"key": h.key.PublicID},
			}
		}
		return []panel.Notice{n}
	}
	if h.custodian.CallbackURL == "" || d.Webhooks == nil {
		return nil
	}
	refused := fault.Of(d.Webhooks.Refuses(h.custodian.CallbackURL))
	if refused == nil {
		return nil
	}
	return []panel.Notice{{
		Bad: true,
		Text: views.T(ctx, "Webhooks of {{.Shop}} wait: {{.Reason}}", "Shop", shop,
			"Reason", shell.Refusal(views.LocaleOf(ctx), refused, "the callback address")),
		Link: settings, LinkText: "Change the address",
	}}
}

// nowhere says in English why a key takes money on no network; empty if it does.
func (d *Surface) nowhere(h house) string {
	wallets, off := 0, 0
	for _, n := range chain.Networks() {
		if _, ok := d.Payments.Network(n); !ok || h.custodian.Wallets[n] == "" {
			continue
		}
		wallets++
		if o, known := h.custodian.Networks[n]; known && !o.Enabled {
			off++
		}
	}
	switch {
	case wallets == 0:
		return "{{.Shop}} has no wallets, so your customers cannot pay."
	case wallets == off:
		return "{{.Shop}} offers none of its networks, so your customers cannot pay."
	}
	return ""
}

// failedFor is how long ago an event may have happened whose webhook failed in the last day: attempts go on for three.
const failedFor = 5

// sendAgain is the button that sends the failing webhooks of a key again; nil for members who may not.
func sendAgain(who session.Principal, key merchant.Key, now time.Time) *panel.Button {
	if !who.Membership.Role.May(merchant.ActWebhooks) {
		return nil
	}
	since := now.AddDate(0, 0, -failedFor).Format(session.DayFormat)
	return &panel.Button{
		ID: "again-" + key.PublicID, Text: "Send them again", Path: webhooksPath + "/resend",
		Inputs: map[string]string{"key": key.PublicID, "since": since, "back": attentionPath},
	}
}

// shopName is how an alert names a key. A merchant who has only the key that Florin made
// need not know of it.
func shopName(ctx context.Context, houses []house, h house) string {
	if len(houses) == 1 && h.key.Label == session.FirstKeyLabel {
		return views.T(ctx, "Your shop")
	}
	return session.KeyLabel(h.key)
}

// failingText says how many events were not delivered.
func failingText(ctx context.Context, f report.Failing, shop string) string {
	waiting, lost := int(f.Waiting), int(f.GivenUp)
	switch {
	case lost == 0:
		return views.N(ctx, "Webhooks of {{.Shop}} do not arrive: in the last day, {{.N}} failed so far and will be "+
			"tried again.", waiting, "Shop", shop)
	case waiting == 0:
		return views.N(ctx, "Webhooks of {{.Shop}} do not arrive: in the last day, {{.N}} failed for good.", lost,
			"Shop", shop)
	}
	return views.N(ctx, "Webhooks of {{.Shop}} do not arrive: in the last day, {{.Waiting}} failed so far and will be "+
		"tried again, {{.N}} failed for good.", lost, "Shop", shop, "Waiting", views.LocaleOf(ctx).Integer(waiting))
}

// refundAlerts say that refunds wait for the merchant's wallet: their payers have done their part.
func (d *Surface) refundAlerts(ctx context.Context, who session.Principal) ([]panel.Notice, error) {
	n, oldest, err := d.Reports.RefundsToSend(ctx, who.KeyIDs())
	if n == 0 || err != nil {
		return nil, err
	}
	return []panel.Notice{{
		Plain: true,
		Text:  views.N(ctx, "{{.N}} refunds wait for you to send them: your customers have said where to.", int(n)),
		Link:  paymentsPath + "/" + string(oldest) + "#refunds", LinkText: "See details",
	}}, nil
}

// settlementAlerts name the networks whose money has not reached the merchant's wallet.
func (d *Surface) settlementAlerts(ctx context.Context, who session.Principal, now time.Time) ([]panel.Notice, error) {
	left, err := d.Reports.UnsettledOf(ctx, who.KeyIDs(), now, d.Dust)
	var all []panel.Notice
	for _, u := range left {
		network, n := views.NetworkName(string(u.Network)), int(u.Payments)
		text := views.N(ctx, "Money of {{.N}} payments on {{.Network}} has not reached your wallet since {{.Day}}.", n,
			"Network", network, "Day", views.LocaleOf(ctx).DayOfYear(u.Since.In(now.Location())))
		if u.Reason != "" {
			text = views.N(ctx, "Money of {{.N}} payments on {{.Network}} has not reached your wallet: {{.Reason}}.", n,
				"Network", network, "Reason", views.T(ctx, u.Reason))
		}
		all = append(all, panel.Notice{
			Bad: true, Text: text,
			Link: paymentsPath + "/" + string(u.Oldest), LinkText: "See the oldest",
		})
	}
	return all, err
}

func (d *Surface) networkAlerts(ctx context.Context, shop string, h house) []panel.Notice {
	var all []panel.Notice
	var bare []string
	for _, n := range chain.Networks() {
		o, known := h.custodian.Networks[n]
		if _, ok := d.Payments.Network(n); !ok || known && !o.Enabled {
			continue // not a network of this installation, or not one that the merchant wants
		}
		if h.custodian.Wallets[n] == "" {
			bare = append(bare, views.NetworkName(string(n)))
			continue
		}
		if health := d.Payments.Health(n); !health.OK {
			all = append(all, panel.Notice{Bad: true, Text: views.T(ctx,
				"{{.Network}} is not offered to your customers at the moment: {{.Reason}}.",
				"Network", views.NetworkName(string(n)), "Reason", views.T(ctx, health.Reason))})
		}
	}
	if len(bare) == 0 || d.nowhere(h) != "" {
		return all
	}
	add := "Add the wallet"
	if len(bare) > 1 {
		add = "Add the wallets"
	}
	return append(all, panel.Notice{
		Plain: true,
		Text: views.T(ctx, "{{.Shop}} has no wallet on {{.Networks}}, so your customers cannot pay there. "+
			"If you do not want that, untick “Offer it” in Payouts.", "Shop", shop, "Networks", listed(ctx, bare)),
		Link: "/dashboard/settings/payouts?key=" + h.key.PublicID, LinkText: add,
	})
}
