package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
)

// Slugs of what the demo merchant publishes.
const (
	DemoCampaign = "new-roaster"
	DemoLink     = "coffee-bag"
)

// makeCampaign gives the demo merchant a donation campaign and a payment link, unless an earlier run did.
func makeCampaign(ctx context.Context, campaigns *campaign.Service, keyID int64) error {
	_, err := campaigns.Create(ctx, keyID, campaign.Draft{
		Slug: DemoCampaign, Title: "A new roaster for the corner",
		Description: "Our roaster is older than most of our guests, and this spring it gave up.\n\n" +
			"Every dollar goes to its successor. What is left over buys a round of coffee.",
		Goal: "1000", Suggested: []string{"5", "10", "25", "50"},
	}, audit.Act{})
	if err != nil && !errors.Is(err, campaign.ErrTaken) {
		return fmt.Errorf("make the demo campaign: %w", err)
	}
	_, err = campaigns.CreateLink(
		ctx, keyID, campaign.LinkDraft{Slug: DemoLink, Description: "One bag of coffee, 500 g", Amount: "12.50"},
		audit.Act{},
	)
	if err != nil && !errors.Is(err, campaign.ErrLinkTaken) {
		return fmt.Errorf("make the demo payment link: %w", err)
	}
	return nil
}
