package security

import (
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/views/security"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

func (d *Surface) postAskToConfirm(c echo.Context, who session.Principal) error {
	options, err := d.Users.AskToConfirm(c.Request().Context(), who.User, who.Token())
	return d.Answer(c, options, err)
}

// postNewPasskey starts to add a passkey, after re-authentication. The form that
// completes it needs no second one.
func (d *Surface) postNewPasskey(c echo.Context, who session.Principal) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return d.Answer(c, "", err)
	}
	if err := d.ByFactor(c, who, f); err != nil {
		return d.Answer(c, "", err)
	}
	options, err := d.Users.NewPasskey(c.Request().Context(), who.User, who.Token())
	return d.Answer(c, options, err)
}

func (d *Surface) postPasskey(c echo.Context, who session.Principal) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	p, err := d.Users.AddPasskey(
		c.Request().Context(), who.User, f.Values.Get("name"), f.Values.Get("made"), d.Act(c, who),
	)
	if err != nil {
		return d.passkeyRefused(c, who, f, err)
	}
	return d.Cookies.Redirect(c, session.SecurityPath, "The passkey “"+p.Name+"” is added. You can sign in with it from now on. Every other session has ended.")
}

func (d *Surface) postPasskeyName(c echo.Context, who session.Principal) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	if err := d.Users.RenamePasskey(
		c.Request().Context(), who.User, c.Param("passkey"), f.Values.Get("name"), d.Act(c, who),
	); err != nil {
		return d.passkeyRefused(c, who, f, err)
	}
	return d.Cookies.Redirect(c, session.SecurityPath, "The passkey has its new name.")
}

func (d *Surface) postRemovePasskey(c echo.Context, who session.Principal) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	if err := d.ByFactor(c, who, f); err != nil {
		return d.passkeyRefused(c, who, f, err)
	}
	p, err := d.Users.RemovePasskey(c.Request().Context(), who.User, c.Param("passkey"), d.Act(c, who))
	if err != nil {
		return d.passkeyRefused(c, who, f, err)
	}
	return d.Cookies.Redirect(c, session.SecurityPath, "The passkey “"+p.Name+"” is removed. Every other session has ended.")
}

// passkeyRefused shows the page again with the refusal in the form that was sent.
func (d *Surface) passkeyRefused(c echo.Context, who session.Principal, f *shell.Form, err error) error {
	if !session.ReauthRefused(f, err) &&
		!f.Refused(err, shell.Subject{Service: "name", Input: "name", Label: "The name"}) {
		return err
	}
	forms := emptySecurityForms()
	forms.passkey = f
	return d.securityPage(c, who, fault.KindOf(err).Code(), forms)
}

// passkeys fills in the passkeys of the page; it does nothing if passkeys are not
// offered.
func (d *Surface) passkeys(c echo.Context, who session.Principal, f *shell.Form, p *security.Props) error {
	if !d.Users.HasPasskeys() {
		return nil
	}
	all, err := d.Users.PasskeysOf(c.Request().Context(), who.User)
	if err != nil {
		return err
	}
	p.PasskeysAt, p.PasskeyProblem, p.PasskeysFull = d.Shell.BaseURL, f.Problem, identity.MayAddPasskey(len(all)) != nil
	for _, x := range all {
		p.Passkeys = append(p.Passkeys, passkeyRow(f, x))
	}
	added := f
	if f.Posted != passkeysPath {
		added = shell.NewForm(url.Values{})
	}
	p.PasskeyName = added.Field(panel.Field{
		Name: "name", Label: "Name (optional)", Placeholder: "Phone", Max: "100", Hint: "So that you can tell your passkeys apart.",
	})
	p.PasskeyReauth.Posted = f.Posted
	p.PasskeyReauth.Field, err = d.ReauthField(c, who, f)
	return err
}

// passkeyRow is a passkey with the forms that change it.
func passkeyRow(f *shell.Form, x identity.Passkey) security.PasskeyRow {
	path := passkeysPath + "/" + x.ID
	r := security.PasskeyRow{
		ID: x.ID, Name: x.Name, CreatedAt: x.CreatedAt, UsedAt: x.UsedAt,
		Changed: strings.HasPrefix(f.Posted, path+"/"),
		Rename:  panel.Field{Form: x.ID, Name: "name", Label: "Name", Value: x.Name, Max: "100"},
	}
	if f.Posted == path+"/name" {
		r.Rename = f.Field(r.Rename)
	}
	return r
}
