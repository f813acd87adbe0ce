package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

const (
	// chartDays is how many days the overview shows.
	chartDays = 30
	// recentRows is how many payments it shows.
	recentRows = 8
	// runwayDays is how many days the use of credits is measured over.
	runwayDays = 7
	oneDay     = 24 * time.Hour
)

func (d *desk) getOverview(c echo.Context, v visitor) error {
	ctx, now, ids := c.Request().Context(), d.d.Now(), v.ids()
	p := dashboard.OverviewProps{Frame: d.frame(c, v, "Overview", shell.HomePath)}
	first := now.UTC().Truncate(oneDay).AddDate(0, 0, 1-chartDays)
	days, err := d.x.Reports.Days(ctx, ids, first)
	if err != nil {
		return err
	}
	p.Chart, p.Count = chartOf(days, first)
	p.Volume = volumeOf(days).Display()
	if p.Lists, err = d.lists(ctx, ids); err != nil {
		return err
	}
	activity, err := d.x.Reports.Activity(ctx, ids, now.Add(-runwayDays*oneDay))
	if err != nil {
		return err
	}
	houses, err := d.houses(ctx, v)
	if err != nil {
		return err
	}
	for _, h := range houses {
		own, err := d.x.Reports.Activity(ctx, []int64{h.key.ID}, now.Add(-runwayDays*oneDay))
		if err != nil {
			return err
		}
		p.Keys = append(p.Keys, balanceOf(h, own.Started, now))
	}
	p.Steps = stepsOf(v, houses, activity)
	p.Alerts, err = d.alerts(ctx, houses, now)
	if err != nil {
		return err
	}
	return d.show(c, http.StatusOK, p.Frame, dashboard.Overview(p))
}

// house is a key with what belongs to it.
type house struct {
	key       merchant.Key
	balance   ledger.Balance
	custodian merchant.Custodian
	has       bool // it has a custodian
}

func (d *desk) houses(ctx context.Context, v visitor) ([]house, error) {
	var all []house
	for _, k := range v.keys {
		h := house{key: k}
		var err error
		if h.balance, err = d.d.Accounts.Balance(ctx, k.ID); err != nil {
			return nil, err
		}
		h.custodian, err = d.d.Accounts.Custodian(ctx, k.ID)
		if err != nil && !errors.Is(err, merchant.ErrNoCustodian) {
			return nil, err
		}
		h.has = err == nil
		all = append(all, h)
	}
	return all, nil
}

// labelOf is what a key is called in front of its owner.
func labelOf(k merchant.Key) string {
	if k.Label != "" {
		return k.Label
	}
	return "Key of " + k.CreatedAt.UTC().Format("2 Jan 2006")
}

// balanceOf says how long the credits last at the pace of the last days, or of
// the days since there is the key, which may be fewer.
func balanceOf(h house, started int64, now time.Time) dashboard.Balance {
	b := dashboard.Balance{Label: labelOf(h.key), KeyID: h.key.PublicID, Credits: h.balance.Credits, Queries: h.balance.Queries}
	if started > 0 {
		days := min(max(int64((now.Sub(h.key.CreatedAt)+oneDay-1)/oneDay), 1), runwayDays)
		b.Runway = dashboard.RunwayText(h.balance.Credits*days/started, days)
	}
	return b
}

func stepsOf(v visitor, houses []house, a report.Activity) []dashboard.Step {
	any := func(is func(house) bool) bool { return slices.ContainsFunc(houses, is) }
	return []dashboard.Step{
		{Text: "Create an API key", Path: "/dashboard/keys", Done: len(v.keys) > 0},
		{Text: "Say which wallets your money goes to", Path: "/dashboard/custodian", Done: any(func(h house) bool { return len(h.custodian.Wallets) > 0 })},
		{Text: "Set the address where your shop is told of payments", Path: "/dashboard/custodian", Done: any(func(h house) bool { return h.custodian.CallbackURL != "" })},
		{Text: "Make the payment page look like yours", Path: "/dashboard/branding", Done: any(func(h house) bool {
			return h.custodian.Name != "" && h.custodian.Branding.PrimaryColor != ""
		})},
		{Text: "Create your first payment", Path: "/dashboard/create", Done: a.Any},
		{Text: "Get paid", Path: "/dashboard/payments", Done: a.Paid},
	}
}

