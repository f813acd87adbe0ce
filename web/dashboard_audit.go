package web

import (
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/web/shell"
)

// entryOf returns the audit entry of an act on the account. Fields left empty are
// filled in by the store, where only the act knows them.
func (d *desk) entryOf(c echo.Context, accountID int64, actor string, action audit.Action, subject, detail string) audit.Entry {
	return audit.Entry{
		UserID: accountID, At: d.d.Now().UTC(), Actor: actor, Action: action, Subject: subject, Detail: detail, Address: shell.CallOf(c).Client,
	}
}

// auditEntry returns the entry of an act by the visitor for their merchant.
func (d *desk) auditEntry(c echo.Context, v visitor, action audit.Action, subject, detail string) audit.Entry {
	return d.entryOf(c, v.seat.Merchant.ID, v.user.Email, action, subject, detail)
}

// auditOwn returns the entry of an act on the user's own sign-in; the user is
// the zero one where only the act finds out who it is.
func (d *desk) auditOwn(c echo.Context, user identity.User, action audit.Action, subject, detail string) audit.Entry {
	return d.entryOf(c, user.ID, user.Email, action, subject, detail)
}

// auditSignIn returns the entry of a sign-in; how names what was shown besides a
// password, and may be empty.
func (d *desk) auditSignIn(c echo.Context, how string) audit.Entry {
	return d.auditOwn(c, identity.User{}, audit.ActionSignIn, shell.CallOf(c).UserAgent, how)
}

// auditChanges returns the entries of a change to a custodian. list gives each
// its action, subject and detail.
func (d *desk) auditChanges(c echo.Context, v visitor, list func(before, after merchant.Custodian) []audit.Entry) merchant.AuditFunc {
	return func(before, after merchant.Custodian) []audit.Entry {
		entries := list(before, after)
		for i, x := range entries {
			entries[i] = d.auditEntry(c, v, x.Action, x.Subject, x.Detail)
		}
		return entries
	}
}
