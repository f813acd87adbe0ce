package session

import (
	"cmp"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

// Entry returns an entry in the audit log of an account. The store fills in the
// fields that only the act itself knows.
func (g *Guard) Entry(
	c echo.Context, accountID int64, actor string, action audit.Action, subject, detail string,
) audit.Entry {
	return audit.Entry{
		UserID: accountID, At: g.Shell.Now().UTC(), Actor: actor, Action: action, Subject: subject, Detail: detail,
		Address: shell.CallOf(c).Client,
	}
}

// AuditEntry returns the entry of an act of the principal for their merchant.
func (g *Guard) AuditEntry(c echo.Context, who Principal, action audit.Action, subject, detail string) audit.Entry {
	return g.Entry(c, who.Membership.Merchant.ID, who.User.Email, action, subject, detail)
}

// AuditOwn returns the entry of an act on the user's own sign-in. The user is zero
// where only the act finds out who it is.
func (g *Guard) AuditOwn(
	c echo.Context, user identity.User, action audit.Action, subject, detail string,
) audit.Entry {
	return g.Entry(c, user.ID, user.Email, action, subject, detail)
}

// AuditSignIn returns the entry of a sign-in; factor says how, such as "with a
// passkey"; it is empty for a password alone.
func (g *Guard) AuditSignIn(c echo.Context, factor string) audit.Entry {
	return g.AuditOwn(c, identity.User{}, audit.ActionSignIn, shell.CallOf(c).UserAgent, factor)
}

// AuditChanges returns the entries of a change to a custodian. List compares the
// custodian before and after, and gives each entry its action, subject and detail.
func (g *Guard) AuditChanges(
	c echo.Context, who Principal, list func(before, after merchant.Custodian) []audit.Entry,
) merchant.AuditFunc {
	return func(before, after merchant.Custodian) []audit.Entry {
		entries := list(before, after)
		for i, x := range entries {
			entries[i] = g.AuditEntry(c, who, x.Action, x.Subject, x.Detail)
		}
		return entries
	}
}

// pageActions are what pages call an action whose stored text has a word of the API.
var pageActions = map[audit.Action]string{
	audit.ActionCustodian:   "changed settings of the shop",
	audit.ActionCheckLedger: "had the ledger of credits checked",
	audit.ActionInvite:      "invited a user",
}

// AuditRow shows an entry of the audit log.
func AuditRow(a audit.Entry) panel.AuditRow {
	row := panel.AuditRow{
		At: a.At, Actor: a.Actor, Action: cmp.Or(pageActions[a.Action], string(a.Action)),
		Subject: a.Subject, Detail: a.Detail, Where: a.Address,
	}
	if a.Action == audit.ActionSignIn || a.Action == audit.ActionSignInFailed {
		row.Agent = a.Subject
	}
	return row
}
