package settings

import (
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// change is a change of a custodian that a form asks for.
type change struct {
	key      merchant.Key
	in       merchant.CustodianInput
	subjects []shell.Subject // inputs that refusals can name
	path     string          // of the page
	saved    string          // notice after it was made
	asOf     time.Time       // Custodian.UpdatedAt of the custodian that the form was compared with
	shown    bool            // it is of what payers read alone
	// page shows the form again.
	page func(status int) error
}

// apply makes a change that passes the gate, or stores it until the 24 hours of a
// locked account are over. A refusal shows the form with all that is wrong with it.
func (s *Surface) apply(c echo.Context, who session.Principal, f *shell.Form, x change) error {
	ctx := c.Request().Context()
	readable := f.OK() // otherwise what is wrong stands beside its inputs already
	gate := func() error { return s.Gate(c, who, f, session.Recently) }
	if x.shown {
		gate = func() error { return s.GateShown(c, who, f) }
	}
	if err := gate(); err != nil {
		if !session.ReauthRefused(f, err) {
			return err
		}
		if readable {
			_, _, wrong := s.Merchants.Preview(ctx, x.key, x.in)
			f.Refused(wrong, x.subjects...)
		}
		return x.page(session.ReauthStatus(err))
	}
	if !f.OK() {
		return x.page(f.Status())
	}
	before, _, err := s.CustodianOf(ctx, x.key)
	if err != nil {
		return err
	}
	at := x.path + "?key=" + x.key.PublicID
	waits, err := s.waits(c, who, x.key, x.in)
	if waits && err == nil {
		return s.Cookies.Redirect(c, at, session.WaitsNotice)
	}
	if err == nil {
		var after merchant.Custodian
		// A new custodian comes with a signing secret, which is not shown here: a merchant
		// whose server checks signatures makes one on the page of webhooks.
		x.in.AsOf = x.asOf
		if after, _, err = s.Merchants.ArrangeCustodian(ctx, x.key, x.in, s.Act(c, who)); err == nil {
			notices := s.Merchants.WalletWarnings(ctx, before, after)
			return s.Cookies.Redirect(c, at, shell.Sentences(f.Locale, f.Locale.T(x.saved), notices))
		}
	}
	if !f.Refused(err, x.subjects...) {
		return err
	}
	return x.page(fault.KindOf(err).Code())
}

// ownCustodian reads the form and returns the key it names, and its custodian.
func (s *Surface) ownCustodian(
	c echo.Context, who session.Principal,
) (*shell.Form, merchant.Key, merchant.Custodian, error) {
	f, err := session.ReadForm(c)
	if err != nil {
		return nil, merchant.Key{}, merchant.Custodian{}, err
	}
	key, err := who.Key(f.Values.Get("key"))
	if err != nil {
		return nil, merchant.Key{}, merchant.Custodian{}, err
	}
	custodian, has, err := s.CustodianOf(c.Request().Context(), key)
	if err == nil && !has {
		err = merchant.ErrNoCustodian
	}
	return f, key, custodian, err
}

// settingActions are what the audit log calls changes of a custodian.
var settingActions = []audit.Action{
	audit.ActionWallets, audit.ActionCallback, audit.ActionBranding, audit.ActionCustodian,
}

// since compares the form with the settings of the key as they are stored now.
func (s *Surface) since(
	c echo.Context, who session.Principal, f *shell.Form, key merchant.Key, stored ...panel.Field,
) error {
	return s.Since(c, who, f, func(e audit.Entry) bool {
		return slices.Contains(settingActions, e.Action) &&
			(e.Subject == session.KeyLabel(key) || e.Subject == key.PublicID)
	}, stored...)
}
