package donate

import (
	"context"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/donate"
	"github.com/florinpay/florin/web/live"
	"github.com/florinpay/florin/web/shell"
)

// tick is how often an open page of a campaign is read.
const tick = 2 * time.Second

// getLive keeps the page of a campaign up to date: the amount raised, and the wall. Its first events repeat what the
// page shows, to cover changes since it was rendered.
func (s *Surface) getLive(c echo.Context) error {
	look, err := s.view(c)
	if err != nil {
		return err
	}
	return s.Hub.Follow(c, live.Feed{
		Topic: live.Campaign(c.Param("campaignId")), Look: look, Every: tick, Life: live.Lifetime, Log: s.Shell.Log,
	})
}

// getNow answers a page that asks what it does not show yet.
func (s *Surface) getNow(c echo.Context) error {
	look, err := s.view(c)
	if err != nil {
		return err
	}
	return live.Now(c, look)
}

// view reads the campaign of the request.
func (s *Surface) view(c echo.Context) (live.View, error) {
	slug, lang := c.Param("campaignId"), shell.Language(c)
	if _, _, err := s.Campaigns.Get(c.Request().Context(), slug); err != nil {
		return nil, err
	}
	return func(ctx context.Context) (live.State, error) {
		parts, err := s.parts.get(slug+"/"+lang, func() ([]views.Part, error) { return s.Live(ctx, slug, lang) })
		return live.State{Parts: parts}, err
	}, nil
}

// Live returns what changes on the page of a campaign, rendered.
func (s *Surface) Live(ctx context.Context, slug, lang string) ([]views.Part, error) {
	g, err := s.readGifts(ctx, slug, 0)
	if err != nil {
		return nil, err
	}
	p := s.giftProps(g, views.Page{Lang: lang})
	parts := []views.Part{{Name: "raised", HTML: donate.Raised(p)}, {Name: "wall", HTML: donate.Wall(p)}}
	return parts, live.Rendered(ctx, parts)
}
