package web

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views/operator"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

const peoplePath = operatorPath + "/users"

// maxFind is more than any e-mail address, name or id has.
const maxFind = 200

func (d *desk) getPeople(c echo.Context, v visitor) error {
	return d.peoplePage(c, v, http.StatusOK, shell.NewForm(url.Values{}), "")
}

func (d *desk) peoplePage(c echo.Context, v visitor, status int, f *shell.Form, link string) error {
	p := operator.UsersProps{
		Frame: d.frame(c, v, "Users and keys", peoplePath), MayInvite: d.x.Invite, Problem: f.Problem, Link: link, Invite: f.Field(emailField()),
	}
	q := report.PeopleQuery{Text: c.QueryParam("q"), Before: beforeOf(c), Limit: pageRows + 1}
	q.Text = q.Text[:min(len(q.Text), maxFind)]
	p.Text = q.Text
	people, err := d.x.Reports.People(c.Request().Context(), q)
	if err != nil {
		return err
	}
	if len(people) > pageRows {
		people = people[:pageRows]
		p.NextURL = olderURL(peoplePath, people[pageRows-1].ID, url.Values{"q": {q.Text}})
	}
	for _, x := range people {
		p.Users = append(p.Users, personRow(x))
	}
	return d.show(c, status, p.Frame, operator.Users(p))
}

// beforeOf reads where a page of a list ends; 0 for the first page.
func beforeOf(c echo.Context) int64 {
	before, err := strconv.ParseInt(c.QueryParam("before"), 10, 64)
	if err != nil || before < 0 {
		return 0
	}
	return before
}

// olderURL is the address of the next page of a list, with its other parameters
// where they are set.
func olderURL(path string, before int64, query url.Values) string {
	next := url.Values{"before": {strconv.FormatInt(before, 10)}}
	for name := range query {
		if text := query.Get(name); text != "" {
			next.Set(name, text)
		}
	}
	return withQuery(path, next)
}

func personRow(x report.Person) operator.UserRow {
	row := operator.UserRow{
		ID: x.PublicID, Email: x.Email, Name: nameOf(x.User), Keys: x.Keys, Operator: x.Operator, Takes: x.Payments, CreatedAt: x.CreatedAt, DisabledAt: x.DisabledAt,
	}
	if row.Name == row.Email {
		row.Name = ""
	}
	return row
}

func (d *desk) getPerson(c echo.Context, v visitor) error {
	person, err := d.x.Reports.Person(c.Request().Context(), c.Param("user"))
	if err != nil {
		return err
	}
	return d.personPage(c, v, http.StatusOK, person, shell.NewForm(url.Values{}))
}

func (d *desk) personPage(c echo.Context, v visitor, status int, person report.Person, f *shell.Form) error {
	ctx := c.Request().Context()
	p := operator.UserProps{
		Frame: d.frame(c, v, person.Email, peoplePath), User: personRow(person), You: person.ID == v.user.ID, Problem: f.Problem,
	}
	field, err := d.proofField(c, v, f)
	if err != nil {
		return err
	}
	p.Reauth = panel.Reauth{Field: field, Posted: f.Posted}
	keys, err := d.x.Reports.EveryKeyOfUser(ctx, person.ID)
	if err != nil {
		return err
	}
	for _, k := range keys {
		balance, err := d.d.Accounts.Balance(ctx, k.ID)
		if err != nil {
			return err
		}
		p.Keys = append(p.Keys, operator.KeyRow{
			ID: k.PublicID, Label: labelOf(k), Credits: balance.Credits, Queries: balance.Queries, CreatedAt: k.CreatedAt, LastUsedAt: k.LastUsedAt,
			RevokedAt: k.RevokedAt, DisabledAt: k.DisabledAt,
		})
	}
	// What the owner of the account would read.
	seat := merchant.Membership{User: person.User, Merchant: person.User, Role: merchant.RoleOwner}
	log, err := d.x.Members.AuditLog(ctx, seat, beforeOf(c), pageRows+1)
	if err != nil {
		return err
	}
	if len(log) > pageRows {
		log = log[:pageRows]
		p.NextURL = olderURL(peoplePath+"/"+person.PublicID, log[pageRows-1].ID, nil)
	}
	for _, a := range log {
		p.Audit = append(p.Audit, auditRow(a))
	}
	return d.show(c, status, p.Frame, operator.User(p))
}

// personForm reads a form about a user, which asks once more who is there; ok
// is false if the page was shown again.
func (d *desk) personForm(c echo.Context, v visitor) (person report.Person, f *shell.Form, ok bool, err error) {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return person, nil, false, err
	}
	if person, err = d.x.Reports.Person(c.Request().Context(), c.Param("user")); err != nil {
		return person, nil, false, err
	}
	f = shell.NewForm(values)
	f.Posted = c.Request().URL.Path
	if err = d.confirm(c, v, f); err == nil {
		return person, f, true, nil
	}
	if !d.badProof(f, err) {
		return person, nil, false, err
	}
	return person, f, false, d.personPage(c, v, fault.KindOf(err).Code(), person, f)
}

// postUserAble disables a user, or enables them.
func (d *desk) postUserAble(disable bool) deskHandler {
	action, said := audit.ActionEnableUser, " is enabled, and can sign in."
	if disable {
		action, said = audit.ActionDisableUser, " is disabled. Payments that were started go on."
	}
	return func(c echo.Context, v visitor) error {
		person, f, ok, err := d.personForm(c, v)
		if !ok {
			return err
		}
		entry := d.entryOf(c, person.ID, v.user.Email, action, person.Email, "")
		if err := d.x.Members.SetUserDisabled(c.Request().Context(), v.user, person.User, disable, entry); err != nil {
			return d.personRefused(c, v, person, f, err)
		}
		return d.cookies.Redirect(c, peoplePath+"/"+person.PublicID, person.Email+said)
	}
}

// postKeyAble disables a key, or enables it.
func (d *desk) postKeyAble(disable bool) deskHandler {
	action, said := audit.ActionEnableKey, " is enabled."
	if disable {
		action, said = audit.ActionDisableKey, " is disabled. Payments started with it go on."
	}
	return func(c echo.Context, v visitor) error {
		person, f, ok, err := d.personForm(c, v)
		if !ok {
			return err
		}
		key, err := d.keyOf(c, person)
		if err != nil {
			return err
		}
		entry := d.entryOf(c, person.ID, v.user.Email, action, labelOf(key), "")
		if err := d.x.Members.SetKeyDisabled(c.Request().Context(), v.user, key, disable, entry); err != nil {
			return d.personRefused(c, v, person, f, err)
		}
		return d.cookies.Redirect(c, peoplePath+"/"+person.PublicID, "The key “"+labelOf(key)+"”"+said)
	}
}

// keyOf returns the person's key that the address names; another's is unknown.
func (d *desk) keyOf(c echo.Context, person report.Person) (merchant.Key, error) {
	keys, err := d.x.Reports.EveryKeyOfUser(c.Request().Context(), person.ID)
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

func (d *desk) personRefused(c echo.Context, v visitor, person report.Person, f *shell.Form, err error) error {
	if !f.Refused(err) {
		return err
	}
	return d.personPage(c, v, fault.KindOf(err).Code(), person, f)
}
