package web

import (
	"bytes"
	"context"
	"hash/maphash"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views/dashboard"
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
	wire

	d        *desk
	token    secret.Text // of the session it was opened with
	merchant int64       // whose payments it shows
	keys     []int64
	sent     map[string]uint64 // by event: hash of what was sent last
	stale    bool              // something has changed since the last look
	due      time.Time         // of the next look without news
	quiet    time.Time
	end      time.Time
}

// getDeskLive keeps the overview's lists of payments up to date.
func (d *desk) getDeskLive(c echo.Context, v visitor) error {
	id := payment.ID(deskStream + strconv.FormatInt(v.user.ID, 10))
	now := time.Now()
	l := &deskLive{d: d, token: v.token, merchant: v.seat.Merchant.ID, keys: v.ids(), sent: map[string]uint64{}, quiet: now.Add(heartbeat), end: now.Add(deskLife)}
	return d.hub.admit(id, shell.CallOf(c).Client, d.sh.Limits.Rates, l, func() error { return l.open(c) })
}

// turn sends what has changed. It ends when the session has.
func (l *deskLive) turn(now time.Time, news bool) (next time.Time, more bool) {
	l.stale = l.stale || news || !now.Before(l.due)
	if now.After(l.end) {
		return now, false
	}
	b := shell.GetBuffer()
	defer shell.PutBuffer(b)
	if l.stale {
		ctx, cancel := context.WithTimeout(context.Background(), lookTime)
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
	if b.Len() == 0 && !now.Before(l.quiet) {
		b.WriteString(": \n\n")
	}
	if b.Len() > 0 {
		l.quiet = now.Add(heartbeat)
		if err := l.write(b.Bytes()); err != nil {
			return now, false
		}
	}
	return now.Add(deskTick), true
}

// look writes an event for each part of the page that has changed.
func (l *deskLive) look(ctx context.Context, b *bytes.Buffer) error {
	lists, err := l.d.lists(ctx, l.keys)
	if err != nil {
		return err
	}
	html := shell.GetBuffer()
	defer shell.PutBuffer(html)
	for event, part := range map[string]templ.Component{"count": dashboard.OpenCount(lists), "lists": dashboard.OverviewLists(lists)} {
		html.Reset()
		if err := part.Render(ctx, html); err != nil {
			return err
		}
		if sum := maphash.Bytes(sentSeed, html.Bytes()); sum != l.sent[event] {
			l.sent[event] = sum
			writeEvent(b, event, html.Bytes())
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
