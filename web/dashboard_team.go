package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/views/signin"
	"github.com/florinpay/florin/web/shell"
)

const teamPath = "/dashboard/team"

// roleWords say what a role may do, in words people use.
var roleWords = map[merchant.Role]string{
	merchant.RoleOwner:     "May do everything: wallets, credits, the team, and marking payments as completed.",
	merchant.RoleDeveloper: "May make API keys, and set callback, webhooks and branding, and run donation campaigns. Sees everything, and cannot change wallets in the dashboard.",
	merchant.RoleSupport:   "May create payment links, look for a customer's money, cancel payments, send webhooks again, and approve what donors wrote. Cannot mark a payment as completed.",
	merchant.RoleViewer:    "May look at everything and change nothing.",
}

func roleChoices() []panel.Choice {
	var all []panel.Choice
	for _, r := range merchant.Roles() {
		all = append(all, panel.Choice{Value: string(r), Text: strings.ToUpper(string(r[:1])) + string(r[1:])})
	}
	return all
}

func (d *desk) getTeam(c echo.Context, v visitor) error {
	return d.teamPage(c, v, http.StatusOK, shell.NewForm(url.Values{}), "", "")
}

// teamPage lists the team; link is a fresh invitation, which is shown only now.
func (d *desk) teamPage(c echo.Context, v visitor, status int, f *shell.Form, link, linkFor string) error {
	ctx := c.Request().Context()
	members, err := d.x.Members.Members(ctx, v.seat.Merchant)
	if err != nil {
		return err
	}
	invited, err := d.x.Members.Invitations(ctx, v.seat.Merchant)
	if err != nil {
		return err
	}
	proof, err := d.proofField(c, v, f)
	if err != nil {
		return err
	}
	shown := panel.Reauth{Field: proof}
	if f.Posted != "" && f.Posted != teamPath+"/invite" {
		shown.Posted, proof.Problem = f.Posted, ""
	}
	p := dashboard.TeamProps{
		Frame: d.frame(c, v, "Team", teamPath), Problem: f.Problem, Link: link, LinkFor: linkFor, Mailed: d.x.Mail != nil, Reauth: shown,
		Choices: roleChoices(), Chosen: f.Values.Get("role"),
	}
	if p.Chosen == "" || shown.Posted != "" {
		p.Chosen = string(merchant.RoleViewer)
	}
	owners := 0
	for _, m := range members {
		row := dashboard.MemberRow{
			ID: m.User.PublicID, Name: nameOf(m.User), Email: m.User.Email, Role: string(m.Role), Since: m.Since, You: m.User.ID == v.user.ID,
			Chosen: string(m.Role),
		}
		if f.Posted == teamPath+"/members/"+row.ID+"/role" {
			row.Chosen = f.Values.Get("role")
		}
		p.Members = append(p.Members, row)
		if m.Role == merchant.RoleOwner {
			owners++
		}
	}
	p.MayLeave = len(members) > 1 && (v.seat.Role != merchant.RoleOwner || owners > 1)
	for _, n := range invited {
		p.Invited = append(p.Invited, dashboard.InvitedRow{
			ID: n.ID, Email: n.Email, Role: string(n.Role), By: n.By, ExpiresAt: n.ExpiresAt, Expired: !n.ExpiresAt.After(d.d.Now()),
		})
	}
	for _, r := range merchant.Roles() {
		p.Roles = append(p.Roles, dashboard.RoleRow{Name: string(r), Does: roleWords[r]})
	}
	email := emailField()
	email.Autocomplete = "off"
	p.Fields = []panel.Field{f.Field(email), proof}
	return d.show(c, status, p.Frame, dashboard.Team(p))
}

func nameOf(u identity.User) string {
	if name := strings.TrimSpace(u.FirstName + " " + u.LastName); name != "" {
		return name
	}
	return u.Email
}

// teamForm reads a form that changes who may do what, which asks once more who
// is there: a colleague with the right role is as good as a password.
func (d *desk) teamForm(c echo.Context, v visitor) (*shell.Form, bool, error) {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return nil, false, err
	}
	f := shell.NewForm(values)
	f.Posted = c.Request().URL.Path
	err = d.confirm(c, v, f)
	if err == nil {
		return f, true, nil
	}
	if !d.badProof(f, err) {
		return nil, false, err
	}
	return f, false, d.teamPage(c, v, fault.KindOf(err).Code(), f, "", "")
}

