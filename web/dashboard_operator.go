package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/proof"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/operator"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

const operatorPath = "/operator"

func (d *desk) getOperator(c echo.Context, v visitor) error {
	return d.operatorPage(c, v, http.StatusOK, "")
}

func (d *desk) operatorPage(c echo.Context, v visitor, status int, problem string) error {
	ctx, now := c.Request().Context(), d.d.Now()
	p := operator.InstallationProps{
		Frame: d.frame(c, v, "Operator", operatorPath), Version: d.o.Version, Problem: problem,
		Networks: d.networkRows(), Gas: d.gasRows(), MayCheck: d.x.Proof != nil,
	}
	stuck, err := d.x.Reports.Stuck(ctx, now, d.x.Dust)
	if err != nil {
		return err
	}
	p.Stuck = stuckNotices(stuck)
	last, ok, err := d.x.Reports.LedgerCheck(ctx)
	if err != nil {
		return err
	}
	if ok {
		p.Check = operator.CheckRow{
			Running: last.EndedAt.IsZero() && now.Sub(last.AskedAt) < checkGivenUp, AskedAt: last.AskedAt, EndedAt: last.EndedAt, AskedBy: last.AskedBy, Problem: last.Problem,
			Entries: last.Entries, Found: last.Found, Differences: last.Differences,
		}
		if last.EndedAt.IsZero() && !p.Check.Running {
			p.Check.EndedAt, p.Check.Problem = last.AskedAt, "Florin stopped before the book was added up."
		}
	}
	return d.show(c, status, p.Frame, operator.Installation(p))
}

// checkGivenUp is after how long a check that has not ended never will.
const checkGivenUp = 2 * proof.Limit

// postLedger has the book of credits added up, in the background.
func (d *desk) postLedger(c echo.Context, v visitor) error {
	if d.x.Proof == nil {
		return shell.ErrNotFound
	}
	err := d.x.Proof.Ask(c.Request().Context(), v.user.Email, d.auditOwn(c, v.user, audit.ActionCheckLedger, "", ""))
	if f := fault.Of(err); f != nil && f.Kind == fault.Conflict {
		return d.operatorPage(c, v, http.StatusConflict, shell.Sentence(f.Message))
	}
	if err != nil {
		return err
	}
	return d.cookies.Redirect(c, operatorPath, "The book of credits is being added up. Look again in a moment.")
}

// gasRows tell how long the gas wallet of each network lasts.
func (d *desk) gasRows() []operator.GasRow {
	var all []operator.GasRow
	for _, n := range chain.Networks() {
		lane, ok := d.d.Payments.Network(n)
		if !ok || d.x.Sweeping == nil {
			continue
		}
		if st, ok := d.x.Sweeping(n); ok && !st.At.IsZero() {
			all = append(all, gasRow(lane.Profile, st))
		}
	}
	return all
}

func gasRow(p chain.Profile, st settlement.Status) operator.GasRow {
	r := st.Runway
	coins := func(u money.Units) string {
		if u.IsZero() {
			return ""
		}
		return coinText(u, p.Network) + " " + p.Coin
	}
	row := operator.GasRow{
		Name: views.NetworkName(string(p.Network)), Wallet: string(r.Wallet.Address), Balance: coinText(r.Wallet.Balance, p.Network) + " " + p.Coin,
		PerDay: coins(r.PerDay), PerPayment: coins(r.PerItem), Level: string(r.Level), Lasts: "not measured yet",
	}
	switch {
	case r.Days >= settlement.MaxDays:
		row.Lasts = "more than ten years"
	case r.Days == 1:
		row.Lasts = "1 day"
	case r.Days >= 0:
		row.Lasts = views.LocaleFor("en").Amount(strconv.Itoa(r.Days)) + " days"
	}
	switch {
	case st.Waiting != "":
		row.Advice = st.Detail
	case r.Level == settlement.LevelAlarm:
		row.Advice = "send " + p.Coin + " to it now"
	case r.Level == settlement.LevelWarn:
		row.Advice = "send " + p.Coin + " to it this week"
	}
	return row
}

// coinDigits are what people read of a sum of gas: enough to compare, of the
// eighteen there are.
const coinDigits = 4

// coinText writes a sum of a network's coin with its first digits that count,
// cut and not rounded: a wallet never looks fuller than it is.
func coinText(u money.Units, n chain.Network) string {
	text := u.Format(n.CoinDecimals())
	whole, part, _ := strings.Cut(text, ".")
	keep := coinDigits - len(whole)
	if whole == "0" {
		keep = len(part) - len(strings.TrimLeft(part, "0")) + coinDigits
	}
	part = strings.TrimRight(part[:min(max(keep, 0), len(part))], "0")
	if part == "" {
		return whole
	}
	return whole + "." + part
}

