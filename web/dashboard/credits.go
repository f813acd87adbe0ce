package dashboard

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const creditsPath = "/dashboard/credits"

func (d *Surface) getCredits(c echo.Context, who session.Principal) error {
	return d.creditsPage(c, who, http.StatusOK, c.QueryParam("key"), shell.NewForm(url.Values{}))
}

func (d *Surface) creditsPage(c echo.Context, who session.Principal, status int, asked string, f *shell.Form) error {
	ctx := c.Request().Context()
	key, ok, choice, err := who.KeyChoice(creditsPath, asked)
	if err != nil {
		return err
	}
	p := dashboard.CreditsProps{
		Free:  d.Merchants.Meter() == ledger.Free,
		Frame: d.Frame(c, who, "Credits", creditsPath), Key: choice, HasKey: ok, Problem: f.Problem,
	}
	p.Buy = f.Field(panel.Field{
		Name: "credits", Label: "How many credits", Value: "200", Mode: "numeric", Required: true, Max: "7",
		Hint: "From 20 up; 200 credits cost $10.00. You pay in USDT or USDC.",
	})
	if !ok {
		return d.Show(c, status, p.Frame, dashboard.Credits(p))
	}
	balance, err := d.Merchants.Balance(ctx, key.ID)
	if err != nil {
		return err
	}
	p.Credits, p.Queries = balance.Credits, balance.Queries
	before, _ := strconv.ParseInt(c.QueryParam("before"), 10, 64)
	entries, err := d.Reports.Entries(ctx, key.ID, before, session.PageRows+1)
	if err != nil {
		return err
	}
	if len(entries) > session.PageRows {
		entries = entries[:session.PageRows]
		p.NextURL = session.WithQuery(
			creditsPath,
			url.Values{"key": {key.PublicID}, "before": {strconv.FormatInt(entries[session.PageRows-1].ID, 10)}},
		)
	}
	for _, e := range entries {
		p.Rows = append(p.Rows, entryRow(e))
	}
	return d.Show(c, status, p.Frame, dashboard.Credits(p))
}

// entryTexts say what an entry was for.
var entryTexts = map[ledger.Reason]string{
	ledger.ReasonSignup: "Free with the new key",
	ledger.ReasonStart:  "A payment was started", ledger.ReasonOperation: "Operation over the API",
	ledger.ReasonTopUp:    "Bought",
	ledger.ReasonRecharge: "Recharged over the API", ledger.ReasonGrant: "Given by the operator",
	ledger.ReasonFree: "Not metered here", ledger.ReasonRelease: "Given back: the payment ended unpaid",
}

func entryRow(e report.Entry) dashboard.EntryRow {
	r := dashboard.EntryRow{At: e.At, Text: entryTexts[e.Reason], Count: e.Count, Unit: string(e.Unit)}
	if r.Text == "" {
		r.Text = string(e.Reason)
	}
	if e.Count != 1 && e.Count != -1 {
		r.Unit = map[ledger.Unit]string{ledger.Credit: "credits", ledger.Query: "queries"}[e.Unit]
	}
	r.TxnID, _ = ledger.PaymentOf(e.Ref)
	if strings.HasPrefix(e.Ref, "complete:") {
		r.Text = "A payment was marked as completed"
	}
	return r
}

// postCredits opens a top-up, which is paid like any payment.
func (d *Surface) postCredits(c echo.Context, who session.Principal, f *shell.Form) error {
	key, err := who.Key(f.Values.Get("key"))
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(f.Amount("credits"), 10, 64)
	if err != nil {
		f.Bad("credits", "The number of credits must be a whole number.")
		return d.creditsPage(c, who, http.StatusBadRequest, key.PublicID, f)
	}
	if err := d.Merchants.Meter().Sells(); err != nil {
		return err
	}
	p, err := d.Payments.CreateTopUp(c.Request().Context(), d.NewID(d.Shell.Now()), key.ID, n, d.ActOn(c, who, key))
	if err != nil {
		if !f.Refused(err, shell.Subject{Service: "credits", Input: "credits", Label: "The number of credits"}) {
			return err
		}
		return d.creditsPage(c, who, fault.KindOf(err).Code(), key.PublicID, f)
	}
	// The Content-Security-Policy allows forms to lead to this host only, so the path is relative.
	return c.Redirect(http.StatusSeeOther, checkout.PayPath(string(p.ID), "", checkout.ViewNow))
}
