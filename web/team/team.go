package team

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/views/team"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const teamPath = "/dashboard/team"

func roleChoices(ctx context.Context) []panel.Choice {
	var all []panel.Choice
	for _, r := range merchant.Roles() {
		all = append(all, panel.Choice{Value: string(r), Text: panel.Sentence(views.T(ctx, string(r)))})
	}
	return all
}

func (t *Surface) getTeam(c echo.Context, who session.Principal) error {
	return t.teamPage(c, who, http.StatusOK, shell.EmptyForm(c), "", "")
}

// teamPage lists the team; link is a fresh invitation, which is shown only now.
func (t *Surface) teamPage(
	c echo.Context, who session.Principal, status int, f *shell.Form, link, linkFor string,
) error {
	ctx := c.Request().Context()
	members, err := t.Merchants.Members(ctx, who.Membership.Merchant)
	if err != nil {
		return err
	}
	invited, err := t.Merchants.Invitations(ctx, who.Membership.Merchant)
	if err != nil {
		return err
	}
	reauth, err := t.StrongField(c, who, f)
	if err != nil {
		return err
	}
	shown := panel.Reauth{Field: reauth}
	if f.Posted != "" && f.Posted != teamPath+"/invite" {
		shown.Posted, reauth.Problem = f.Posted, ""
	}
	p := team.Props{
		Frame: t.Frame(c, who, "Team", teamPath), Problem: f.Problem, Link: link, LinkFor: linkFor, Mailed: t.Mails,
		Reauth:  shown,
		Choices: roleChoices(ctx), Chosen: f.Values.Get("role"),
	}
	if p.Chosen == "" || shown.Posted != "" {
		p.Chosen = string(merchant.RoleViewer)
	}
	owners := 0
	for _, m := range members {
		row := team.MemberRow{
			ID: m.User.PublicID, Name: session.UserName(m.User),
			Email: m.User.Email, Role: string(m.Role), Chosen: string(m.Role),
			Since: m.Since, You: m.User.ID == who.User.ID,
		}
		if f.Posted == teamPath+"/members/"+row.ID+"/role" {
			row.Chosen = f.Values.Get("role")
		}
		p.Members = append(p.Members, row)
		if m.Role == merchant.RoleOwner {
			owners++
		}
	}
	p.MayLeave = len(members) > 1 && (who.Membership.Role != merchant.RoleOwner || owners > 1)
	for _, n := range invited {
		p.Invited = append(p.Invited, team.InvitedRow{
			ID: n.ID, Email: n.Email, Role: string(n.Role),
			By: n.By, ExpiresAt: n.ExpiresAt, Expired: !n.ExpiresAt.After(t.Shell.Now()),
		})
	}
	for _, r := range merchant.Roles() {
		p.Roles = append(p.Roles, team.RoleRow{Name: string(r), Does: session.RoleTexts[r]})
	}
	email := session.EmailField()
	email.Autocomplete = "off"
	p.Fields = []panel.Field{f.Field(email), reauth}
	return t.Show(c, status, p.Frame, team.Team(p))
}

// teamForm reads a form that changes roles, and re-authenticates the user: with a
// stolen session alone, an attacker could otherwise add a colleague.
func (t *Surface) teamForm(c echo.Context, who session.Principal) (*shell.Form, bool, error) {
	f, err := session.ReadForm(c)
	if err != nil {
		return nil, false, err
	}
	err = t.Gate(c, who, f, session.EachTime)
	if err == nil {
		return f, true, nil
	}
	if !session.ReauthRefused(f, err) {
		return nil, false, err
	}
	if f.Values.Has("email") {
		_, wrong := identity.NormalizeEmail(f.Text("email"))
		f.Refused(wrong, emailSubject)
	}
	return f, false, t.teamPage(c, who, fault.KindOf(err).Code(), f, "", "")
}

// emailSubject is the input of the invited user's address.
var emailSubject = shell.Subject{Service: "email", Input: "email", Label: "The e-mail address"}

// teamRefused shows the team page again with the refusal.
func (t *Surface) teamRefused(c echo.Context, who session.Principal, f *shell.Form, err error) error {
	if !f.Refused(err, emailSubject) {
		return err
	}
	return t.teamPage(c, who, fault.KindOf(err).Code(), f, "", "")
}

// postInviteMember makes an invitation. Its link is mailed; where addresses are not
// verified, it is shown in the response itself, once.
func (t *Surface) postInviteMember(c echo.Context, who session.Principal) error {
	f, ok, err := t.teamForm(c, who)
	if !ok {
		return err
	}
	n, token, err := t.Merchants.InviteMember(
		c.Request().Context(), who.Membership, f.Text("email"), merchant.Role(f.Values.Get("role")), t.Act(c, who),
	)
	if err != nil {
		return t.teamRefused(c, who, f, err)
	}
	return t.showInvitation(c, who, n, token.Reveal())
}

func (t *Surface) showInvitation(c echo.Context, who session.Principal, n merchant.Invited, token string) error {
	link := t.Shell.BaseURL + "/join?token=" + token
	if t.Users.VerifiesEmail() {
		// Only the holder of the address may have the link: it verifies the address.
		return t.Cookies.Redirect(c, teamPath, views.T(c.Request().Context(), "The invitation is on its way to {{.Email}}.", "Email", n.Email))
	}
	return t.teamPage(c, who, http.StatusOK, shell.EmptyForm(c), link, n.Email)
}

// postResendInvitation shows a new link. Anyone with the link can join, so it
// re-authenticates the user, as inviting does.
func (t *Surface) postResendInvitation(c echo.Context, who session.Principal) error {
	if _, ok, err := t.teamForm(c, who); !ok {
		return err
	}
	n, token, err := t.Merchants.RenewInvitation(
		c.Request().Context(), who.Membership.Merchant, c.Param("invitation"), t.Act(c, who),
	)
	if err != nil {
		return err
	}
	return t.showInvitation(c, who, n, token.Reveal())
}

func (t *Surface) postRevokeInvitation(c echo.Context, who session.Principal) error {
	if err := t.Merchants.RevokeInvitation(
		c.Request().Context(), who.Membership.Merchant, c.Param("invitation"), t.Act(c, who),
	); err != nil {
		return err
	}
	return t.Cookies.Redirect(c, teamPath, "The invitation is taken back. Its link leads nowhere now.")
}