func (d *desk) networkRows() []operator.NetworkRow {
	var all []operator.NetworkRow
	for _, n := range chain.Networks() {
		lane, ok := d.d.Payments.Network(n)
		if !ok {
			continue
		}
		h := d.d.Payments.Health(n)
		row := operator.NetworkRow{
			Name: views.NetworkName(string(n)), OK: h.OK, Reason: h.Detail, Latest: block(h.Latest), Final: block(h.Final), Scanned: block(h.Scanned),
			Lag: h.Lag.Round(time.Second).String(), Treasury: string(lane.Treasury), Sweeping: "off: no gas wallet",
		}
		if row.Reason == "" {
			row.Reason = h.Reason
		}
		if d.x.Sweeping != nil {
			if st, ok := d.x.Sweeping(n); ok {
				row.Sweeping = "runs"
				if st.Waiting != "" {
					row.Sweeping = "waits: " + st.Detail
				}
			}
		}
		row.Endpoints = d.endpointRows(n)
		all = append(all, row)
	}
	return all
}

// endpointRows name a node by its host alone: paths and queries of providers
// hold keys.
func (d *desk) endpointRows(n chain.Network) []operator.EndpointRow {
	if d.x.Endpoints == nil {
		return nil
	}
	var all []operator.EndpointRow
	for _, e := range d.x.Endpoints(n) {
		r := operator.EndpointRow{
			Name: e.Name, OK: e.Healthy, Reason: e.Reason, Head: block(chain.Head{Number: e.Head}), Latency: latencyOf(e.Latency),
			Errors: e.Errors, Requests: e.Requests,
		}
		if e.Head == 0 { // it has not answered yet
			r.Head, r.Latency = "–", "–"
		}
		if !e.CoolUntil.IsZero() {
			r.Rests = e.CoolUntil
		}
		all = append(all, r)
	}
	return all
}

func block(h chain.Head) string {
	return views.LocaleFor("en").Amount(strconv.FormatUint(h.Number, 10))
}

func stuckNotices(s report.Stuck) []panel.Notice {
	var all []panel.Notice
	for _, x := range []struct {
		n    int64
		text string
	}{
		{s.Deliveries, fmt.Sprintf("%d webhooks are overdue, the oldest since %s.", s.Deliveries, s.OldestDue.UTC().Format(time.DateTime))},
		{s.Sweeps, fmt.Sprintf("%d settlement transactions are under way for more than ten minutes.", s.Sweeps)},
		{s.Unswept, fmt.Sprintf("%d deposits are final for more than a day and not settled.", s.Unswept)},
		{s.Recharges, fmt.Sprintf("%d purchases of query units are on their way and nobody looks after them.", s.Recharges)},
	} {
		if x.n > 0 {
			all = append(all, panel.Notice{Bad: true, Text: x.text, Link: troublePath, LinkText: "See which"})
		}
	}
	if len(all) == 0 {
		all = append(all, panel.Notice{Text: "Nothing is stuck."})
	}
	if s.Dust > 0 {
		all = append(all, panel.Notice{Plain: true, Text: fmt.Sprintf(
			"%d deposits are dust: moving one costs more than it is worth. They wait for more at their address; `florin sweep --txnid` moves them all the same.", s.Dust)})
	}
	return all
}

// postInvite makes a link by which somebody may sign up. The link is shown in
// the answer itself, once, and mailed where mail is sent.
func (d *desk) postInvite(c echo.Context, v visitor) error {
	if !d.x.Invite {
		return shell.ErrNotFound
	}
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	f := shell.NewForm(values)
	token, err := d.x.Members.Invite(c.Request().Context(), v.user, f.Text("email"), d.auditOwn(c, v.user, audit.ActionInvite, "", ""))
	if err != nil {
		if !f.Refused(err, shell.Subject{Service: "email", Input: "email", Label: "The e-mail address"}) {
			return err
		}
		return d.peoplePage(c, v, fault.KindOf(err).Code(), f, "")
	}
	link := d.o.BaseURL + "/signup?invite=" + token.Reveal()
	d.mail(c, f.Text("email"), "You are invited to Florin", "Create your account within seven days:\n"+link)
	return d.peoplePage(c, v, http.StatusOK, shell.NewForm(url.Values{}), link)
}
