package dashboard

import (
	"bytes"
	"context"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
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

// parts returns what an open page shows, by the name of the event that replaces it.
type parts func(ctx context.Context) (map[string]templ.Component, error)

// livePage is an open page of the dashboard, which is kept up to date.
type livePage struct {
	live.Stream

	d     *Surface
	who   session.Principal
	parts parts
	stale bool      // something has changed since it was read
	due   time.Time // when it is read without an event
	end   time.Time
}

// stream keeps a page up to date until it is closed.
func (d *Surface) stream(c echo.Context, who session.Principal, read parts) error {
	o := &livePage{d: d, who: who, parts: read, end: time.Now().Add(liveLife)}
	return d.Hub.Admit(live.Dashboard(who.User.ID), shell.CallOf(c).Client, o, func() error { return o.Open(c) })
}

// getLive streams changes of the overview: its lists of payments, and what was paid.
func (d *Surface) getLive(c echo.Context, who session.Principal) error {
	length := rangeOf(c.QueryParam("days"))
	return d.stream(c, who, func(ctx context.Context) (map[string]templ.Component, error) {
		lists, err := d.lists(ctx, who.KeyIDs())
		if err != nil {
			return nil, err
		}
		odd, err := d.Reports.Attention(ctx, who.KeyIDs())
		if err != nil {
			return nil, err
		}
		var p dashboard.OverviewProps
		if _, err := d.sales(ctx, &p, who.KeyIDs(), length, d.Shell.Now()); err != nil {
			return nil, err
		}
		return map[string]templ.Component{
			"odd":   dashboard.NeedsMerchant(odd),
			"count": dashboard.OpenCount(lists), "lists": dashboard.OverviewLists(lists),
			"today": dashboard.PaidToday(p.Today), "volume": dashboard.Volume(p), "chart": dashboard.Sales(p),
		}, nil
	})
}

// getPaymentsLive streams changes of the first page of a list of payments.
func (d *Surface) getPaymentsLive(c echo.Context, who session.Principal) error {
	frame, asked := d.Frame(c, who, "", paymentsPath), c.QueryParams()
	return d.stream(c, who, func(ctx context.Context) (map[string]templ.Component, error) {
		frame.Now = d.Shell.Now()
		p, err := d.paymentsProps(ctx, frame, who, asked)
		if err != nil {
			return nil, err
		}
		return map[string]templ.Component{"rows": dashboard.PaymentRows(p)}, nil
	})
}

// getAttentionLive streams changes of what needs the merchant.
func (d *Surface) getAttentionLive(c echo.Context, who session.Principal) error {
	frame := d.Frame(c, who, "", attentionPath)
	return d.stream(c, who, func(ctx context.Context) (map[string]templ.Component, error) {
		frame.Now = d.Shell.Now()
		p, err := d.attentionProps(ctx, frame, who)
		if err != nil {
			return nil, err
		}
		return map[string]templ.Component{"inbox": dashboard.Inbox(p)}, nil
	})
}

// getPaymentLive streams changes of a payment.
func (d *Surface) getPaymentLive(c echo.Context, who session.Principal) error {
	x, key, err := d.ownPayment(c, who)
	if err != nil {
		return err
	}
	reauth, err := d.StrongField(c, who, shell.NewForm(url.Values{}))
	if err != nil {
		return err
	}
	frame := d.Frame(c, who, "", paymentsPath)
	return d.stream(c, who, func(ctx context.Context) (map[string]templ.Component, error) {
		x, err := d.Payments.Get(ctx, string(x.ID))
		if err != nil {
			return nil, err
		}
		frame.Now = d.Shell.Now()
		p := d.paymentProps(who, x, key)
		p.Frame, p.Reauth.Field, p.Reason, p.Note = frame, reauth, reasonField, noteField
		if err := d.addHistory(ctx, &p, x); err != nil {
			return nil, err
		}
		return map[string]templ.Component{
			"verdict": dashboard.PaymentVerdict(p), "money": dashboard.PaymentMoney(p),
			"facts": dashboard.PaymentFacts(p), "timeline": dashboard.PaymentTimeline(p),
			"hooks": dashboard.PaymentWebhooks(p), "acts": dashboard.PaymentActs(p),
		}, nil
	})
}

// Turn sends what has changed. It ends when the session or the role has.
func (o *livePage) Turn(now time.Time, changed bool) (next time.Time, more bool) {
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
			o.d.Shell.Log.Debug("open page of the dashboard not updated", "error", err)
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

// read adds an event for each part of the page that has changed, and for the number in the navigation.
func (o *livePage) read(ctx context.Context, b *bytes.Buffer) error {
	shown, err := o.parts(ctx)
	if err != nil {
		return err
	}
	needs, err := o.d.Needs(ctx, o.who)
	if err != nil {
		return err
	}
	shown["needs"] = panel.Needs(needs, true)
	for event, part := range shown {
		if err := o.Add(ctx, b, event, event, part); err != nil {
			return err
		}
	}
	return nil
}