// teamRefused shows what keeps an act from being done.
func (d *desk) teamRefused(c echo.Context, v visitor, f *shell.Form, err error) error {
	if !f.Refused(err, shell.Subject{Service: "email", Input: "email", Label: "The e-mail address"}) {
		return err
	}
	return d.teamPage(c, v, fault.KindOf(err).Code(), f, "", "")
}

// postInviteMember makes an invitation. Its link is shown in the answer itself,
// once, and mailed where mail is sent.
func (d *desk) postInviteMember(c echo.Context, v visitor) error {
	f, ok, err := d.teamForm(c, v)
	if !ok {
		return err
	}
	entry := d.auditEntry(c, v, audit.ActionTeamInvite, "", "as "+f.Values.Get("role"))
	n, token, err := d.x.Members.InviteMember(c.Request().Context(), v.seat, f.Text("email"), merchant.Role(f.Values.Get("role")), entry)
	if err != nil {
		return d.teamRefused(c, v, f, err)
	}
	if n.Role == merchant.RoleOwner {
		d.mailOwners(c, v, "Somebody was invited as an owner", v.user.Email+" invited "+n.Email+" to your Florin merchant account as an owner, who may change where your money goes.")
	}
	return d.showInvitation(c, v, n, token.Reveal())
}

func (d *desk) showInvitation(c echo.Context, v visitor, n merchant.Invited, token string) error {
	link := d.o.BaseURL + "/join?token=" + token
	d.mail(c, n.Email, "You are invited to a team in Florin", v.user.Email+" invites you to their merchant account as "+string(n.Role)+".\n\n"+
		"Join within seven days:\n"+link+"\n\nIf you do not know them, do nothing.")
	return d.teamPage(c, v, http.StatusOK, shell.NewForm(url.Values{}), link, n.Email)
}

// postResendInvitation shows a link that lets whoever has it in, so it asks
// once more who is there, as inviting does.
func (d *desk) postResendInvitation(c echo.Context, v visitor) error {
	if _, ok, err := d.teamForm(c, v); !ok {
		return err
	}
	entry := d.auditEntry(c, v, audit.ActionTeamInvite, "", "a new link")
	n, token, err := d.x.Members.RenewInvitation(c.Request().Context(), v.seat.Merchant, c.Param("invitation"), entry)
	if err != nil {
		return err
	}
	return d.showInvitation(c, v, n, token.Reveal())
}

func (d *desk) postRevokeInvitation(c echo.Context, v visitor) error {
	entry := d.auditEntry(c, v, audit.ActionTeamRevoke, "", "")
	if err := d.x.Members.RevokeInvitation(c.Request().Context(), v.seat.Merchant, c.Param("invitation"), entry); err != nil {
		return err
	}
	return d.cookies.Redirect(c, teamPath, "The invitation is taken back. Its link leads nowhere now.")
}

// memberAct finds the member an act is about, after it was confirmed.
func (d *desk) memberAct(c echo.Context, v visitor, act func(f *shell.Form, m merchant.Member) error) error {
	m, err := d.x.Members.Member(c.Request().Context(), v.seat.Merchant, c.Param("member"))
	if err != nil {
		return err
	}
	f, ok, err := d.teamForm(c, v)
	if !ok {
		return err
	}
	if err := act(f, m); err != nil {
		return d.teamRefused(c, v, f, err)
	}
	return nil
}

func (d *desk) postMemberRole(c echo.Context, v visitor) error {
	return d.memberAct(c, v, func(f *shell.Form, m merchant.Member) error {
		role := merchant.Role(f.Values.Get("role"))
		entry := d.auditEntry(c, v, audit.ActionTeamRole, m.User.Email, string(m.Role)+" → "+string(role))
		if err := d.x.Members.SetRole(c.Request().Context(), v.seat.Merchant, m.User, role, entry); err != nil {
			return err
		}
		d.mailOwners(c, v, "A role in your team was changed", v.user.Email+" made "+m.User.Email+" "+role.Noun()+" of your Florin merchant account; before that it was "+m.Role.Noun()+".")
		return d.cookies.Redirect(c, teamPath, m.User.Email+" is "+role.Noun()+" now.")
	})
}

func (d *desk) postRemoveMember(c echo.Context, v visitor) error {
	return d.memberAct(c, v, func(_ *shell.Form, m merchant.Member) error {
		entry := d.auditEntry(c, v, audit.ActionTeamRemove, m.User.Email, "was "+string(m.Role))
		if err := d.x.Members.RemoveMember(c.Request().Context(), v.seat.Merchant, m.User, entry); err != nil {
			return err
		}
		d.mailOwners(c, v, "Somebody was removed from your team", v.user.Email+" removed "+m.User.Email+" from your Florin merchant account.")
		return d.cookies.Redirect(c, teamPath, m.User.Email+" has no access any more. Keys they have seen still work: rotate them if need be.")
	})
}

