package web

import (
	"bytes"
	"context"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/web/live"
	"github.com/florinpay/florin/web/shell"
)

const (
	livePath = shell.HomePath + "/live"
	// openRows is how many open payments the overview lists.
	openRows = 8
	// deskTick is how often a page is looked at while payments change.
	deskTick = time.Second
	// deskLook is how often it is looked at without news: a payment that is
	// created makes none, for nobody has a page of it open.
	deskLook = 4 * time.Second
	// deskLife ends a stream soon: the next one asks again what its user may see.
	deskLife = 5 * time.Minute
)

// deskLive keeps an overview up to date.
type deskLive struct {
	live.Stream

	d        *desk
	token    secret.Text // of the session it was opened with
	merchant int64       // whose payments it shows
	keys     []int64
	stale    bool      // something has changed since the last look
	due      time.Time // of the next look without news
	end      time.Time
}

// getDeskLive keeps the overview's lists of payments up to date.
func (d *desk) getDeskLive(c echo.Context, v visitor) error {
	now := time.Now()
	l := &deskLive{d: d, token: v.token, merchant: v.seat.Merchant.ID, keys: v.ids(), end: now.Add(deskLife)}
	return d.hub.Admit(live.Dashboard(v.user.ID), shell.CallOf(c).Client, l, func() error { return l.Open(c) })
}

// Turn sends what has changed. It ends when the session has.
func (l *deskLive) Turn(now time.Time, changed bool) (next time.Time, more bool) {
	l.stale = l.stale || changed || !now.Before(l.due)
	if now.After(l.end) {
		return now, false
	}
	b := shell.GetBuffer()
	defer shell.PutBuffer(b)
	if l.stale {
		ctx, cancel := context.WithTimeout(context.Background(), live.TurnTime)
		defer cancel()
		seat, err := l.d.d.Accounts.MembershipBySession(ctx, l.token.Reveal())
		if err != nil || seat.Merchant.ID != l.merchant || seat.Allow(merchant.ActRead) != nil {
			return now, false
		}
		if err := l.look(ctx, b); err != nil {
			l.d.d.Log.Debug("an overview could not be brought up to date", "error", err)
			b.Reset()
			return now.Add(deskTick), true
		}
		l.stale, l.due = false, now.Add(deskLook)
	}
	if err := l.Flush(b, now); err != nil {
		return now, false
	}
	return now.Add(deskTick), true
}

// look writes an event for each part of the page that has changed.
func (l *deskLive) look(ctx context.Context, b *bytes.Buffer) error {
	lists, err := l.d.lists(ctx, l.keys)
	if err != nil {
		return err
	}
	for event, part := range map[string]templ.Component{"count": dashboard.OpenCount(lists), "lists": dashboard.OverviewLists(lists)} {
		if err := l.Add(ctx, b, event, event, part); err != nil {
			return err
		}
	}
	return nil
}

// lists are the payments an overview shows: those under way, and the newest.
func (d *desk) lists(ctx context.Context, keys []int64) (dashboard.OverviewListsProps, error) {
	now := d.d.Now()
	p := dashboard.OverviewListsProps{Now: now}
	activity, err := d.x.Reports.Activity(ctx, keys, now)
	if err != nil {
		return p, err
	}
	p.Count = activity.Open
	// Started ones first: there a customer is waiting.
	for _, status := range []payment.Status{payment.Started, payment.Pending} {
		if len(p.Open) == openRows {
			break
		}
		open, err := d.x.Reports.SearchPayments(ctx, report.Query{Keys: keys, Status: status, Now: now, Limit: openRows - len(p.Open)})
		if err != nil {
			return p, err
		}
		for _, x := range open {
			p.Open = append(p.Open, paymentRow(x))
		}
	}
	recent, err := d.x.Reports.SearchPayments(ctx, report.Query{Keys: keys, Now: now, Limit: recentRows})
	for _, x := range recent {
		p.Recent = append(p.Recent, paymentRow(x))
	}
	return p, err
}
