package dashboard

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const (
	// usualDays is how many days the overview shows at first, and dailyDays the most
	// of which each day has a bar of its own; beyond, a bar is a week.
	usualDays = 30
	dailyDays = 90
	week      = 7
	// recentRows is how many payments it shows.
	recentRows = 10
	// runwayDays is how many days the use of credits is measured over.
	runwayDays = 7
	oneDay     = 24 * time.Hour
)

func (d *Surface) getOverview(c echo.Context, who session.Principal) error {
	ctx, now, ids := c.Request().Context(), d.now(who), who.KeyIDs()
	p := dashboard.OverviewProps{Frame: d.Frame(c, who, "Overview", shell.HomePath)}
	p.Currency, p.Currencies = currencyOf(who, c.QueryParam("in"))
	if err := d.figures(ctx, &p, ids, rangeOf(c.QueryParam("days")), now); err != nil {
		return err
	}
	var err error
	if p.Lists, err = d.lists(ctx, who); err != nil {
		return err
	}
	activity, err := d.Reports.Activity(ctx, ids)
	if err != nil {
		return err
	}
	houses, err := d.houses(ctx, who)
	if err != nil {
		return err
	}
	for _, h := range houses {
		starts, err := d.Reports.Starts(ctx, h.key.ID, later(h.key.CreatedAt, now.Add(-runwayDays*oneDay)))
		if err != nil {
			return err
		}
		p.Keys = append(p.Keys, balanceOf(ctx, h, starts, now))
	}
	locked, err := d.Merchants.Locked(ctx, who.Membership.Merchant.ID)
	if err != nil {
		return err
	}
	if p.Waiting, err = d.Waiting(ctx, who.Membership.Merchant.ID); err != nil {
		return err
	}
	if p.Setup, err = d.SetUp(c, who); err != nil {
		return err
	}
	if p.May.Pay && d.Cookies.Get(c.Request(), stepsCookie, "hidden") == "" {
		p.Steps = stepsOf(houses, activity, locked)
	}
	if p.Alerts, err = d.alerts(ctx, who, houses, now); err != nil {
		return err
	}
	if p.Odd, err = d.Reports.Attention(ctx, ids); err != nil {
		return err
	}
	return d.Show(c, http.StatusOK, p.Frame, dashboard.Overview(p))
}

// The browser of a member who has hidden the first steps keeps it in a cookie: nobody else's page changes.
const (
	stepsPath   = shell.HomePath + "/steps"
	stepsCookie = "florin-steps"
	stepsTTL    = 365 * oneDay
)

func (d *Surface) postHideSteps(c echo.Context, _ session.Principal) error {
	if err := d.Cookies.Put(c.Response(), stepsCookie, stepsTTL, map[string]string{"hidden": "yes"}); err != nil {
		return err
	}
	return d.Cookies.Redirect(c, shell.HomePath, "")
}

// rangeOf reads the range; anything else is the usual one.
func rangeOf(text string) int {
	for _, r := range dashboard.Ranges {
		if text == strconv.Itoa(r.Days) {
			return r.Days
		}
	}
	return usualDays
}

// currencyOf is the currency that the overview is read in, empty for US dollars, and those it may be read in: the
// shops' own. Without a choice it is that of all shops, if they have one.
func currencyOf(who session.Principal, asked string) (read string, all []string) {
	same := true
	for i, k := range who.Keys {
		same = same && (i == 0 || k.Currency == who.Keys[0].Currency)
		if k.Currency != "" && !slices.Contains(all, string(k.Currency)) {
			all = append(all, string(k.Currency))
		}
	}
	switch {
	case slices.Contains(all, asked):
		return asked, all
	case asked == "" && same && len(all) == 1:
		return all[0], all
	}
	return "", all
}

// figures adds what was paid in the range, today, and how far payments came.
func (d *Surface) figures(
	ctx context.Context, p *dashboard.OverviewProps, keys []int64, length int, now time.Time,
) error {
	first, err := d.sales(ctx, p, keys, length, now)
	if err != nil {
		return err
	}
	funnel, err := d.Reports.Funnel(ctx, keys, first)
	p.Funnel, p.Conversion = funnelSteps(ctx, funnel), dashboard.ConversionText(ctx, funnel.Started, funnel.Paid)
	if funnel.Newest {
		p.FunnelNewest = funnel.Created
	}
	return err
}

