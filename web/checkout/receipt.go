package checkout

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/web/shell"
)

// getReceipt is the receipt of a completed payment whose money is there, for anyone with its link. Other
// payments redirect to the payment page, which says why there is no receipt.
func (s *Surface) getReceipt(c echo.Context) error {
	ctx := c.Request().Context()
	p, err := s.Payments.Get(ctx, c.Param("txnid"))
	if err != nil {
		return err
	}
	if p.Status != payment.Completed || p.Reversed() {
		return c.Redirect(http.StatusSeeOther, checkout.PayPath(string(p.ID), c.QueryParam("lang"), checkout.ViewNow))
	}
	merchant, err := s.Presenter.Merchant(ctx, p)
	if err != nil {
		return err
	}
	props := s.Presenter.Receipt(p, merchant, shell.NewPage(c))
	if props.Offer, err = s.Presenter.Offer(ctx, p, props.Locale()); err != nil {
		return err
	}
	if props.Back, _, err = s.Presenter.Back(ctx, p); err != nil {
		return err
	}
	return shell.Render(c, http.StatusOK, props.Page, checkout.Receipt(props))
}
