package refund

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/refund"
	page "github.com/florinpay/florin/views/refund"
	"github.com/florinpay/florin/web/shell"
)

// getOffer shows what of a payment the payer is offered back. Whoever knows the txnid sees it, as on the payment's
// page; to have it takes the signature of the wallet that paid, or the link of the customer's mail.
func (s *Surface) getOffer(c echo.Context) error { return s.showOffer(c, http.StatusOK) }

func (s *Surface) showOffer(c echo.Context, status int) error {
	ctx, link := c.Request().Context(), c.Param("payment")
	p, mailed, err := s.Refunds.ReadOffer(ctx, link)
	if err != nil {
		return err
	}
	merchant, err := s.Merchant(ctx, p)
	if err != nil {
		return err
	}
	list, err := s.Refunds.Offers(ctx, p)
	if err != nil {
		return err
	}
	props := page.OfferProps{
		Page: shell.NewPage(c), Merchant: merchant, TxnID: string(p.ID), Link: link, Mailed: mailed,
		Refused: status == http.StatusBadRequest,
	}
	if len(list) > 0 { // one after the other, where there are several
		h := list[0]
		props.Amount, props.Unit = h.Left.Display(h.Asset.Decimals), h.Asset.Symbol
		props.Network, props.Message = string(h.Asset.Network), refund.ClaimMessage(p.ID, h)
	}
	return shell.Render(c, status, props.Page, page.Offer(props))
}

// postOffer makes the refund that is offered, and leads to its page.
func (s *Surface) postOffer(c echo.Context) error {
	form, err := shell.ReadForm(c, maxForm)
	if err != nil {
		return err
	}
	ctx, link := c.Request().Context(), c.Param("payment")
	p, _, err := s.Refunds.ReadOffer(ctx, link)
	if err != nil {
		return err
	}
	if err := s.Limits.Endpoints(ctx, string(p.ID)); err != nil { // one may be asked about the address
		return err
	}
	list, err := s.Refunds.Offers(ctx, p)
	if err != nil {
		return err
	}
	network, symbol, _ := strings.Cut(form.Get("asset"), ":")
	i := slices.IndexFunc(list, func(h refund.Holding) bool {
		return h.Asset.Network == chain.Network(network) && h.Asset.Symbol == symbol
	})
	if i < 0 {
		return s.showOffer(c, http.StatusConflict)
	}
	r, err := s.Refunds.Claim(ctx, link, list[i].Asset, refund.Signed{
		Account: form.Get("account"), Signature: form.Get("signature"),
	})
	if errors.Is(err, refund.ErrOtherWallet) {
		return s.showOffer(c, http.StatusBadRequest)
	}
	if err != nil {
		return err
	}
	token := strings.TrimPrefix(s.Refunds.Link(r), s.Shell.CheckoutURL+page.Path(""))
	return c.Redirect(http.StatusSeeOther, page.Path(token)+"?lang="+shell.Language(c))
}