// sales adds what was paid in the range, which begins at first, and today.
func (d *Surface) sales(
	ctx context.Context, p *dashboard.OverviewProps, keys []int64, length int, now time.Time,
) (first time.Time, err error) {
	p.Days = length
	today := session.Day(now)
	tomorrow, weekAgo := today.AddDate(0, 0, 1), today.AddDate(0, 0, -week)
	each := 1
	if length > dailyDays {
		each, length = week, (length+week-1)/week*week
	}
	first = tomorrow.AddDate(0, 0, -length)
	days, err := d.Reports.Days(ctx, keys, earlier(first, weekAgo), tomorrow)
	if err != nil {
		return first, err
	}
	read := in(p.Currency)
	p.Chart = read.chart(ctx, days, first, today, each)
	paid, ofToday := read.sum(days, first, tomorrow), read.sum(days, today, tomorrow)
	p.Volume, p.Count = read.words(ctx, paid), paid.count
	p.Today = dashboard.Today{
		Volume: read.words(ctx, ofToday), Count: ofToday.count, Weekday: today.Weekday(),
		LastWeek: read.words(ctx, read.sum(days, weekAgo, weekAgo.AddDate(0, 0, 1))),
	}
	return first, nil
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// funnelSteps are the steps of a sale; none where nothing was created.
func funnelSteps(ctx context.Context, f report.Funnel) []dashboard.FunnelStep {
	if f.Created == 0 {
		return nil
	}
	step := func(text string, n, lost int64, how string) dashboard.FunnelStep {
		s := dashboard.FunnelStep{Text: text, Count: n, Percent: dashboard.Percent(n, f.Created)}
		if lost > 0 {
			s.Lost = views.N(ctx, how, int(lost))
		}
		return s
	}
	return []dashboard.FunnelStep{
		step("Created", f.Created, f.Unstarted, "{{.N}} payments lost here: expired or cancelled before the customer chose how to pay."),
		step("Chose how to pay", f.Started, f.Unseen, "{{.N}} payments lost here: expired or cancelled, and no money had arrived."),
		step("Sent money", f.Seen, f.Unpaid, "{{.N}} payments lost here: money arrived, but too little, too late or another token."),
		step("Paid", f.Paid, 0, ""),
	}
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

// balanceOf estimates how long the credits last at the pace of the newest starts.
func balanceOf(ctx context.Context, h house, starts report.Starts, now time.Time) dashboard.Balance {
	b := dashboard.Balance{
		Label: session.KeyLabel(h.key), KeyID: h.key.PublicID, Credits: h.balance.Credits, Queries: h.balance.Queries,
	}
	if starts.Count > 0 {
		measured := max(now.Sub(starts.Since), time.Minute)
		days := int64((measured + oneDay - 1) / oneDay)
		if !starts.Newest {
			measured = time.Duration(days) * oneDay // a shop sells by the day
		}
		left := float64(h.balance.Credits) / float64(starts.Count) * measured.Hours() / oneDay.Hours()
		b.Runway = dashboard.RunwayText(ctx, int64(left), days)
	}
	return b
}

func stepsOf(houses []house, a report.Activity, locked bool) []dashboard.Step {
	any := func(is func(house) bool) bool { return slices.ContainsFunc(houses, is) }
	lock := "/dashboard/settings/payouts"
	if len(houses) > 0 { // the lock is on the page of a shop
		lock += "#lock"
	}
	return []dashboard.Step{
		{Text: "Enter the wallets that your money goes to", Path: "/dashboard/start", Done: any(func(h house) bool {
			return len(h.custodian.Wallets) > 0
		})},
		{Text: "Create your first payment", Path: "/dashboard/create", Done: a.Any},
		{Text: "Get paid", Path: "/dashboard/payments", Done: a.Paid},
		{Text: "Give the checkout your colours", Path: "/dashboard/settings/checkout", Done: any(func(h house) bool {
			return h.custodian.Name != "" && h.custodian.Branding.PrimaryColor != ""
		})},
		{Text: "Lock where your money goes (recommended)", Path: lock, Done: locked},
	}
}

// lists returns the payments of an overview.
func (d *Surface) lists(ctx context.Context, who session.Principal) (dashboard.OverviewListsProps, error) {
	keys := who.KeyIDs()
	p := dashboard.OverviewListsProps{Now: d.now(who)}
	open, err := d.Reports.Open(ctx, keys)
	if err != nil {
		return p, err
	}
	if p.Open = panel.Integer(ctx, open); open == report.MaxOpen {
		p.Open += "+"
	}
	recent, err := d.Reports.SearchPayments(ctx, report.Query{Keys: keys, Limit: recentRows})
	for _, x := range recent.Payments {
		p.Recent = append(p.Recent, paymentRow(ctx, x))
	}
	return p, err
}
