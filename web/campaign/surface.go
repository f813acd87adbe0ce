// Package campaign serves the pages on which a merchant makes payment links and
// runs campaigns that collect donations. Package web/donate serves the pages that
// payers and donors see.
package campaign

import (
	"context"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views/donate"
	"github.com/florinpay/florin/web/present"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// Services are what the surface uses.
type Services struct {
	*session.Guard

	Campaigns  *campaign.Service
	Operations *operation.Operations
	Presenter  *present.Presenter
}

// Surface serves merchants who collect money by links and campaigns.
type Surface struct{ Services }

// New returns the surface.
func New(s Services) *Surface { return &Surface{s} }

// Routes adds the pages of links and campaigns.
func (d *Surface) Routes(r shell.Router) {
	p := d.Pages(r)
	p.Get(linksPath, merchant.ActRead, d.getLinks)
	p.Form(linksPath, merchant.ActPay, d.postLinkNew)
	p.Get(linksPath+"/:link", merchant.ActRead, d.getLink)
	p.Post(linksPath+"/:link/edit", merchant.ActPay, d.postLinkEdit)
	p.Get(linksPath+"/:link/sign", merchant.ActRead, d.getLinkSign)
	p.Post(linksPath+"/:link/pause", merchant.ActPay, d.postLinkPause)
	p.Post(linksPath+"/:link/resume", merchant.ActPay, d.postLinkResume)
	p.Get(campaignsPath, merchant.ActRead, d.getCampaigns)
	p.Form(campaignsPath, merchant.ActCampaigns, d.postCampaignNew)
	p.Get(campaignsPath+"/:campaign", merchant.ActRead, d.getCampaign)
	p.Get(campaignsPath+"/:campaign/sign", merchant.ActRead, d.getCampaignSign)
	p.Get(campaignsPath+"/:campaign/edit", merchant.ActCampaigns, d.getCampaignEdit)
	p.Post(campaignsPath+"/:campaign/edit", merchant.ActCampaigns, d.postCampaignEdit)
	p.Post(campaignsPath+"/:campaign/pause", merchant.ActCampaigns, d.postCampaignPause)
	p.Post(campaignsPath+"/:campaign/resume", merchant.ActCampaigns, d.postCampaignResume)
	p.Post(campaignsPath+"/:campaign/end", merchant.ActCampaigns, d.postCampaignEnd)
	p.Post(campaignsPath+"/:campaign/review", merchant.ActModerate, d.postReview)
}

// button returns the HTML of a link that looks like a button in the merchant's
// colour.
func (d *Surface) button(ctx context.Context, keyID int64, link, label string) (string, error) {
	look, err := d.Presenter.Merchant(ctx, payment.Payment{KeyID: keyID, Kind: payment.KindMerchant})
	return donate.ButtonHTML(link, label, look), err
}
