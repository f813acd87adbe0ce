package checkout

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/web/live"
	"github.com/florinpay/florin/web/shell"
)

// movingTick is how often a page has a turn while a deposit waits to be final: its
// seconds count down without the payment changing.
const movingTick = time.Second

// livePage is an open payment page.
type livePage struct {
	live.Stream

	s    *Surface
	id   payment.ID
	lang string
	// campaign is the one on whose page the payment is shown; empty for its own.
	campaign string
	view     checkout.View
	via      checkout.Via
	shown    string // the stage the page shows
	end      time.Time
}

// getLive keeps a page up to date.
func (s *Surface) getLive(c echo.Context) error {
	p, err := s.Payments.Get(c.Request().Context(), c.Param("txnid"))
	if err != nil {
		return err
	}
	l := &livePage{
		s: s, id: p.ID, lang: shell.Language(c), campaign: c.QueryParam("campaign"),
		view: checkout.ParseView(c.QueryParam("view")), via: checkout.ParseVia(c.QueryParam("via")),
		shown: shownStage(c.Request()), end: time.Now().Add(live.Lifetime),
	}
	return s.Hub.Admit(live.Payment(p.ID), shell.CallOf(c).Client, l, func() error { return l.Open(c) })
}

// shownStage is the step that the page shows: the last one it was sent on a stream that broke off, or the one it was
// loaded with.
func shownStage(r *http.Request) string {
	return cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("stage"))
}

// Turn sends what the page does not show yet. A payment that cannot be read now is
// read at the next turn.
func (l *livePage) Turn(now time.Time, _ bool) (next time.Time, more bool) {
	if now.After(l.end) {
		return now, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), live.TurnTime)
	defer cancel()
	b := shell.GetBuffer()
	defer shell.PutBuffer(b)
	moving, done, err := l.look(ctx, b)
	if err != nil {
		l.s.Shell.Log.Debug("an open page could not be brought up to date", "error", err)
		b.Reset()
	}
	if err := l.Flush(b, now); err != nil || done {
		return now, false
	}
	if moving {
		return now.Add(movingTick), true
	}
	return l.Quiet(), true
}

// look reads the payment and adds the events the page needs.
func (l *livePage) look(ctx context.Context, b *bytes.Buffer) (moving, done bool, err error) {
	p, err := l.s.Payments.Get(ctx, string(l.id))
	if err != nil {
		return false, false, err
	}
	l.s.Payments.Look(p)
	props, err := l.s.Presenter.Props(ctx, p, views.Page{Lang: l.lang}, l.view)
	if err != nil {
		return false, false, err
	}
	props.Via = l.via
	if l.campaign != "" {
		props = props.OnCampaign(l.campaign)
	}
	if props.Stage() != l.shown {
		l.s.Presenter.AddCodes(&props)
	}
	event, fragment, next, done := checkout.LiveEvent(props, l.shown)
	if next != l.shown {
		live.WriteID(b, next)
	}
	if err := l.Add(ctx, b, "payment", event, fragment); err != nil {
		return false, false, err
	}
	l.shown = next
	if err := l.lookAtCampaign(ctx, b); err != nil {
		l.s.Shell.Log.Debug("the campaign on an open page could not be brought up to date", "error", err)
	}
	if done {
		live.WriteEvent(b, "done", nil)
	}
	return props.State == checkout.StateSeen || props.State == checkout.StateConfirming, done, nil
}

// lookAtCampaign adds the progress of the campaign on whose page the payment is.
func (l *livePage) lookAtCampaign(ctx context.Context, b *bytes.Buffer) error {
	if l.campaign == "" || l.s.CampaignLive == nil {
		return nil
	}
	parts, err := l.s.CampaignLive(ctx, l.campaign, l.lang)
	if err != nil {
		return err
	}
	for event, part := range parts {
		if err := l.Add(ctx, b, event, event, part); err != nil {
			return err
		}
	}
	return nil
}
