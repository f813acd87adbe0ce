package operator

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/operator"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const usersPath = operatorPath + "/users"

// maxFind is more than any e-mail address, name or id has.
const maxFind = 200

func (d *Surface) getUsers(c echo.Context, who session.Principal) error {
	return d.usersPage(c, who, http.StatusOK, shell.NewForm(url.Values{}), "")
}

func (d *Surface) usersPage(c echo.Context, who session.Principal, status int, f *shell.Form, link string) error {
	p := operator.UsersProps{
		Frame:     d.Frame(c, who, "Users and keys", usersPath),
		MayInvite: d.Invite, Problem: f.Problem, Link: link, Invite: f.Field(session.EmailField()),
	}
	q := report.UserQuery{Text: c.QueryParam("q"), Before: session.BeforeOf(c), Limit: session.PageRows + 1}
	q.Text = q.Text[:min(len(q.Text), maxFind)]
	p.Text = q.Text
	users, err := d.Reports.Users(c.Request().Context(), q)
	if err != nil {
		return err
	}
	if len(users) > session.PageRows {
		users = users[:session.PageRows]
		p.NextURL = session.OlderURL(usersPath, users[session.PageRows-1].ID, url.Values{"q": {q.Text}})
	}
	for _, x := range users {
		p.Users = append(p.Users, userRow(x))
	}
	return d.Show(c, status, p.Frame, operator.Users(p))
}

func userRow(x report.User) operator.UserRow {
	row := operator.UserRow{
		ID: x.PublicID, Email: x.Email, Name: session.UserName(x.User),
		Keys: x.Keys, Operator: x.Operator, Takes: x.Payments, CreatedAt: x.CreatedAt, DisabledAt: x.DisabledAt,
	}
	if row.Name == row.Email {
		row.Name = ""
	}
	return row
}

func (d *Surface) getUser(c echo.Context, who session.Principal) error {
	person, err := d.Reports.User(c.Request().Context(), c.Param("user"))
	if err != nil {
		return err
	}
	return d.userPage(c, who, http.StatusOK, person, shell.NewForm(url.Values{}))
}

func (d *Surface) userPage(c echo.Context, who session.Principal, status int, person report.User, f *shell.Form) error {
	return d.userPageWith(c, who, status, person, f, "")
}

// userPageWith shows the page of a user with a link to a new password; empty: none.
func (d *Surface) userPageWith(
	c echo.Context, who session.Principal, status int, person report.User, f *shell.Form, link string,
) error {
	ctx := c.Request().Context()
	p := operator.UserProps{
		Frame: d.Frame(c, who, person.Email, usersPath),
		User:  userRow(person), You: person.ID == who.User.ID, Problem: f.Problem,
		Factor: person.Factor, Passkeys: person.Passkeys, ResetLink: link, Mails: d.Mails,
	}
	field, err := d.ReauthField(c, who, f)
	if err != nil {
		return err
	}
	p.Reauth = panel.Reauth{Field: field, Posted: f.Posted}
	p.Credits = f.Field(panel.Field{Name: "credits", Label: "Credits", Mode: "numeric", Max: "7", Required: true})
	p.GrantID = d.Merchants.GrantID()
	keys, err := d.Merchants.EveryKey(ctx, person.ID)
	if err != nil {
		return err
	}
	for _, k := range keys {
		balance, err := d.Merchants.Balance(ctx, k.ID)
		if err != nil {
			return err
		}
		p.Keys = append(p.Keys, operator.KeyRow{
			ID: k.PublicID, Label: session.KeyLabel(k),
			Credits: balance.Credits, Queries: balance.Queries, CreatedAt: k.CreatedAt, LastUsedAt: k.LastUsedAt,
			RevokedAt: k.RevokedAt, DisabledAt: k.DisabledAt,
		})
	}
	// The entries that the owner of the account sees.
	membership := merchant.Membership{User: person.User, Merchant: person.User, Role: merchant.RoleOwner}
	log, err := d.Merchants.AuditLog(ctx, membership, session.BeforeOf(c), session.PageRows+1)
	if err != nil {
		return err
	}
	if len(log) > session.PageRows {
		log = log[:session.PageRows]
		p.NextURL = session.OlderURL(usersPath+"/"+person.PublicID, log[session.PageRows-1].ID, nil)
	}
	for _, a := range log {
		p.Audit = append(p.Audit, session.AuditRow(views.LocaleFor("en"), a))
	}
	return d.Show(c, status, p.Frame, operator.User(p))
}

