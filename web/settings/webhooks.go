package settings

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/views/settings"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// webhookForms holds the state of the forms of the page.
type webhookForms struct {
	callback, secret *shell.Form
	signing          secret.Text // new, shown once
	signingWaits     bool        // it is valid in 24 hours
}

func emptyWebhookForms(c echo.Context) webhookForms {
	return webhookForms{callback: shell.EmptyForm(c), secret: shell.EmptyForm(c)}
}

func (s *Surface) getWebhooks(c echo.Context, who session.Principal) error {
	return s.webhooksPage(c, who, http.StatusOK, c.QueryParam("key"), emptyWebhookForms(c))
}

func (s *Surface) webhooksPage(c echo.Context, who session.Principal, status int, asked string, f webhookForms) error {
	key, ok, choice, err := who.KeyChoice(webhooksPath, asked)
	if err != nil {
		return err
	}
	p := settings.WebhooksProps{
		Frame: s.Frame(c, who, "Webhooks", webhooksPath), Key: choice, HasKey: ok, Signing: f.signing.Reveal(),
		SigningWaits: f.signingWaits,
		Problem:      f.callback.Problem, SecretProblem: f.secret.Problem,
	}
	if !ok {
		return s.Show(c, status, p.Frame, settings.Webhooks(p))
	}
	if p.Waiting, err = s.Waiting(c.Request().Context(), who.Membership.Merchant.ID); err != nil {
		return err
	}
	custodian, has, err := s.CustodianOf(c.Request().Context(), key)
	if err != nil {
		return err
	}
	p.Exists, p.SigningCount, p.SecretSet = has, len(custodian.SigningSecrets), !custodian.Secret.Empty()
	p.Callback = callbackField(f.callback, custodian, who.Membership.Role.May(merchant.ActCallback))
	if p.Password, err = s.GateFieldIfAsked(c, who, f.callback); err != nil {
		return err
	}
	p.Secret = f.secret.Field(panel.Field{
		Name: "secret", Label: "Shared secret in the body (optional)", Max: "256",
		Hint: "Florin sends it as “secret” in every webhook. Your server can compare it.",
	})
	p.SecretReauth.Posted, p.SecretReauth.IfAsked = f.secret.Posted, true
	if p.SecretReauth.Field, err = s.GateFieldIfAsked(c, who, f.secret); err != nil {
		return err
	}
	return s.Show(c, status, p.Frame, settings.Webhooks(p))
}

func callbackField(f *shell.Form, c merchant.Custodian, may bool) panel.Field {
	x := panel.Field{
		Name: "callbackUrl", Label: "Callback address", Type: "url", Value: c.CallbackURL, Mono: true, Max: "2048", Setting: true,
		Hint:        "An https address of your shop. If you leave it empty, Florin sends no webhook.",
		Placeholder: "https://shop.example/florin", ReadOnly: !may,
	}
	if !may {
		x.Hint = "Only an owner can change the callback address and the secrets."
	}
	return f.Field(x)
}

// postCallback changes where webhooks are sent. It asks for re-authentication, notifies
// the owners by mail and writes the audit log.
func (s *Surface) postCallback(c echo.Context, who session.Principal) error {
	f, key, custodian, err := s.ownCustodian(c, who)
	if err != nil {
		return err
	}
	if err := s.since(c, who, f, key, callbackField(shell.EmptyForm(c), custodian, true)); err != nil {
		return err
	}
	all := emptyWebhookForms(c)
	all.callback = f
	return s.apply(c, who, f, change{
		asOf: custodian.UpdatedAt, key: key, in: merchant.CustodianInput{CallbackURL: f.Changed("callbackUrl")},
		subjects: []shell.Subject{{Service: "callbackUrl", Input: "callbackUrl", Label: "The callback address"}},
		path:     webhooksPath, saved: "The callback address is saved.",
		page: func(status int) error { return s.webhooksPage(c, who, status, key.PublicID, all) },
	})
}

// postSecret changes the shared secret, as postCallback does: a caller who knows it can
// report payments to a shop that never happened.
func (s *Surface) postSecret(c echo.Context, who session.Principal) error {
	f, key, _, err := s.ownCustodian(c, who)
	if err != nil {
		return err
	}
	text := secret.New(f.Values.Get("secret"))
	return s.apply(c, who, f, change{
		key: key, in: merchant.CustodianInput{Secret: &text},
		subjects: []shell.Subject{{Service: "secret", Input: "secret", Label: "The secret"}},
		path:     webhooksPath, saved: "The shared secret is saved.",
		page: func(status int) error { return s.secretRefused(c, who, status, key, f) },
	})
}

// secretAct asks for re-authentication before it acts on the signing secrets.
func (s *Surface) secretAct(c echo.Context, who session.Principal, act func(merchant.Key) error) error {
	f, key, _, err := s.ownCustodian(c, who)
	if err != nil {
		return err
	}
	err = s.Gate(c, who, f, session.Recently)
	if err == nil {
		return act(key)
	}
	if !session.ReauthRefused(f, err) {
		return err
	}
	return s.secretRefused(c, who, session.ReauthStatus(err), key, f)
}

func (s *Surface) secretRefused(
	c echo.Context, who session.Principal, status int, key merchant.Key, f *shell.Form,
) error {
	all := emptyWebhookForms(c)
	all.secret = f
	return s.webhooksPage(c, who, status, key.PublicID, all)
}

func (s *Surface) postRotateSigning(c echo.Context, who session.Principal) error {
	return s.secretAct(c, who, func(key merchant.Key) error {
		locked, err := s.Locked(c, who)
		if err != nil {
			return err
		}
		next := s.Merchants.RotateSigningSecret
		if locked {
			next = s.Merchants.WaitSigningSecret
		}
		signing, err := next(c.Request().Context(), key, s.Act(c, who))
		if err != nil {
			return err
		}
		all := emptyWebhookForms(c)
		all.signingWaits = locked
		all.signing = signing // a redirect would have to store it
		return s.webhooksPage(c, who, http.StatusOK, key.PublicID, all)
	})
}

func (s *Surface) postRetireSigning(c echo.Context, who session.Principal) error {
	return s.secretAct(c, who, func(key merchant.Key) error {
		if err := s.Merchants.RetireSigningSecret(c.Request().Context(), key, s.Act(c, who)); err != nil {
			return err
		}
		return s.Cookies.Redirect(c, webhooksPath+"?key="+key.PublicID, "Only the newest signing secret is valid now.")
	})
}