// alerts say what keeps money from coming in, or events from going out.
func (d *desk) alerts(ctx context.Context, houses []house, now time.Time) ([]panel.Notice, error) {
	var all []panel.Notice
	for _, h := range houses {
		at := "?key=" + h.key.PublicID
		switch {
		case !h.has:
			all = append(all, panel.Notice{Bad: true, Text: labelOf(h.key) + " has no custodian, so no payment can be created with it.", Link: "/dashboard/custodian" + at, LinkText: "Set it up"})
			continue
		case h.balance.Credits <= 0:
			all = append(all, panel.Notice{Bad: true, Text: labelOf(h.key) + " has no credits left: your customers cannot start a payment.", Link: "/dashboard/credits" + at, LinkText: "Buy credits"})
		case ledger.IsLow(h.balance.Credits):
			all = append(all, panel.Notice{Bad: true, Text: fmt.Sprintf("%s has only %d credits left.", labelOf(h.key), h.balance.Credits), Link: "/dashboard/credits" + at, LinkText: "Buy credits"})
		}
		all = append(all, d.networkAlerts(h)...)
		failing, err := d.x.Reports.FailedDeliveries(ctx, []int64{h.key.ID}, now.Add(-oneDay))
		if err != nil {
			return nil, err
		}
		if text := failingText(failing); text != "" {
			all = append(all, panel.Notice{Bad: true, Text: "Webhooks of " + labelOf(h.key) + " do not arrive: in the last day, " + text + ".", Link: "/dashboard/webhooks" + at, LinkText: "See why"})
		}
	}
	return all, nil
}

// failingText says how many events a receiver did not take; empty for none.
func failingText(f report.Failing) string {
	var parts []string
	if f.Waiting > 0 {
		parts = append(parts, strconv.FormatInt(f.Waiting, 10)+" failed so far and will be tried again")
	}
	if f.GivenUp > 0 {
		parts = append(parts, strconv.FormatInt(f.GivenUp, 10)+" failed for good")
	}
	return strings.Join(parts, ", ")
}

func (d *desk) networkAlerts(h house) []panel.Notice {
	var all []panel.Notice
	var bare []string
	for _, n := range chain.Networks() {
		if _, ok := d.d.Payments.Network(n); !ok {
			continue
		}
		if h.custodian.Wallets[n] == "" {
			bare = append(bare, views.NetworkName(string(n)))
			continue
		}
		if health := d.d.Payments.Health(n); !health.OK {
			all = append(all, panel.Notice{Bad: true, Text: views.NetworkName(string(n)) + " is not offered to your customers at the moment: " + health.Reason + "."})
		}
	}
	if len(bare) == 0 {
		return all
	}
	last := len(bare) - 1
	names, what := bare[last], "it is"
	if last > 0 {
		names, what = strings.Join(bare[:last], ", ")+" and "+bare[last], "these are"
	}
	return append(all, panel.Notice{
		Plain: true, Text: labelOf(h.key) + " has no wallet on " + names + ", so " + what + " not offered to your customers.",
		Link: "/dashboard/custodian?key=" + h.key.PublicID, LinkText: "Add one",
	})
}

func volumeOf(days []report.Day) money.Micros {
	var sum money.Micros
	for _, x := range days {
		sum += x.Volume
	}
	return sum
}

// chartOf lays the sums out by day, with days on which nothing came in.
func chartOf(days []report.Day, first time.Time) (dashboard.Chart, int64) {
	var c dashboard.Chart
	var networks []chain.Network
	for _, n := range append(chain.Networks(), "") {
		if slices.ContainsFunc(days, func(x report.Day) bool { return x.Network == n }) {
			networks = append(networks, n)
			name := "By hand, no network"
			if n != "" {
				name = views.NetworkName(string(n))
			}
			c.Networks = append(c.Networks, name)
		}
	}
	var total int64
	for i := range chartDays {
		x := dashboard.ChartDay{Day: first.AddDate(0, 0, i), Parts: make([]int64, len(networks)), Each: make([]string, len(networks))}
		var volume money.Micros
		for j, n := range networks {
			var part money.Micros
			for _, y := range days {
				if y.Network == n && y.Day.Equal(x.Day) {
					part, x.Count = y.Volume, x.Count+y.Count
				}
			}
			x.Parts[j], x.Each[j] = int64(part), part.Display()
			volume += part
		}
		x.Volume, x.Micros = volume.Display(), int64(volume)
		total += x.Count
		c.Days = append(c.Days, x)
	}
	return c, total
}
