package donate

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/donate"
	"github.com/florinpay/florin/web/present"
)

// gifts are a campaign with what it has raised and its newest donations.
type gifts struct {
	campaign campaign.Campaign
	totals   campaign.Totals
	wall     []campaign.Donation
	next     int64
}

func (s *Surface) readGifts(ctx context.Context, slug string, before int64) (gifts, error) {
	var g gifts
	var err error
	if g.campaign, g.totals, err = s.Campaigns.Get(ctx, slug); err != nil {
		return g, err
	}
	g.wall, g.next, err = s.Campaigns.Wall(ctx, g.campaign, before, operation.WallPage)
	return g, err
}

// partCache keeps what open pages of campaigns show for a second, so that a thousand
// of them read the database and render it once.
type partCache struct {
	mu   sync.Mutex
	now  func() time.Time
	kept map[string]keptParts
}

type keptParts struct {
	parts []views.Part
	until time.Time
}

// Limits of the cache.
const (
	partLife = time.Second
	maxParts = 1_000
)

func newPartCache(now func() time.Time) *partCache {
	return &partCache{now: now, kept: make(map[string]keptParts)}
}

func (g *partCache) get(name string, read func() ([]views.Part, error)) ([]views.Part, error) {
	g.mu.Lock()
	kept, ok := g.kept[name]
	g.mu.Unlock()
	if ok && g.now().Before(kept.until) {
		return kept.parts, nil
	}
	fresh, err := read()
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.kept) >= maxParts {
		clear(g.kept)
	}
	g.kept[name] = keptParts{fresh, g.now().Add(partLife)}
	return fresh, nil
}

// donateProps are what the page of a campaign shows.
func (s *Surface) donateProps(ctx context.Context, page views.Page, slug string, before int64) (donate.Props, error) {
	g, err := s.readGifts(ctx, slug, before)
	if err != nil {
		return donate.Props{}, err
	}
	stand := payment.Payment{KeyID: g.campaign.KeyID, Kind: payment.KindDonation}
	merchant, err := s.Presenter.Merchant(ctx, stand)
	if err != nil {
		return donate.Props{}, err
	}
	p := s.giftProps(g, page)
	p.Merchant = merchant
	if p.Status == donate.CampaignActive {
		if p.Choices, err = s.Presenter.Choices(ctx, stand); err != nil {
			return p, err
		}
	}
	if before == 0 {
		p.LivePath = "/donate/" + slug + "/live?lang=" + page.Lang
	}
	return p, nil
}

// giftProps are the part that depends on the campaign alone.
func (s *Surface) giftProps(g gifts, page views.Page) donate.Props {
	c, now := g.campaign, s.Shell.Now()
	least, most := s.Payments.Bounds()
	p := donate.Props{
		Page: page, CampaignID: c.Slug, Title: c.Title, Description: c.Description, Status: donate.CampaignStatus(
			c.At(now),
		),
		Raised: g.totals.Raised.Display(), Goal: present.Positive(c.Goal),
		Percent: c.Percent(g.totals), Reached: c.Reached(g.totals),
		Donors: int(g.totals.Donors),
		EndsAt: c.EndsAt, Min: least.Display(), Max: most.Display(), ShownAtOnce: c.ShowAtOnce,
		URL: s.Operations.DonateLink(c.Slug), CardURL: s.Operations.DonateLink(c.Slug) + "/card.png",
	}
	if p.Status == donate.CampaignActive && c.KeyRevoked {
		p.Status = donate.CampaignPaused // it is the same to a donor
	}
	if x := c.Prices; !x.None() {
		p.Currency, p.Goal = string(x.Currency), x.Text(x.Goal)
		p.Worth = exchange.Sum{Currency: x.Currency, Units: g.totals.Worth}.Amount()
		for _, units := range x.Suggested {
			p.Suggested = append(p.Suggested, x.Text(units))
		}
	}
	for _, m := range c.Suggested {
		p.Suggested = append(p.Suggested, m.Display())
	}
	for _, d := range g.wall {
		p.Donations = append(p.Donations, donate.Donation{
			Name: d.Name, Message: d.Message, Amount: d.Received.Display(), Token: string(d.Token),
			Network: string(d.Network),
			Hash:    string(d.Hash), ExplorerURL: s.Presenter.TxURL(d.Network, d.Hash), At: d.At,
		})
	}
	if g.next > 0 {
		p.Older = views.DonatePath(c.Slug, page.Lang) + "&before=" + strconv.FormatInt(g.next, 10)
	}
	return p
}
