package campaign

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/payment"
	campaignview "github.com/florinpay/florin/views/campaign"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// getLinkSign shows the sheet that a shop puts on its counter.
func (d *Surface) getLinkSign(c echo.Context, who session.Principal) error {
	l, err := d.ownLink(c, who)
	if err != nil {
		return err
	}
	row, ctx := linkRow(c.Request().Context(), l), c.Request().Context()
	return d.sign(c, payment.Payment{KeyID: l.KeyID, Kind: payment.KindMerchant}, campaignview.SignProps{
		Back: linksPath + "/" + l.Slug, Link: d.linkURL(l.Slug), Title: l.Description, Amount: row.FixedText(ctx),
	})
}

// getCampaignSign is the poster of a campaign.
func (d *Surface) getCampaignSign(c echo.Context, who session.Principal) error {
	found, _, err := d.ownCampaign(c, who)
	if err != nil {
		return err
	}
	return d.sign(c, payment.Payment{KeyID: found.KeyID, Kind: payment.KindDonation}, campaignview.SignProps{
		Back: campaignsPath + "/" + found.Slug, Link: d.Operations.DonateLink(found.Slug), Title: found.Title,
		Gift: true,
	})
}

func (d *Surface) sign(c echo.Context, of payment.Payment, p campaignview.SignProps) error {
	look, err := d.Presenter.Merchant(c.Request().Context(), of)
	if err != nil {
		return err
	}
	p.Page, p.Shop, p.QR = shell.NewPage(c), look.Name, d.Presenter.QR(p.Link)
	return shell.Render(c, http.StatusOK, p.Page, campaignview.Sign(p))
}
