package donate

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/views/donate"
	"github.com/florinpay/florin/web/present"
	"github.com/florinpay/florin/web/shell"
)

// getGift is the page of a campaign with one of its donations, which is paid
// there.
func (s *Surface) getGift(c echo.Context, txnid string) error {
	p, err := s.Payments.Get(c.Request().Context(), txnid)
	if err != nil {
		return err
	}
	s.NoteShown(c, p)
	return s.GiftPage(c, c.Param("campaignId"), p, http.StatusOK, func(*checkout.Props) {})
}

// GiftPage writes the page of a campaign on which one of its donations is paid; add
// completes the props of the payment. A payment of something else is unknown to a
// campaign.
func (s *Surface) GiftPage(
	c echo.Context, slug string, p payment.Payment, status int, add func(*checkout.Props),
) error {
	ctx := c.Request().Context()
	found, _, err := s.Campaigns.Get(ctx, slug)
	if err != nil {
		return err
	}
	if p.Kind != payment.KindDonation || p.CampaignID != found.Number {
		return payment.ErrUnknown
	}
	page := shell.NewPage(c)
	pay, err := s.Presenter.Props(ctx, p, page, present.View(c))
	if err != nil {
		return err
	}
	s.Presenter.AddCodes(&pay)
	pay.Via = checkout.ParseVia(c.QueryParam("via"))
	add(&pay)
	pay = pay.OnCampaign(slug)
	whole, err := s.donateProps(ctx, page, slug, 0)
	if err != nil {
		return err
	}
	whole.Paying = &pay
	if pay.State != checkout.StatePaid || pay.Back.Open() {
		whole.LivePath = pay.LivePath() // a browser has few connections to a host: one stream a page
	}
	return shell.Render(c, status, page, donate.Campaign(whole))
}