// userForm reads a form about a user, re-authenticates the operator and makes the
// checks of the other inputs, so that the page names all that is wrong at once; ok is
// false if the page was shown again.
func (d *Surface) userForm(
	c echo.Context, who session.Principal, checks ...func(*shell.Form),
) (person report.User, f *shell.Form, ok bool, err error) {
	if f, err = session.ReadForm(c); err != nil {
		return person, nil, false, err
	}
	if person, err = d.Reports.User(c.Request().Context(), c.Param("user")); err != nil {
		return person, nil, false, err
	}
	for _, check := range checks {
		check(f)
	}
	status := fault.Invalid.Code()
	if err = d.Reauthenticate(c, who, f); err != nil {
		if !session.ReauthRefused(f, err) {
			return person, nil, false, err
		}
		status = fault.KindOf(err).Code()
	}
	if f.OK() {
		return person, f, true, nil
	}
	return person, f, false, d.userPage(c, who, status, person, f)
}

// postUserDisabled disables a user, or enables them.
func (d *Surface) postUserDisabled(disable bool) session.Handler {
	said := " is enabled, and can sign in."
	if disable {
		said = " is disabled. Payments that were started go on."
	}
	return func(c echo.Context, who session.Principal) error {
		person, f, ok, err := d.userForm(c, who)
		if !ok {
			return err
		}
		if err := d.Users.SetUserDisabled(c.Request().Context(), who.User, person.User, disable,
			d.Act(c, who)); err != nil {
			return d.userRefused(c, who, person, f, err)
		}
		return d.Cookies.Redirect(c, usersPath+"/"+person.PublicID, person.Email+said)
	}
}

// postKeyDisabled disables a key, or enables it.
func (d *Surface) postKeyDisabled(disable bool) session.Handler {
	said := " is enabled."
	if disable {
		said = " is disabled. Payments started with it go on."
	}
	return func(c echo.Context, who session.Principal) error {
		person, f, ok, err := d.userForm(c, who)
		if !ok {
			return err
		}
		key, err := d.keyOf(c, person)
		if err != nil {
			return err
		}
		if err := d.Merchants.SetKeyDisabled(c.Request().Context(), who.User, key, disable, d.Act(c, who)); err != nil {
			return d.userRefused(c, who, person, f, err)
		}
		return d.Cookies.Redirect(c, usersPath+"/"+person.PublicID, "The key “"+session.KeyLabel(key)+"”"+said)
	}
}

// keyOf returns the user's key in the path; another user's is unknown.
func (d *Surface) keyOf(c echo.Context, person report.User) (merchant.Key, error) {
	keys, err := d.Merchants.EveryKey(c.Request().Context(), person.ID)
	if err != nil {
		return merchant.Key{}, err
	}
	for _, k := range keys {
		if k.PublicID == c.Param("key") {
			return k, nil
		}
	}
	return merchant.Key{}, merchant.ErrUnknownKey
}

func (d *Surface) userRefused(
	c echo.Context, who session.Principal, person report.User, f *shell.Form, err error,
) error {
	if !f.Refused(err) {
		return err
	}
	return d.userPage(c, who, fault.KindOf(err).Code(), person, f)
}

// postInvite makes a link with which the invited address may sign up. The link is
// mailed; where addresses are not verified, it is shown in the response itself, once.
func (d *Surface) postInvite(c echo.Context, who session.Principal) error {
	if !d.Invite {
		return shell.ErrNotFound
	}
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	token, err := d.Users.Invite(c.Request().Context(), who.User, f.Text("email"), d.Act(c, who))
	if err != nil {
		if !f.Refused(err, shell.Subject{Service: "email", Input: "email", Label: "The e-mail address"}) {
			return err
		}
		return d.usersPage(c, who, fault.KindOf(err).Code(), f, "")
	}
	link := d.Shell.BaseURL + "/signup?invite=" + token.Reveal()
	if d.Users.VerifiesEmail() {
		// Only the holder of the address may have the link: it verifies the address.
		return d.Cookies.Redirect(c, usersPath, "The invitation is on its way to "+f.Text("email")+".")
	}
	return d.usersPage(c, who, http.StatusOK, shell.NewForm(url.Values{}), link)
}
