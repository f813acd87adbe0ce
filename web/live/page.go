package live

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/shell"
)

const (
	// TurnTime bounds what a page may read in one turn.
	TurnTime = 5 * time.Second
	// Lifetime ends a stream; the browser opens the next. It spreads pages over
	// instances again after one was restarted.
	Lifetime = time.Hour
	// movingEvery is how often a page is looked at whose seconds count down, and the least time between two looks at
	// one that any payment may change.
	movingEvery = time.Second
	// settledEvery is the same of a page that only an event changes: one may be lost.
	settledEvery = time.Minute
	// againAfter is when a page is looked at again that could not be read.
	againAfter = 5 * time.Second
)

// Feed is what a stream follows.
type Feed struct {
	Topic Topic
	Look  View
	// Every is how often it is looked at without an event: one may be lost, and not all that a page shows has any.
	Every time.Duration
	Life  time.Duration
	Log   *slog.Logger
}

// page is an open page and its stream.
type page struct {
	Stream

	feed     Feed
	shown    string    // the tag of what it shows
	lang     string    // the language of its texts
	due, end time.Time // when it is looked at without an event, and when its stream ends
}

var _ Page = (*page)(nil)

// Follow keeps a page up to date until it is closed.
func (h *Hub) Follow(c echo.Context, f Feed) error {
	p := &page{feed: f, shown: shown(c.Request()), end: time.Now().Add(f.Life)}
	p.lang = views.LocaleOf(c.Request().Context()).Tag
	return h.Admit(f.Topic, shell.CallOf(c).Client, p, func() error { return p.Open(c) })
}

// Turn sends what the page does not show yet. A page that cannot be read now is read at a later turn.
func (p *page) Turn(now time.Time, changed bool) (next time.Time, more bool) {
	if now.After(p.end) {
		return now, false
	}
	b := shell.GetBuffer()
	defer shell.PutBuffer(b)
	if changed || !now.Before(p.due) {
		if err := p.look(b, now); errors.Is(err, ErrOver) {
			return now, false
		} else if err != nil {
			p.feed.Log.Debug("an open page could not be brought up to date", "error", err)
			b.Reset()
			p.due = now.Add(againAfter)
		}
	}
	if err := p.Flush(b, now); err != nil {
		return now, false
	}
	next = p.Quiet()
	if p.due.Before(next) {
		next = p.due
	}
	if p.feed.Topic.kind == dashboardTopic { // it is not woken for each payment
		next = now.Add(movingEvery)
	}
	return next, true
}

// look reads the page and adds the events that it needs.
func (p *page) look(b *bytes.Buffer, now time.Time) error {
	ctx, cancel := context.WithTimeout(views.InLanguage(context.Background(), p.lang), TurnTime)
	defer cancel()
	state, err := p.feed.Look(ctx)
	if err != nil {
		return err
	}
	changed, tag, err := state.since(ctx, p.shown)
	if err != nil {
		return err
	}
	for i, part := range changed {
		if i == len(changed)-1 {
			writeID(b, tag)
		}
		writeEvent(b, part.name, part.html)
	}
	p.shown, p.due = tag, now.Add(p.feed.Every)
	switch {
	case state.Moving:
		p.due = now.Add(movingEvery)
	case state.Settled:
		p.due = now.Add(max(settledEvery, p.feed.Every))
	case now.Before(state.Until) && state.Until.Before(p.due):
		p.due = state.Until
	}
	return nil
}
