package dashboard

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/input"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// maxReason bounds the reason of an act.
const maxReason = 500

// onlyLate reports whether enough money came, but after the payment ended.
func onlyLate(x payment.Payment) bool { return x.Standing() == payment.StandingLate }

func (d *Surface) postCancelPayment(c echo.Context, who session.Principal) error {
	p, _, err := d.ownPayment(c, who)
	if err != nil {
		return err
	}
	if _, err := d.Payments.Cancel(c.Request().Context(), string(p.ID), d.Act(c, who)); err != nil {
		return d.paymentRefused(c, who, shell.NewForm(url.Values{}), err)
	}
	return d.Cookies.Redirect(c, paymentsPath+"/"+string(p.ID), "The payment is cancelled.")
}

func (d *Surface) paymentRefused(c echo.Context, who session.Principal, f *shell.Form, err error) error {
	if !f.Refused(err) {
		return err
	}
	return d.paymentPage(c, who, fault.KindOf(err).Code(), f, nil)
}

// byHand reads a form that completes a payment without the money, and requires
// re-authentication; ok is false if the page was shown again.
func (d *Surface) byHand(c echo.Context, who session.Principal, f *shell.Form) (ok bool, err error) {
	err = d.Strong(c, who, f)
	if err == nil {
		return true, nil
	}
	if !session.ReauthRefused(f, err) {
		return false, err
	}
	return false, d.paymentPage(c, who, session.ReauthStatus(err), f, nil)
}

// postComplete completes a payment whatever was received; a reason is required.
func (d *Surface) postComplete(c echo.Context, who session.Principal, f *shell.Form) error {
	p, _, err := d.ownPayment(c, who)
	if err != nil {
		return err
	}
	reason, err := input.Lines("reason", f.Text("reason"), maxReason)
	if reason == "" || err != nil {
		f.Bad("reason", "Say in up to 500 characters, all of them visible, why you complete it by hand.")
	}
	if ok, err := d.byHand(c, who, f); !ok {
		return err
	}
	if !f.OK() {
		return d.paymentPage(c, who, http.StatusBadRequest, f, nil)
	}
	if locked, err := d.Locked(c, who); err != nil {
		return err
	} else if locked {
		return d.completionWaits(c, who, f, p, reason, false)
	}
	_, err = d.Payments.MarkCompleted(c.Request().Context(), p.KeyID, string(p.ID), reason, d.Act(c, who))
	if errors.Is(err, payment.ErrUnknown) {
		return err
	}
	if err != nil {
		return d.paymentRefused(c, who, f, err)
	}
	return d.Cookies.Redirect(c, paymentsPath+"/"+string(p.ID), "The payment is marked as completed.")
}

// completionWaits stores that a payment of a locked account is completed by hand in 24 hours, unless an owner stops it.
func (d *Surface) completionWaits(
	c echo.Context, who session.Principal, f *shell.Form, p payment.Payment, reason string, accept bool,
) error {
	if p.Status == payment.Completed {
		return d.paymentRefused(c, who, f, payment.ErrCompleted)
	}
	ctx, account := c.Request().Context(), who.Membership.Merchant.ID
	err := d.Merchants.WaitComplete(ctx, account, p.KeyID, string(p.ID), p.ByHandWords(reason, accept), accept, reason,
		d.Act(c, who))
	if err != nil {
		return d.paymentRefused(c, who, f, err)
	}
	return d.Cookies.Redirect(c, paymentsPath+"/"+string(p.ID), session.WaitsNotice)
}

// postAccept accepts what came as full payment. Money that is only late needs no
// reason and no re-authentication.
func (d *Surface) postAccept(c echo.Context, who session.Principal, f *shell.Form) error {
	p, _, err := d.ownPayment(c, who)
	if err != nil {
		return err
	}
	if !onlyLate(p) {
		if ok, err := d.byHand(c, who, f); !ok {
			return err
		}
	}
	ctx := c.Request().Context()
	if locked, err := d.Locked(c, who); err != nil {
		return err
	} else if locked && !onlyLate(p) && p.Acceptable() {
		return d.completionWaits(c, who, f, p, "", true)
	}
	if _, err = d.Payments.Accept(ctx, p.KeyID, string(p.ID), d.Act(c, who)); err != nil {
		return d.paymentRefused(c, who, f, err)
	}
	return d.Cookies.Redirect(c, paymentsPath+"/"+string(p.ID), views.T(ctx, "The payment is completed with {{.Amount}}.",
		"Amount", arrived(ctx, p)))
}
