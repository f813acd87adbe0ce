package web

import (
	"bytes"
	"context"
	"hash/maphash"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/shell"
)

// donateTick is how often an open page of a campaign is looked at.
const donateTick = 2 * time.Second

// donateLive keeps the page of a campaign up to date: what is raised, and the
// wall. What it sends first the page shows already, save for what happened in
// between.
type donateLive struct {
	wire

	s          *Server
	slug, lang string
	sent       map[string]uint64 // by event, hash of what was sent last
	quiet, end time.Time
}

func (s *Server) getDonateLive(c echo.Context) error {
	slug := c.Param("campaignId")
	if _, _, err := s.d.Campaigns.Get(c.Request().Context(), slug); err != nil {
		return err
	}
	now := time.Now()
	l := &donateLive{
		s: s, slug: slug, lang: shell.Language(c), sent: make(map[string]uint64, 2), quiet: now.Add(heartbeat), end: now.Add(streamLife),
	}
	return s.hub.admit(payment.ID(campaignStream+slug), shell.CallOf(c).Client, s.sh.Limits.Rates, l, func() error { return l.open(c) })
}

// turn sends what the page does not show yet. A campaign that cannot be read
// now is read at the next turn.
func (l *donateLive) turn(now time.Time, _ bool) (next time.Time, more bool) {
	if now.After(l.end) {
		return now, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	b := shell.GetBuffer()
	defer shell.PutBuffer(b)
	if err := l.look(ctx, b); err != nil {
		l.s.d.Log.Debug("an open page could not be brought up to date", "error", err)
		b.Reset()
	}
	if b.Len() == 0 && !now.Before(l.quiet) {
		b.WriteString(": \n\n")
	}
	if b.Len() > 0 {
		l.quiet = now.Add(heartbeat)
		if err := l.write(b.Bytes()); err != nil {
			return now, false
		}
	}
	return now.Add(donateTick), true
}

func (l *donateLive) look(ctx context.Context, b *bytes.Buffer) error {
	g, err := l.s.gifts.get(l.slug, func() (gifts, error) { return l.s.readGifts(ctx, l.slug, 0) })
	if err != nil {
		return err
	}
	p := l.s.giftProps(g, views.Page{Lang: l.lang})
	for event, fragment := range map[string]templ.Component{"raised": views.DonateRaised(p), "wall": views.DonateWall(p)} {
		if err := l.send(ctx, b, event, fragment); err != nil {
			return err
		}
	}
	return nil
}

func (l *donateLive) send(ctx context.Context, b *bytes.Buffer, event string, fragment templ.Component) error {
	html := shell.GetBuffer()
	defer shell.PutBuffer(html)
	if err := fragment.Render(ctx, html); err != nil {
		return err
	}
	if sum := maphash.Bytes(sentSeed, html.Bytes()); sum != l.sent[event] {
		l.sent[event] = sum
		writeEvent(b, event, html.Bytes())
	}
	return nil
}
