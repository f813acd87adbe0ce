package checkout

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
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
	return shell.Render(c, http.StatusOK, props.Page, checkout.Receipt(props))
}

// Receipt is what the receipt of a completed payment shows, on its page and in the customer's mail.
func (x *Presenter) Receipt(p payment.Payment, m views.Merchant, page views.Page) checkout.ReceiptProps {
	props := checkout.ReceiptProps{
		Page: page, Merchant: m, TxnID: string(p.ID), Reference: p.Reference, Description: p.Description,
		Price: PriceOf(p), Amount: p.Amount.Display(), Received: p.Received().Micros().Display(),
		Network: string(p.Choice.Network), Token: string(p.Choice.Token), CreatedAt: p.CreatedAt, PaidAt: p.EndedAt,
		Deposits: x.deposits(p), VerifyURL: x.origin + checkout.ActPath(string(p.ID), "receipt", ""), ByHand: p.ByHand,
	}
	if route, ok := p.Route(); ok {
		props.Address = string(route.Address.Address)
	}
	return props
}
