package web

import (
	"context"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/web/shell"
)

// line says in the audit log of an account what the actor does. What is left
// empty only the act itself knows (audit.WithLines).
func (d *desk) line(c echo.Context, accountID int64, actor string, action audit.Action, subject, detail string) audit.Entry {
	return audit.Entry{
		UserID: accountID, At: d.d.Now().UTC(), Actor: actor, Action: action, Subject: subject, Detail: detail, Address: shell.CallOf(c).Client,
	}
}

// noting returns the context for an act of the visitor, who leaves a line in the
// merchant's audit log. It is written with the act, in its transaction, so the
// context is for that one call.
func (d *desk) noting(c echo.Context, v visitor, action audit.Action, subject, detail string) context.Context {
	return audit.WithLines(c.Request().Context(), d.line(c, v.seat.Merchant.ID, v.user.Email, action, subject, detail))
}

// notingOwn is noting for what somebody does to their own sign-in; the user is
// the zero one where only the act finds out who it is.
func (d *desk) notingOwn(c echo.Context, user identity.User, action audit.Action, subject, detail string) context.Context {
	return audit.WithLines(c.Request().Context(), d.line(c, user.ID, user.Email, action, subject, detail))
}

// notingSignIn is notingOwn for a sign-in; how says what was shown beside a
// password, and may be empty.
func (d *desk) notingSignIn(c echo.Context, how string) context.Context {
	return d.notingOwn(c, identity.User{}, audit.ActionSignIn, shell.CallOf(c).UserAgent, how)
}

// notingChanges is noting for an act on a custodian, whose lines say what
// changed. tell gives each line its action, subject and detail; it runs where
// the custodian is locked, and again if that must be done again.
func (d *desk) notingChanges(c echo.Context, v visitor, tell func(before, after merchant.Custodian) []audit.Entry) context.Context {
	return merchant.WithCustodianLines(c.Request().Context(), func(before, after merchant.Custodian) []audit.Entry {
		lines := tell(before, after)
		for i, x := range lines {
			lines[i] = d.line(c, v.seat.Merchant.ID, v.user.Email, x.Action, x.Subject, x.Detail)
		}
		return lines
	})
}
