package api

import (
	"context"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/jsonbody"
	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/graph/operation"
)

// GetCampaign is `donate` over REST, on the path of the campaign's page.
func (s *Surface) GetCampaign(c echo.Context) error {
	return answer(c, s, func(ctx context.Context) (*model.CampaignResult, error) {
		return s.Operations.Donate(ctx, c.Param("campaignId"), c.QueryParam("before"))
	})
}

// PostDonation is `startDonation` over REST, on the path of the page's form.
func (s *Surface) PostDonation(c echo.Context) error {
	return write(c, s, func(ctx context.Context, b *jsonbody.Object) (*model.DonationResult, error) {
		in := operation.DonationInput{
			CampaignID: c.Param("campaignId"), Amount: b.Decimal("amount"), Price: b.Price("price"),
			Currency: b.Text("currency"), Network: model.Network(b.Text("network")),
			Token: model.Token(b.Text("token")), Name: b.Words("name"), Message: b.Words("message"),
		}
		if err := done(ctx, b); err != nil {
			return nil, err
		}
		return s.Operations.StartDonation(ctx, in)
	})
}
