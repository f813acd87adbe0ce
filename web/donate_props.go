package web

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
)

// gifts are a campaign with what it has raised and its newest donations.
type gifts struct {
	campaign campaign.Campaign
	totals   campaign.Totals
	wall     []campaign.Donation
	next     int64
}

func (s *Server) readGifts(ctx context.Context, slug string, before int64) (gifts, error) {
	var g gifts
	var err error
	if g.campaign, g.totals, err = s.d.Campaigns.Get(ctx, slug); err != nil {
		return g, err
	}
	g.wall, g.next, err = s.d.Campaigns.Wall(ctx, g.campaign, before, operation.WallPage)
	return g, err
}

// giftCache keeps what open pages of campaigns show for a moment, so that a
// thousand of them ask the database once.
type giftCache struct {
	mu   sync.Mutex
	now  func() time.Time
	kept map[string]keptGifts
}

type keptGifts struct {
	gifts
	until time.Time
}

// Limits of the cache.
const (
	giftLife = time.Second
	maxGifts = 1_000
)

func newGiftCache(now func() time.Time) *giftCache {
	return &giftCache{now: now, kept: make(map[string]keptGifts)}
}

func (g *giftCache) get(slug string, read func() (gifts, error)) (gifts, error) {
	g.mu.Lock()
	kept, ok := g.kept[slug]
	g.mu.Unlock()
	if ok && g.now().Before(kept.until) {
		return kept.gifts, nil
	}
	fresh, err := read()
	if err != nil {
		return gifts{}, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.kept) >= maxGifts {
		clear(g.kept)
	}
	g.kept[slug] = keptGifts{fresh, g.now().Add(giftLife)}
	return fresh, nil
}

// donateProps says of a campaign what its page shows.
func (s *Server) donateProps(ctx context.Context, page views.Page, slug string, before int64) (views.DonateProps, error) {
	g, err := s.readGifts(ctx, slug, before)
	if err != nil {
		return views.DonateProps{}, err
	}
	stand := payment.Payment{KeyID: g.campaign.KeyID, Kind: payment.KindDonation}
	merchant, err := s.merchant(ctx, stand)
	if err != nil {
		return views.DonateProps{}, err
	}
	p := s.giftProps(g, page)
	p.Merchant = merchant
	if p.Status == views.CampaignActive {
		if p.Choices, err = s.choices(ctx, stand); err != nil {
			return p, err
		}
	}
	if before == 0 {
		p.LivePath = "/donate/" + slug + "/live?lang=" + page.Lang
	}
	return p, nil
}

// giftProps are what comes of the campaign alone.
func (s *Server) giftProps(g gifts, page views.Page) views.DonateProps {
	c, now := g.campaign, s.d.Now()
	least, most := s.d.Payments.Bounds()
	p := views.DonateProps{
		Page: page, CampaignID: c.Slug, Title: c.Title, Description: c.Description, Status: views.CampaignStatus(c.At(now)),
		Raised: g.totals.Raised.Display(), Goal: positive(c.Goal), Percent: c.Percent(g.totals), Reached: c.Reached(g.totals),
		Donors: int(g.totals.Donors), EndsAt: c.EndsAt, Min: least.Display(), Max: most.Display(), ShownAtOnce: c.ShowAtOnce,
		URL: s.ops.DonateLink(c.Slug), CardURL: s.ops.DonateLink(c.Slug) + "/card.png",
	}
	if p.Status == views.CampaignActive && c.KeyRevoked {
		p.Status = views.CampaignPaused // for a giver it comes to the same
	}
	for _, m := range c.Suggested {
		p.Suggested = append(p.Suggested, m.Display())
	}
	for _, d := range g.wall {
		p.Donations = append(p.Donations, views.Donation{
			Name: d.Name, Message: d.Message, Amount: d.Received.Display(), Token: string(d.Token), Network: string(d.Network),
			Hash: string(d.Hash), ExplorerURL: s.txURL(d.Network, d.Hash), At: d.At,
		})
	}
	if g.next > 0 {
		p.Older = views.DonatePath(c.Slug, page.Lang) + "&before=" + strconv.FormatInt(g.next, 10)
	}
	return p
}
