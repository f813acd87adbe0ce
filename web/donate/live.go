package donate

import (
	"bytes"
	"context"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/donate"
	"github.com/florinpay/florin/web/live"
	"github.com/florinpay/florin/web/shell"
)

// tick is how often an open page of a campaign has a turn.
const tick = 2 * time.Second

// livePage keeps the page of a campaign up to date: the amount raised, and the wall.
// Its first events repeat what the page shows, to cover changes since it was rendered.
type livePage struct {
	live.Stream

	s          *Surface
	slug, lang string
	end        time.Time
}

func (s *Surface) getLive(c echo.Context) error {
	slug := c.Param("campaignId")
	if _, _, err := s.Campaigns.Get(c.Request().Context(), slug); err != nil {
		return err
	}
	l := &livePage{s: s, slug: slug, lang: shell.Language(c), end: time.Now().Add(live.Lifetime)}
	return s.Hub.Admit(live.Campaign(slug), shell.CallOf(c).Client, l, func() error { return l.Open(c) })
}

// Turn sends what the page does not show yet. A campaign that cannot be read now is
// read at the next turn.
func (l *livePage) Turn(now time.Time, _ bool) (next time.Time, more bool) {
	if now.After(l.end) {
		return now, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), live.TurnTime)
	defer cancel()
	b := shell.GetBuffer()
	defer shell.PutBuffer(b)
	if err := l.look(ctx, b); err != nil {
		l.s.Shell.Log.Debug("an open page could not be brought up to date", "error", err)
		b.Reset()
	}
	if err := l.Flush(b, now); err != nil {
		return now, false
	}
	return now.Add(tick), true
}

func (l *livePage) look(ctx context.Context, b *bytes.Buffer) error {
	g, err := l.s.gifts.get(l.slug, func() (gifts, error) { return l.s.readGifts(ctx, l.slug, 0) })
	if err != nil {
		return err
	}
	for event, fragment := range l.s.liveParts(g, l.lang) {
		if err := l.Add(ctx, b, event, event, fragment); err != nil {
			return err
		}
	}
	return nil
}

// liveParts are what changes on the page of a campaign, by the name of the event.
func (s *Surface) liveParts(g gifts, lang string) map[string]templ.Component {
	p := s.giftProps(g, views.Page{Lang: lang})
	return map[string]templ.Component{"raised": donate.Raised(p), "wall": donate.Wall(p)}
}

// Live returns what changes on the page of a campaign on which a donation is paid. It
// is read anew, since the page is closed as soon as the donation is there.
func (s *Surface) Live(ctx context.Context, slug, lang string) (map[string]templ.Component, error) {
	g, err := s.readGifts(ctx, slug, 0)
	if err != nil {
		return nil, err
	}
	return s.liveParts(g, lang), nil
}
