package web

import (
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/web/shell"
)

// secretAct asks once more who is there before it acts on the secrets of
// webhooks: whoever knows one can tell a shop of payments that never were.
func (d *desk) secretAct(c echo.Context, v visitor, act func(*shell.Form, merchant.Key) error) error {
	f, key, err := d.ownCustodian(c, v)
	if err != nil {
		return err
	}
	f.Posted = c.Request().URL.Path
	err = d.confirm(c, v, f)
	if err == nil {
		return act(f, key)
	}
	if !d.badProof(f, err) {
		return err
	}
	return d.secretRefused(c, v, proofStatus(err), key, f)
}

func (d *desk) secretRefused(c echo.Context, v visitor, status int, key merchant.Key, f *shell.Form) error {
	all := emptyCustodianForm()
	all.secret = f
	return d.custodianPage(c, v, status, key.PublicID, all)
}

func (d *desk) postSecret(c echo.Context, v visitor) error {
	return d.secretAct(c, v, func(f *shell.Form, key merchant.Key) error {
		before, _, err := d.custodianOf(c.Request().Context(), key)
		if err != nil {
			return err
		}
		text := secret.New(f.Values.Get("secret"))
		entry := d.auditEntry(c, v, audit.ActionCustodian, labelOf(key), "shared secret")
		after, _, err := d.x.Members.ArrangeCustodian(c.Request().Context(), key, merchant.CustodianInput{Secret: &text}, merchant.Audited(entry))
		if err == nil {
			d.tellSecrets(c, v, key, after.SharedSecret(before)...)
			return d.cookies.Redirect(c, custodianPath+"?key="+key.PublicID, "The shared secret is saved.")
		}
		if !f.Refused(err, shell.Subject{Service: "secret", Input: "secret", Label: "The secret"}) {
			return err
		}
		return d.secretRefused(c, v, fault.KindOf(err).Code(), key, f)
	})
}

func (d *desk) postRotateSigning(c echo.Context, v visitor) error {
	return d.secretAct(c, v, func(_ *shell.Form, key merchant.Key) error {
		signing, err := d.x.Members.RotateSigningSecret(c.Request().Context(), key, d.auditEntry(c, v, audit.ActionSigningSecret, labelOf(key), ""))
		if err != nil {
			return err
		}
		d.tellSecrets(c, v, key, "signing secret: a new one was made and shown")
		return d.custodianSaved(c, v, key, signing, "")
	})
}

func (d *desk) postRetireSigning(c echo.Context, v visitor) error {
	return d.secretAct(c, v, func(_ *shell.Form, key merchant.Key) error {
		entry := d.auditEntry(c, v, audit.ActionSigningSecret, labelOf(key), "the old one was retired")
		if err := d.x.Members.RetireSigningSecret(c.Request().Context(), key, entry); err != nil {
			return err
		}
		d.tellSecrets(c, v, key, "signing secret: only the newest is valid, the old one was retired")
		return d.cookies.Redirect(c, custodianPath+"?key="+key.PublicID, "Only the newest signing secret is valid now.")
	})
}

// tellSecrets mails the owners what became of their secrets; nothing is no mail.
func (d *desk) tellSecrets(c echo.Context, v visitor, key merchant.Key, changes ...string) {
	if len(changes) > 0 {
		d.mailOwners(c, v, "A secret of your webhooks was changed", v.user.Email+" changed in Florin, for the API key “"+labelOf(key)+"”:\n\n"+
			strings.Join(changes, "\n"))
	}
}
