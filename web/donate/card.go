package donate

import (
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/donate"
)

// cardCache keeps pictures for shares, which are expensive to draw. They are drawn
// one after the other.
type cardCache struct {
	mu   sync.Mutex
	kept map[donate.Card][]byte
}

// maxCards of some 30 KB each.
const maxCards = 200

func newCardCache() *cardCache { return &cardCache{kept: make(map[donate.Card][]byte)} }

func (k *cardCache) of(card donate.Card) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if picture, ok := k.kept[card]; ok {
		return picture, nil
	}
	picture, err := donate.PNG(card)
	if err != nil {
		return nil, err
	}
	if len(k.kept) >= maxCards {
		clear(k.kept)
	}
	k.kept[card] = picture
	return picture, nil
}

// cardAge lets a site that shows a link a thousand times fetch the picture once.
const cardAge = "public, max-age=300"

// getCard is the picture that other sites show beside a link to a campaign.
func (s *Surface) getCard(c echo.Context) error {
	ctx := c.Request().Context()
	found, totals, err := s.Campaigns.Get(ctx, c.Param("campaignId"))
	if err != nil {
		return err
	}
	merchant, err := s.Presenter.Merchant(ctx, payment.Payment{KeyID: found.KeyID, Kind: payment.KindDonation})
	if err != nil {
		return err
	}
	p := s.giftProps(gifts{campaign: found, totals: totals}, views.Page{Lang: "en"})
	card := donate.Card{Title: p.Title, By: merchant.Name, Raised: p.RaisedText(), Percent: -1, Accent: merchant.Accent}
	if p.Goal != "" {
		card.Percent = p.Percent
	}
	picture, err := s.cards.of(card)
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", cardAge)
	return c.Blob(http.StatusOK, "image/png", picture)
}
