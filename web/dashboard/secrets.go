package dashboard

import (
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// secretAct asks for re-authentication before it acts on the secrets of
// webhooks: a caller who knows one can report payments to a shop that never happened.
func (d *Surface) secretAct(c echo.Context, who session.Principal, act func(*shell.Form, merchant.Key) error) error {
	f, key, err := d.ownCustodian(c, who)
	if err != nil {
		return err
	}
	err = d.Gate(c, who, f)
	if err == nil {
		return act(f, key)
	}
	if !session.ReauthRefused(f, err) {
		return err
	}
	return d.secretRefused(c, who, session.ReauthStatus(err), key, f)
}

func (d *Surface) secretRefused(
	c echo.Context, who session.Principal, status int, key merchant.Key, f *shell.Form,
) error {
	all := emptyCustodianForm()
	all.secret = f
	return d.custodianPage(c, who, status, key.PublicID, all)
}

func (d *Surface) postSecret(c echo.Context, who session.Principal) error {
	return d.secretAct(c, who, func(f *shell.Form, key merchant.Key) error {
		before, _, err := d.custodianOf(c.Request().Context(), key)
		if err != nil {
			return err
		}
		text := secret.New(f.Values.Get("secret"))
		in := merchant.CustodianInput{Secret: &text}
		waits, err := d.waits(c, who, key, in)
		if waits && err == nil {
			return d.Cookies.Redirect(c, custodianPath+"?key="+key.PublicID, session.WaitsNotice)
		}
		if err != nil {
			return d.secretFailed(c, who, f, key, err)
		}
		entries := d.AuditChanges(c, who, func(before, after merchant.Custodian) []audit.Entry {
			return merchant.MoneyEntries(session.KeyLabel(key), before, after)
		})
		after, _, err := d.Merchants.ArrangeCustodian(
			c.Request().Context(), key, in, entries,
		)
		if err == nil {
			d.mailSecrets(c, who, key, after.SharedSecret(before)...)
			return d.Cookies.Redirect(c, custodianPath+"?key="+key.PublicID, "The shared secret is saved.")
		}
		return d.secretFailed(c, who, f, key, err)
	})
}

// secretFailed shows why the shared secret was refused.
func (d *Surface) secretFailed(
	c echo.Context, who session.Principal, f *shell.Form, key merchant.Key, err error,
) error {
	if !f.Refused(err, shell.Subject{Service: "secret", Input: "secret", Label: "The secret"}) {
		return err
	}
	return d.secretRefused(c, who, fault.KindOf(err).Code(), key, f)
}

func (d *Surface) postRotateSigning(c echo.Context, who session.Principal) error {
	return d.secretAct(c, who, func(_ *shell.Form, key merchant.Key) error {
		signing, err := d.Merchants.RotateSigningSecret(
			c.Request().Context(), key, d.AuditEntry(c, who, audit.ActionSigningSecret, session.KeyLabel(key), ""),
		)
		if err != nil {
			return err
		}
		d.mailSecrets(c, who, key, "signing secret: a new one was made and shown")
		return d.custodianSaved(c, who, key, signing, "")
	})
}

func (d *Surface) postRetireSigning(c echo.Context, who session.Principal) error {
	return d.secretAct(c, who, func(_ *shell.Form, key merchant.Key) error {
		entry := d.AuditEntry(c, who, audit.ActionSigningSecret, session.KeyLabel(key), "the old one was retired")
		if err := d.Merchants.RetireSigningSecret(c.Request().Context(), key, entry); err != nil {
			return err
		}
		d.mailSecrets(c, who, key, "signing secret: only the newest is valid, the old one was retired")
		return d.Cookies.Redirect(c, custodianPath+"?key="+key.PublicID, "Only the newest signing secret is valid now.")
	})
}

// mailSecrets mails the owners a change of their secrets.
func (d *Surface) mailSecrets(c echo.Context, who session.Principal, key merchant.Key, changes ...string) {
	d.MailChanges(c, who, key, "A secret of your webhooks was changed", changes)
}
