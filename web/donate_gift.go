package web

import (
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/shell"
)

// getGift is the page of a campaign with one of its donations, which is paid
// there.
func (s *Server) getGift(c echo.Context, txnid string) error {
	p, err := s.d.Payments.Get(c.Request().Context(), txnid)
	if err != nil {
		return err
	}
	s.noteShown(c, p)
	return s.giftPage(c, c.Param("campaignId"), p, 200, func(*views.CheckoutProps) {})
}

// giftPage writes the page of a campaign on which one of its donations is paid;
// add completes the props of the payment. A payment of something else is
// unknown to a campaign.
func (s *Server) giftPage(c echo.Context, slug string, p payment.Payment, status int, add func(*views.CheckoutProps)) error {
	ctx := c.Request().Context()
	found, _, err := s.d.Campaigns.Get(ctx, slug)
	if err != nil {
		return err
	}
	if p.Kind != payment.KindDonation || p.CampaignID != found.Number {
		return payment.ErrUnknown
	}
	page := shell.NewPage(c)
	pay, err := s.checkoutProps(ctx, p, page, views.ParseView(c.QueryParam("view")))
	if err != nil {
		return err
	}
	s.addCodes(&pay)
	add(&pay)
	pay = pay.OnCampaign(slug)
	whole, err := s.donateProps(ctx, page, slug, 0)
	if err != nil {
		return err
	}
	whole.Paying = &pay
	if pay.Live() {
		whole.LivePath = "" // a browser has few connections to a host: one stream a page
	}
	return shell.Render(c, status, page, views.Donate(whole))
}
