package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/shell"
)

// getCheckout is the page a customer pays on.
func (s *Server) getCheckout(c echo.Context) error {
	p, err := s.d.Payments.Get(c.Request().Context(), c.QueryParam("txnid"))
	if err != nil {
		return err
	}
	s.noteShown(c, p)
	return s.checkout(c, p, http.StatusOK, func(*views.CheckoutProps) {})
}

// noteShown keeps that a page showed a payment. It is for the merchant's eyes
// only: the payer gets the page without it.
func (s *Server) noteShown(c echo.Context, p payment.Payment) {
	if c.Request().Method != http.MethodGet {
		return
	}
	if err := s.d.Payments.Shown(c.Request().Context(), p); err != nil {
		s.d.Log.Warn("that a payment was shown is not noted", "request", shell.CallOf(c).RequestID, "error", err)
	}
}

// checkout writes the page of a payment, or the page of the campaign whose form
// was sent; add completes its props.
func (s *Server) checkout(c echo.Context, p payment.Payment, status int, add func(*views.CheckoutProps)) error {
	if slug := c.QueryParam("campaign"); slug != "" && c.Param("txnid") != "" {
		return s.giftPage(c, slug, p, status, add)
	}
	props, err := s.checkoutProps(c.Request().Context(), p, shell.NewPage(c), views.ParseView(c.QueryParam("view")))
	if err != nil {
		return err
	}
	s.addCodes(&props)
	add(&props)
	return shell.Render(c, status, props.Page, views.Checkout(props))
}

// postStart starts the payment with what the form chose.
func (s *Server) postStart(c echo.Context) error {
	choice, err := formChoice(c)
	if err != nil {
		return err
	}
	_, err = s.d.Payments.Start(c.Request().Context(), c.Param("txnid"), choice)
	return s.afterForm(c, err, problemOfStart)
}

// maxForm is more than any form of the checkout has.
const maxForm = 4 << 10

func parseForm(c echo.Context) error {
	r := c.Request()
	r.Body = http.MaxBytesReader(c.Response(), r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return fault.New(fault.Invalid, "the form cannot be read")
	}
	return nil
}

func formChoice(c echo.Context) (payment.Choice, error) {
	if err := parseForm(c); err != nil {
		return payment.Choice{}, err
	}
	form := c.Request().PostForm
	n, err := chain.ParseNetwork(form.Get("network"))
	if err != nil {
		return payment.Choice{}, err
	}
	t, err := money.ParseToken(form.Get("token"))
	return payment.Choice{Network: n, Token: t}, err
}

// postCancel cancels the payment.
func (s *Server) postCancel(c echo.Context) error {
	_, err := s.d.Payments.Cancel(c.Request().Context(), c.Param("txnid"))
	return s.afterForm(c, err, problemOfCancel)
}

// afterForm sends the payer back to the page, or shows the page with what kept
// the form from being carried out.
func (s *Server) afterForm(c echo.Context, failed error, problemOf func(error) views.Problem) error {
	txnid := c.Param("txnid")
	if failed == nil {
		return c.Redirect(http.StatusSeeOther, payPage(c))
	}
	problem := problemOf(failed)
	if problem == views.ProblemNone {
		return failed
	}
	p, err := s.d.Payments.Get(c.Request().Context(), txnid)
	if err != nil {
		return err
	}
	refusal := s.sh.Refuse(c, failed)
	return s.checkout(c, p, refusal.Code, func(props *views.CheckoutProps) { props.Problem = problem })
}

// payPage is the page a form of a payment was sent from.
func payPage(c echo.Context) string {
	txnid, lang := c.Param("txnid"), c.QueryParam("lang")
	if slug := c.QueryParam("campaign"); slug != "" {
		return views.GiftPath(slug, txnid, lang, views.ViewNow)
	}
	return views.PayPath(txnid, lang, views.ViewNow)
}

// problemOfStart says a refused start in the page's own words; none for what
// is no answer to a payer's choice.
func problemOfStart(err error) views.Problem {
	switch {
	case errors.Is(err, payment.ErrMoneyReceived):
		return views.ProblemReceived
	case errors.Is(err, merchant.ErrNoCustodian), fault.Is(err, fault.PaymentRequired):
		return views.ProblemMerchant
	case errors.Is(err, payment.ErrEnded), errors.Is(err, payment.ErrPastExpiry):
		return views.ProblemClosed
	case fault.Is(err, fault.Unprocessable), fault.Is(err, fault.Unavailable):
		return views.ProblemUnavailable
	case fault.Is(err, fault.Limited):
		return views.ProblemTooOften
	}
	return views.ProblemNone
}

func problemOfCancel(err error) views.Problem {
	if errors.Is(err, payment.ErrMoneyReceived) {
		return views.ProblemCannotCancel
	}
	return problemOfStart(err)
}
