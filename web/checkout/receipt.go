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
	props := checkout.ReceiptProps{
		Page: shell.NewPage(
			c,
		), Merchant: merchant, TxnID: string(p.ID), Reference: p.Reference, Description: p.Description,
		Price: PriceOf(p), Amount: p.Amount.Display(), Received: p.Received().Micros().Display(),
		Network: string(p.Choice.Network), Token: string(p.Choice.Token), CreatedAt: p.CreatedAt, PaidAt: p.EndedAt,
		Deposits: s.Presenter.deposits(
			p,
		), VerifyURL: s.Shell.CheckoutURL + "/pay/" + string(p.ID) + "/receipt", ByHand: p.ByHand,
	}
	if route, ok := p.Route(); ok {
		props.Address = string(route.Address.Address)
	}
	return shell.Render(c, http.StatusOK, props.Page, checkout.Receipt(props))
}
