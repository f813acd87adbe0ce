package security

import (
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/views"
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

func (d *Surface) postPasskey(c echo.Context, who session.Principal, f *shell.Form) error {
	p, err := d.Users.AddPasskey(
		c.Request().Context(), who.User, f.Values.Get("name"), f.Values.Get("made"), d.Act(c, who),
	)
	if err != nil {
		return d.passkeyRefused(c, who, f, err)
	}
	return d.Cookies.Redirect(c, session.SecurityPath, views.T(c.Request().Context(), "The passkey “{{.Name}}” is added. You can sign in with it from now on. Every other session has ended.", "Name", p.Name))
}

func (d *Surface) postPasskeyName(c echo.Context, who session.Principal, f *shell.Form) error {
	ctx, id := c.Request().Context(), c.Param("passkey")
	all, err := d.Users.PasskeysOf(ctx, who.User)
	if err != nil {
		return err
	}
	for _, x := range all {
		if x.ID != id {
			continue
		}
		did := func(e audit.Entry) bool { return e.Action == audit.ActionPasskeyName }
		if err := d.Since(c, who, f, did, renameField(x)); err != nil {
			return err
		}
		if f.Stale {
			return d.passkeyPage(c, who, f.Status(), f)
		}
	}
	if err := d.Users.RenamePasskey(ctx, who.User, id, f.Values.Get("name"), d.Act(c, who)); err != nil {
		return d.passkeyRefused(c, who, f, err)
	}
	return d.Cookies.Redirect(c, session.SecurityPath, "The passkey has its new name.")
}

func (d *Surface) postRemovePasskey(c echo.Context, who session.Principal, f *shell.Form) error {
	if err := d.ByFactor(c, who, f); err != nil {
		return d.passkeyRefused(c, who, f, err)
	}
	p, err := d.Users.RemovePasskey(c.Request().Context(), who.User, c.Param("passkey"), d.Act(c, who))
	if err != nil {
		return d.passkeyRefused(c, who, f, err)
	}
	return d.Cookies.Redirect(c, session.SecurityPath, views.T(c.Request().Context(), "The passkey “{{.Name}}” is removed. Every other session has ended.", "Name", p.Name))
}

// passkeyRefused shows the page again with the refusal in the form that was sent.
func (d *Surface) passkeyRefused(c echo.Context, who session.Principal, f *shell.Form, err error) error {
	if !session.ReauthRefused(f, err) &&
		!f.Refused(err, shell.Subject{Service: "name", Input: "name", Label: "The name"}) {
		return err
	}
	return d.passkeyPage(c, who, fault.KindOf(err).Code(), f)
}

func (d *Surface) passkeyPage(c echo.Context, who session.Principal, status int, f *shell.Form) error {
	forms := emptySecurityForms(c)
	forms.passkey = f
	return d.securityPage(c, who, status, forms)
}

// renameField is the input of the name of a passkey, with the name that is stored.
func renameField(x identity.Passkey) panel.Field {
	return panel.Field{Form: x.ID, Name: "name", Label: "Name", Value: x.Name, Max: "100", Setting: true}
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
		Rename:  shell.NewForm(url.Values{}).Field(renameField(x)),
	}
	if f.Posted == path+"/name" {
		r.Rename = f.Field(renameField(x))
	}
	return r
}