// postLeave ends the visitor's own membership.
func (d *desk) postLeave(c echo.Context, v visitor) error {
	if v.seat.Role == "" {
		return merchant.ErrNoMerchant
	}
	if err := d.x.Members.RemoveMember(c.Request().Context(), v.seat.Merchant, v.user, d.auditEntry(c, v, audit.ActionTeamLeave, "", "")); err != nil {
		return err
	}
	return d.cookies.Redirect(c, securityPath, "You have left the team.")
}

// postMerchant changes for whom this session acts.
func (d *desk) postMerchant(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	if err := d.x.Members.Choose(c.Request().Context(), v.user, v.token, values.Get("merchant")); err != nil {
		return err
	}
	return d.cookies.Redirect(c, shell.HomePath, "")
}

// whoMay names the people who may do what the visitor may not.
func (d *desk) whoMay(c echo.Context, v visitor, act merchant.Act) string {
	if v.seat.Role == "" {
		return ""
	}
	members, err := d.x.Members.Members(c.Request().Context(), v.seat.Merchant)
	if err != nil {
		return ""
	}
	var emails []string
	for _, m := range members {
		if m.Role.May(act) && len(emails) < 5 {
			emails = append(emails, m.User.Email)
		}
	}
	return strings.Join(emails, ", ")
}

func (d *desk) getJoin(c echo.Context) error {
	token := c.QueryParam("token")
	if d.signedInAlready(c) {
		return c.Redirect(http.StatusSeeOther, "/dashboard/join?token="+url.QueryEscape(token))
	}
	return d.joinPage(c, http.StatusOK, token, shell.NewForm(url.Values{}))
}

// joinPage is for somebody who is not signed in.
func (d *desk) joinPage(c echo.Context, status int, token string, f *shell.Form) error {
	p := signin.JoinProps{EntryProps: d.entry(c)}
	n, merchant, known, err := d.x.Members.Invitation(c.Request().Context(), token)
	if errors.Is(err, identity.ErrBadInvitation) {
		return d.enter(c, http.StatusForbidden, p.Page, signin.Join(p))
	}
	if err != nil {
		return err
	}
	p.Merchant, p.Role, p.Does, p.Email, p.Token, p.Problem = merchant.Email, string(n.Role), roleWords[n.Role], n.Email, token, f.Problem
	if known {
		p.SignInURL = "/signin?next=" + url.QueryEscape("/dashboard/join?token="+token)
	}
	email := emailField()
	email.ReadOnly, email.Value = true, n.Email
	p.Fields = []panel.Field{
		email, f.Field(newPasswordField("Password")),
		f.Field(panel.Field{Name: "firstName", Label: "First name (optional)", Autocomplete: "given-name", Max: "100"}),
		f.Field(panel.Field{Name: "lastName", Label: "Last name (optional)", Autocomplete: "family-name", Max: "100"}),
	}
	return d.enter(c, status, p.Page, signin.Join(p))
}

// getJoining asks somebody who is signed in.
func (d *desk) getJoining(c echo.Context, v visitor) error {
	n, merchant, _, err := d.x.Members.Invitation(c.Request().Context(), c.QueryParam("token"))
	if err != nil {
		return err
	}
	p := dashboard.JoiningProps{
		Frame: d.frame(c, v, "Join a team", ""), Merchant: merchant.Email, Role: string(n.Role), Does: roleWords[n.Role], Token: c.QueryParam("token"),
	}
	if n.Email != v.user.Email {
		p.For = n.Email
	}
	return d.show(c, http.StatusOK, p.Frame, dashboard.Joining(p))
}

// postJoining takes an invitation for somebody who is signed in.
func (d *desk) postJoining(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	ctx, token := c.Request().Context(), values.Get("token")
	n, merchant, _, err := d.x.Members.Invitation(ctx, token)
	if err != nil {
		return err
	}
	entry := d.entryOf(c, merchant.ID, v.user.Email, audit.ActionTeamJoin, "", "as "+string(n.Role))
	n, err = d.x.Members.Join(c.Request().Context(), token, v.user, entry)
	if err != nil {
		return err
	}
	if err := d.x.Members.Choose(ctx, v.user, v.token, merchant.PublicID); err != nil {
		return err
	}
	return d.cookies.Redirect(c, shell.HomePath, "You act for "+merchant.Email+" now, as "+string(n.Role)+".")
}
