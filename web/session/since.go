package session

import (
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

// readBack is how many entries of the audit log are searched for who changed a setting: what two people change
// while a page is open is among the newest.
const readBack = 100

// Since compares a form with the stored settings (shell.Form.Since). Where somebody else changed what the user
// changed, the form says who and when, by the newest entry of the audit log that did it.
func (g *Guard) Since(
	c echo.Context, who Principal, f *shell.Form, did func(audit.Entry) bool, stored ...panel.Field,
) error {
	if f.Since(stored...); !f.Stale {
		return nil
	}
	entries, err := g.Merchants.AuditLog(c.Request().Context(), who.Membership, 0, readBack)
	if err != nil {
		return err
	}
	l := views.LocaleOf(c.Request().Context())
	by := l.T("Somebody changed these settings after you opened this page.")
	if i := slices.IndexFunc(entries, did); i >= 0 {
		at := entries[i].At.UTC()
		by = l.T("{{.User}} changed these settings after you opened this page: {{.Time}}.",
			"User", entries[i].Actor, "Time", l.Comma(l.DayOfYear(at), at.Format("15:04 UTC")))
	}
	said := []string{by, l.T("Nothing of yours is saved yet: look, and save again.")}
	for _, x := range stored {
		problem := f.Problems[x.Name]
		if problem != "" && (x.Type == "checkbox" || x.Type == panel.Boxes || x.Type == "select") {
			said = append(said, problem)
		}
	}
	f.Problem = strings.Join(said, " ")
	return nil
}
