package web

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

// Where passkeys are asked for. A script asks at the first what to ask of the
// browser, and sends the browser's answer as a form like any other.
const (
	enterPath    = "/signin/passkey"
	passkeysPath = securityPath + "/passkeys"
	confirmPath  = "/dashboard/confirm"
)

// asked answers the script: with the options for navigator.credentials, or with
// what is in the way.
func (d *desk) asked(c echo.Context, options string, err error) error {
	if err == nil {
		return c.JSONBlob(http.StatusOK, []byte(options))
	}
	if f := fault.Of(err); f == nil || f.Kind == fault.Internal {
		return err
	}
	refusal := d.sh.Refuse(c, err)
	return c.JSON(refusal.Code, map[string]string{"problem": shell.Sentence(refusal.Message)})
}

// postAskPasskey asks whoever it is for a passkey. Who was asked is kept in a
// cookie, so that an answer is good only from the browser that was asked.
func (d *desk) postAskPasskey(c echo.Context) error {
	ctx := c.Request().Context()
	if err := d.sh.Limits.Costly(ctx); err != nil {
		return d.asked(c, "", err)
	}
	options, token, err := d.x.Members.AskPasskey(ctx)
	if err == nil {
		err = d.cookies.Put(c.Response(), shell.AskedCookie, identity.ChallengeTTL, map[string]string{"token": token.Reveal()})
	}
	return d.asked(c, options, err)
}

func (d *desk) postEnterPasskey(c echo.Context) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	token := d.cookies.Get(c.Request(), shell.AskedCookie, "token")
	d.cookies.Drop(c.Response(), shell.AskedCookie)
	in, err := d.x.Members.EnterWithPasskey(c.Request().Context(), token, values.Get("passkey"), identity.Credentials{
		Address: shell.CallOf(c).Client, UserAgent: shell.CallOf(c).UserAgent,
	}, d.auditSignIn(c, "with a passkey"))
	if err != nil {
		d.ifCopied(c, in.User, err)
		return d.signInAgain(c, shell.NewForm(url.Values{"next": values["next"]}), err)
	}
	return d.welcome(c, in, shell.SafeNext(values.Get("next")))
}

// ifCopied tells the user if somebody has a copy of a passkey of theirs.
func (d *desk) ifCopied(c echo.Context, user identity.User, err error) {
	if !errors.Is(err, identity.ErrCopiedPasskey) {
		return
	}
	// Nothing came of it but this line, so there is no act to write it with.
	line := d.entryOf(c, user.ID, user.Email, audit.ActionPasskeyCopied, "", "")
	if err := d.x.Members.Record(c.Request().Context(), line); err != nil {
		d.d.Log.Error("the audit log misses a line", "request", shell.CallOf(c).RequestID, "action", string(line.Action), "error", err)
	}
	d.mail(c, user.Email, "One of your passkeys may have been copied", "A passkey of yours was shown to Florin whose counter went back, as that of a copy would. It was not accepted.\n\n"+
		"Sign in with your password, remove the passkey that was used last, and add a new one:\n"+d.o.BaseURL+securityPath)
}

func (d *desk) postAskToConfirm(c echo.Context, v visitor) error {
	options, err := d.x.Members.AskToConfirm(c.Request().Context(), v.user, v.token)
	return d.asked(c, options, err)
}

// postNewPasskey asks for a new passkey, of somebody who shows once more who
// they are. The session's answer to it needs no other proof.
func (d *desk) postNewPasskey(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return d.asked(c, "", err)
	}
	if err := d.confirm(c, v, shell.NewForm(values)); err != nil {
		return d.asked(c, "", err)
	}
	options, err := d.x.Members.NewPasskey(c.Request().Context(), v.user, v.token)
	return d.asked(c, options, err)
}

func (d *desk) postPasskey(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	entry := d.auditOwn(c, v.user, audit.ActionPasskeyAdd, "", "")
	p, err := d.x.Members.AddPasskey(c.Request().Context(), v.user, v.token, values.Get("name"), values.Get("made"), entry)
	if err != nil {
		return d.passkeyRefused(c, v, shell.NewForm(values), err)
	}
	d.mail(c, v.user.Email, "A passkey was added", "A passkey called “"+p.Name+"” was added to your account. Whoever has it can sign in to Florin as you.\n\n"+
		"If this was not you, remove it and change your password at once:\n"+d.o.BaseURL+securityPath)
	return d.cookies.Redirect(c, securityPath, "The passkey “"+p.Name+"” is added. You can sign in with it from now on.")
}

func (d *desk) postPasskeyName(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	entry := d.auditOwn(c, v.user, audit.ActionPasskeyName, "", "")
	if err := d.x.Members.RenamePasskey(c.Request().Context(), v.user, c.Param("passkey"), values.Get("name"), entry); err != nil {
		return d.passkeyRefused(c, v, shell.NewForm(url.Values{}), err)
	}
	return d.cookies.Redirect(c, securityPath, "The passkey has its new name.")
}

func (d *desk) postRemovePasskey(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	f := shell.NewForm(values)
	if err := d.confirm(c, v, f); err != nil {
		return d.passkeyRefused(c, v, f, err)
	}
	entry := d.auditOwn(c, v.user, audit.ActionPasskeyRemove, "", "")
	p, err := d.x.Members.RemovePasskey(c.Request().Context(), v.user, v.token, c.Param("passkey"), entry)
	if err != nil {
		return d.passkeyRefused(c, v, f, err)
	}
	d.mail(c, v.user.Email, "A passkey was removed", "The passkey called “"+p.Name+"” signs nobody in to Florin any more, and every other session was ended.\n\n"+
		"If this was not you, change your password at once:\n"+d.o.BaseURL+securityPath)
	return d.cookies.Redirect(c, securityPath, "The passkey “"+p.Name+"” is removed. Every other session has ended.")
}

// passkeyRefused shows the page again with what is in the way, above the list:
// several of its forms ask the same.
func (d *desk) passkeyRefused(c echo.Context, v visitor, f *shell.Form, err error) error {
	if d.badProof(f, err) {
		if text := f.Problems["password"]; text != "" {
			f.Problem = text
			delete(f.Problems, "password")
		}
	} else if !f.Refused(err, shell.Subject{Service: "name", Input: "name", Label: "The name"}) {
		return err
	}
	forms := emptySecurityForms()
	forms.passkey = f
	return d.securityPage(c, v, fault.KindOf(err).Code(), forms)
}

// passkeys fills in what a page shows of passkeys; nothing where there are none
// to be had.
func (d *desk) passkeys(c echo.Context, v visitor, f *shell.Form, p *dashboard.SecurityProps) error {
	if !d.x.Members.HasPasskeys() {
		return nil
	}
	all, err := d.x.Members.PasskeysOf(c.Request().Context(), v.user)
	if err != nil {
		return err
	}
	p.PasskeysAt, p.PasskeyProblem, p.PasskeysFull = d.o.BaseURL, f.Problem, len(all) >= identity.MaxPasskeys
	for _, x := range all {
		p.Passkeys = append(p.Passkeys, dashboard.PasskeyRow{ID: x.ID, Name: x.Name, CreatedAt: x.CreatedAt, UsedAt: x.UsedAt})
	}
	p.PasskeyName = f.Field(panel.Field{
		Name: "name", Label: "Name (optional)", Placeholder: "Phone", Max: "100", Hint: "So that you can tell your passkeys apart.",
	})
	p.PasskeyReauth, err = d.proofField(c, v, shell.NewForm(url.Values{}))
	return err
}
