package dashboard

import (
	"bytes"
	"context"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/web/live"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const (
	livePath = shell.HomePath + "/live"
	// liveTick is how often an open overview is read while payments change.
	liveTick = time.Second
	// liveIdle is how often it is read without an event: the creation of a payment
	// causes none, because no page of it is open yet.
	liveIdle = 4 * time.Second
	// liveLife ends a stream soon; the next one checks again what its user may see.
	liveLife = 5 * time.Minute
)

// overview is an open overview, which is kept up to date.
type overview struct {
	live.Stream

	d     *Surface
	who   session.Principal
	stale bool      // something has changed since it was read
	due   time.Time // when it is read without an event
	end   time.Time
}

// getLive streams changes of the overview's lists of payments.
func (d *Surface) getLive(c echo.Context, who session.Principal) error {
	o := &overview{d: d, who: who, end: time.Now().Add(liveLife)}
	return d.Hub.Admit(live.Dashboard(who.User.ID), shell.CallOf(c).Client, o, func() error { return o.Open(c) })
}

// Turn sends what has changed. It ends when the session or the role has.
func (o *overview) Turn(now time.Time, changed bool) (next time.Time, more bool) {
	o.stale = o.stale || changed || !now.Before(o.due)
	if now.After(o.end) {
		return now, false
	}
	b := shell.GetBuffer()
	defer shell.PutBuffer(b)
	if o.stale {
		ctx, cancel := context.WithTimeout(context.Background(), live.TurnTime)
		defer cancel()
		m, err := o.d.Merchants.MembershipBySession(ctx, o.who.Token().Reveal())
		if err != nil || m.Merchant.ID != o.who.Membership.Merchant.ID || m.Allow(merchant.ActRead) != nil {
			return now, false
		}
		if err := o.read(ctx, b); err != nil {
			o.d.Shell.Log.Debug("open overview not updated", "error", err)
			b.Reset()
			return now.Add(liveTick), true
		}
		o.stale, o.due = false, now.Add(liveIdle)
	}
	if err := o.Flush(b, now); err != nil {
		return now, false
	}
	return now.Add(liveTick), true
}

// read adds an event for each part of the page that has changed.
func (o *overview) read(ctx context.Context, b *bytes.Buffer) error {
	lists, err := o.d.lists(ctx, o.who.KeyIDs())
	if err != nil {
		return err
	}
	parts := map[string]templ.Component{"count": dashboard.OpenCount(lists), "lists": dashboard.OverviewLists(lists)}
	for event, part := range parts {
		if err := o.Add(ctx, b, event, event, part); err != nil {
			return err
		}
	}
	return nil
}
