package checkout

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/web/present"
	"github.com/florinpay/florin/web/shell"
)

// getCheckout is the page a payer pays on.
func (s *Surface) getCheckout(c echo.Context) error {
	p, err := s.Payments.Get(c.Request().Context(), c.QueryParam("txnid"))
	if err != nil {
		return err
	}
	s.Payments.Look(p)
	s.NoteShown(c, p)
	return s.show(c, p, http.StatusOK, func(*checkout.Props) {})
}

// NoteShown records that a page showed the payment. Only the merchant sees that, so
// the payer gets the page even if it fails.
func (s *Surface) NoteShown(c echo.Context, p payment.Payment) {
	if c.Request().Method != http.MethodGet {
		return
	}
	lang := shell.Language(c)
	if err := s.Payments.Shown(c.Request().Context(), p, lang, c.QueryParam("lang") == lang); err != nil {
		s.Shell.Log.Warn("the view of a payment was not recorded", "request", shell.CallOf(c).RequestID, "error", err)
	}
}

// show writes the page of a payment, or of the campaign whose form was sent; add
// completes its props.
func (s *Surface) show(c echo.Context, p payment.Payment, status int, add func(*checkout.Props)) error {
	if slug := c.QueryParam("campaign"); slug != "" && c.Param("txnid") != "" {
		return s.CampaignPage(c, slug, p, status, add)
	}
	props, err := s.Presenter.Props(c.Request().Context(), p, shell.NewPage(c), present.View(c))
	if err != nil {
		return err
	}
	s.Presenter.AddCodes(&props)
	props.Via = checkout.ParseVia(c.QueryParam("via"))
	add(&props)
	return shell.Render(c, status, props.Page, checkout.Pay(props))
}

// postStart starts the payment with what the form chose.
func (s *Surface) postStart(c echo.Context) error {
	form, err := shell.ReadForm(c, maxForm)
	if err != nil {
		return err
	}
	via := checkout.ParseVia(form.Get("via"))
	choice, err := present.ParseChoice(form.Get("network"), form.Get("token"))
	if err != nil {
		return s.afterForm(c, via, err, problemOfChoice)
	}
	ctx := c.Request().Context()
	_, err = s.Payments.Start(ctx, c.Param("txnid"), choice, audit.Act{Near: operation.CallOf(ctx).Near})
	return s.afterForm(c, via, err, problemOfStart)
}

// maxForm is more than any form of the checkout has.
const maxForm = 4 << 10

// postCancel cancels the payment.
func (s *Surface) postCancel(c echo.Context) error {
	_, err := s.Payments.Cancel(c.Request().Context(), c.Param("txnid"), audit.Act{})
	return s.afterForm(c, checkout.ViaExchange, err, problemOfCancel)
}

// postAsk asks the merchant to accept what came.
func (s *Surface) postAsk(c echo.Context) error {
	form, err := shell.ReadForm(c, maxForm)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if err = s.Shell.Limits.Costly(ctx); err == nil {
		_, err = s.Payments.Ask(ctx, c.Param("txnid"))
	}
	if errors.Is(err, payment.ErrCompleted) {
		err = nil // the page says that it is paid
	}
	return s.afterForm(c, checkout.ParseVia(form.Get("via")), err, problemOfStart)
}

// postAgain starts an order that expired again: its payer goes on with the new payment.
func (s *Surface) postAgain(c echo.Context) error {
	ctx := c.Request().Context()
	if err := s.Shell.Limits.Costly(ctx); err != nil {
		return s.afterForm(c, checkout.ViaExchange, err, problemOfStart)
	}
	p, err := s.Payments.StartAgain(ctx, c.Param("txnid"))
	if err != nil {
		return s.afterForm(c, checkout.ViaExchange, err, problemOfStart)
	}
	return c.Redirect(http.StatusSeeOther, checkout.PayPath(string(p.ID), c.QueryParam("lang"), checkout.ViewNow))
}

// afterForm sends the payer back to the page, or shows the page with the reason why
// the form was refused.
func (s *Surface) afterForm(
	c echo.Context, via checkout.Via, failed error, problemOf func(error) checkout.Problem,
) error {
	txnid := c.Param("txnid")
	if failed == nil {
		return c.Redirect(http.StatusSeeOther, checkout.WithVia(payPage(c), via))
	}
	problem := problemOf(failed)
	if problem == checkout.ProblemNone {
		return failed
	}
	p, err := s.Payments.Get(c.Request().Context(), txnid)
	if err != nil {
		return err
	}
	refusal := s.Shell.Refuse(c, failed)
	return s.show(c, p, refusal.Code, func(props *checkout.Props) {
		props.Problem = problem
		if via == checkout.ViaWallet {
			props.Via = via
		}
	})
}

// payPage is the page a form of a payment was sent from.
func payPage(c echo.Context) string {
	txnid, lang := c.Param("txnid"), c.QueryParam("lang")
	if slug := c.QueryParam("campaign"); slug != "" {
		return checkout.GiftPath(slug, txnid, lang, checkout.ViewNow)
	}
	return checkout.PayPath(txnid, lang, checkout.ViewNow)
}

// problemOfStart says why a start was refused, for the page; ProblemNone if the
// error is not about the payer's choice.
func problemOfStart(err error) checkout.Problem {
	switch {
	case errors.Is(err, payment.ErrMoneyReceived):
		return checkout.ProblemReceived
	case errors.Is(err, merchant.ErrNoCustodian), fault.Is(err, fault.PaymentRequired):
		return checkout.ProblemMerchant
	case errors.Is(err, payment.ErrEnded), errors.Is(err, payment.ErrPastExpiry):
		return checkout.ProblemClosed
	case fault.Is(err, fault.Unprocessable), fault.Is(err, fault.Unavailable):
		return checkout.ProblemUnavailable
	case fault.Is(err, fault.Limited):
		return checkout.ProblemTooOften
	}
	return checkout.ProblemNone
}

func problemOfChoice(error) checkout.Problem { return checkout.ProblemChoice }

func problemOfCancel(err error) checkout.Problem {
	if errors.Is(err, payment.ErrMoneyReceived) {
		return checkout.ProblemCannotCancel
	}
	return problemOfStart(err)
}
