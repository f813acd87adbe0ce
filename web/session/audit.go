package session

import (
	"cmp"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

// Stranger is who sends the request where nobody is signed in.
func (g *Guard) Stranger(c echo.Context) audit.Act {
	call := shell.CallOf(c)
	return audit.Act{At: g.Shell.Now().UTC(), Address: call.Client, Agent: call.UserAgent}
}

// Act is the principal, who acts for their merchant.
func (g *Guard) Act(c echo.Context, who Principal) audit.Act {
	act := g.Stranger(c)
	act.Who, act.Account, act.Session = who.User.Email, who.Membership.Merchant.ID, who.Token()
	return act
}

// ActOn is Act on one of the merchant's API keys.
func (g *Guard) ActOn(c echo.Context, who Principal, key merchant.Key) audit.Act {
	act := g.Act(c, who)
	act.Key = key.Name()
	return act
}

// pageActions are what pages call an action whose stored text has a word of the API.
var pageActions = map[audit.Action]string{
	audit.ActionCustodian:   "changed settings of the shop",
	audit.ActionCheckLedger: "had the ledger of credits checked",
	audit.ActionInvite:      "invited a user",
}

// AuditRow shows an entry of the audit log.
func AuditRow(l *views.Locale, a audit.Entry) panel.AuditRow {
	row := panel.AuditRow{
		At: a.At, Actor: l.T(a.Actor), Action: cmp.Or(pageActions[a.Action], string(a.Action)),
		Subject: shell.Said(l, a.Subject), Detail: shell.Said(l, a.Detail), Where: a.Address,
	}
	if a.Action == audit.ActionSignIn || a.Action == audit.ActionSignInFailed {
		row.Agent = a.Subject
	}
	return row
}
