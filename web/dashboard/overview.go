package dashboard

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/web/session"
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

func (d *Surface) getOverview(c echo.Context, who session.Principal) error {
	ctx, now, ids := c.Request().Context(), d.Shell.Now(), who.KeyIDs()
	p := dashboard.OverviewProps{Frame: d.Frame(c, who, "Overview", shell.HomePath)}
	first := now.UTC().Truncate(oneDay).AddDate(0, 0, 1-chartDays)
	days, err := d.Reports.Days(ctx, ids, first)
	if err != nil {
		return err
	}
	p.Chart, p.Count = chartOf(days, first)
	p.Volume = volumeOf(days).Display()
	if p.Lists, err = d.lists(ctx, ids); err != nil {
		return err
	}
	activity, err := d.Reports.Activity(ctx, ids, now.Add(-runwayDays*oneDay))
	if err != nil {
		return err
	}
	houses, err := d.houses(ctx, who)
	if err != nil {
		return err
	}
	for _, h := range houses {
		own, err := d.Reports.Activity(ctx, []int64{h.key.ID}, now.Add(-runwayDays*oneDay))
		if err != nil {
			return err
		}
		p.Keys = append(p.Keys, balanceOf(h, own.Started, now))
	}
	locked, err := d.Merchants.Locked(ctx, who.Membership.Merchant.ID)
	if err != nil {
		return err
	}
	if p.Waiting, err = d.waitingRows(ctx, who); err != nil {
		return err
	}
	p.Steps = stepsOf(who, houses, activity, locked)
	p.Alerts, err = d.alerts(ctx, houses, now)
	if err != nil {
		return err
	}
	return d.Show(c, http.StatusOK, p.Frame, dashboard.Overview(p))
}

// house is a key with its custodian.
type house struct {
	key       merchant.Key
	balance   ledger.Balance
	custodian merchant.Custodian
	has       bool // it has a custodian
}

func (d *Surface) houses(ctx context.Context, who session.Principal) ([]house, error) {
	var all []house
	for _, k := range who.Keys {
		h := house{key: k}
		var err error
		if h.balance, err = d.Merchants.Balance(ctx, k.ID); err != nil {
			return nil, err
		}
		h.custodian, err = d.Merchants.Custodian(ctx, k.ID)
		if err != nil && !errors.Is(err, merchant.ErrNoCustodian) {
			return nil, err
		}
		h.has = err == nil
		all = append(all, h)
	}
	return all, nil
}

// balanceOf estimates how long the credits last at the pace of the last runwayDays,
// or since the key was made, if that is shorter.
func balanceOf(h house, started int64, now time.Time) dashboard.Balance {
	b := dashboard.Balance{
		Label: session.KeyLabel(h.key), KeyID: h.key.PublicID, Credits: h.balance.Credits, Queries: h.balance.Queries,
	}
	if started > 0 {
		days := min(max(int64((now.Sub(h.key.CreatedAt)+oneDay-1)/oneDay), 1), runwayDays)
		b.Runway = dashboard.RunwayText(h.balance.Credits*days/started, days)
	}
	return b
}

func stepsOf(who session.Principal, houses []house, a report.Activity, locked bool) []dashboard.Step {
	any := func(is func(house) bool) bool { return slices.ContainsFunc(houses, is) }
	return []dashboard.Step{
		{Text: "Create an API key", Path: "/dashboard/keys", Done: len(who.Keys) > 0},
		{Text: "Say which wallets your money goes to", Path: "/dashboard/custodian", Done: any(func(h house) bool {
			return len(h.custodian.Wallets) > 0
		})},
		{Text: "Set the address where your shop is notified of payments", Path: "/dashboard/custodian", Done: any(func(h house) bool { return h.custodian.CallbackURL != "" })},
		{Text: "Make the payment page look like yours", Path: "/dashboard/branding", Done: any(func(h house) bool {
			return h.custodian.Name != "" && h.custodian.Branding.PrimaryColor != ""
		})},
		{Text: "Create your first payment", Path: "/dashboard/create", Done: a.Any},
		{Text: "Lock where your money goes (recommended)", Path: "/dashboard/custodian#lock", Done: locked},
		{Text: "Get paid", Path: "/dashboard/payments", Done: a.Paid},
	}
}
