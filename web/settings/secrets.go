package settings

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
func (s *Surface) secretAct(c echo.Context, who session.Principal, act func(*shell.Form, merchant.Key) error) error {
	f, key, err := s.ownCustodian(c, who)
	if err != nil {
		return err
	}
	err = s.Gate(c, who, f, session.Recently)
	if err == nil {
		return act(f, key)
	}
	if !session.ReauthRefused(f, err) {
		return err
	}
	return s.secretRefused(c, who, session.ReauthStatus(err), key, f)
}

func (s *Surface) secretRefused(
	c echo.Context, who session.Principal, status int, key merchant.Key, f *shell.Form,
) error {
	all := emptyCustodianForm()
	all.secret = f
	return s.custodianPage(c, who, status, key.PublicID, all)
}

func (s *Surface) postSecret(c echo.Context, who session.Principal) error {
	return s.secretAct(c, who, func(f *shell.Form, key merchant.Key) error {
		before, _, err := s.CustodianOf(c.Request().Context(), key)
		if err != nil {
			return err
		}
		text := secret.New(f.Values.Get("secret"))
		in := merchant.CustodianInput{Secret: &text}
		waits, err := s.waits(c, who, key, in)
		if waits && err == nil {
			return s.Cookies.Redirect(c, custodianPath+"?key="+key.PublicID, session.WaitsNotice)
		}
		if err != nil {
			return s.secretFailed(c, who, f, key, err)
		}
		entries := s.AuditChanges(c, who, func(before, after merchant.Custodian) []audit.Entry {
			return merchant.MoneyEntries(session.KeyLabel(key), before, after)
		})
		after, _, err := s.Merchants.ArrangeCustodian(
			c.Request().Context(), key, in, entries,
		)
		if err == nil {
			s.mailSecrets(c, who, key, after.SharedSecret(before)...)
			return s.Cookies.Redirect(c, custodianPath+"?key="+key.PublicID, "The shared secret is saved.")
		}
		return s.secretFailed(c, who, f, key, err)
	})
}

// secretFailed shows why the shared secret was refused.
func (s *Surface) secretFailed(
	c echo.Context, who session.Principal, f *shell.Form, key merchant.Key, err error,
) error {
	if !f.Refused(err, shell.Subject{Service: "secret", Input: "secret", Label: "The secret"}) {
		return err
	}
	return s.secretRefused(c, who, fault.KindOf(err).Code(), key, f)
}

func (s *Surface) postRotateSigning(c echo.Context, who session.Principal) error {
	return s.secretAct(c, who, func(_ *shell.Form, key merchant.Key) error {
		signing, err := s.Merchants.RotateSigningSecret(
			c.Request().Context(), key, s.AuditEntry(c, who, audit.ActionSigningSecret, session.KeyLabel(key), ""),
		)
		if err != nil {
			return err
		}
		s.mailSecrets(c, who, key, "signing secret: a new one was made and shown")
		return s.custodianSaved(c, who, key, signing, "")
	})
}

func (s *Surface) postRetireSigning(c echo.Context, who session.Principal) error {
	return s.secretAct(c, who, func(_ *shell.Form, key merchant.Key) error {
		entry := s.AuditEntry(c, who, audit.ActionSigningSecret, session.KeyLabel(key), "the old one was retired")
		if err := s.Merchants.RetireSigningSecret(c.Request().Context(), key, entry); err != nil {
			return err
		}
		s.mailSecrets(c, who, key, "signing secret: only the newest is valid, the old one was retired")
		return s.Cookies.Redirect(c, custodianPath+"?key="+key.PublicID, "Only the newest signing secret is valid now.")
	})
}

// mailSecrets mails the owners a change of their secrets.
func (s *Surface) mailSecrets(c echo.Context, who session.Principal, key merchant.Key, changes ...string) {
	s.MailChanges(c, who, key, "A secret of your webhooks was changed", changes)
}
