package dashboard

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const (
	quickPath = shell.HomePath + "/find"
	// quickRows is how many payments the search dialog lists.
	quickRows = 7
)

// getQuick answers the search dialog while the user types. A browser without
// scripts gets the list of payments, which finds the same.
func (d *Surface) getQuick(c echo.Context, who session.Principal) error {
	text := strings.TrimSpace(c.QueryParam("q"))
	if c.Request().Header.Get("HX-Request") == "" {
		return c.Redirect(http.StatusSeeOther, session.WithQuery(paymentsPath, filterOf(url.Values{"q": {text}})))
	}
	p := dashboard.QuickProps{Text: text, Now: d.now(who)}
	if text != "" && len(text) <= maxSearch {
		q := report.Query{Keys: who.KeyIDs(), Text: text, Limit: quickRows}
		if from, until, ok := readWhen(text, p.Now); ok {
			q.Text, q.From, q.Until = "", from, until
		}
		found, err := d.Reports.SearchPayments(c.Request().Context(), q)
		if err != nil {
			return err
		}
		for _, x := range found.Payments {
			p.Rows = append(p.Rows, paymentRow(c.Request().Context(), x))
		}
		if found.Next != (report.Place{}) && len(p.Rows) < quickRows {
			further := filterOf(url.Values{"q": {text}})
			further.Set("after", formatPlace(found.Next))
			p.LookedTo, p.NextURL = found.Next.At, session.WithQuery(paymentsPath, further)
		}
	}
	return shell.Render(c, http.StatusOK, shell.NewPage(c), dashboard.Quick(p))
}
