package dashboard

import (
	"context"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/live"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const (
	// liveIdle is how often an open page is read without an event: the creation of a payment
	// causes none, because no page of it is open yet.
	liveIdle = 4 * time.Second
	// liveLife ends a stream soon; the next one checks again what its user may see.
	liveLife = 5 * time.Minute
)

// reader reads what an open page shows.
type reader func(ctx context.Context) ([]views.Part, error)

// opener returns the reader of the page that a request asks for.
type opener func(c echo.Context, who session.Principal) (reader, error)

// updates adds the two ways by which an open page learns of changes: a stream, and requests of its own.
func (d *Surface) updates(p session.Pages, page string, open opener) {
	p.Get(page+"/live", merchant.ActRead, func(c echo.Context, who session.Principal) error {
		read, err := open(c, who)
		if err != nil {
			return err
		}
		return d.Hub.Follow(c, live.Feed{
			Topic: live.Dashboard(who.User.ID), Look: d.view(who, read), Every: liveIdle, Life: liveLife,
			Log: d.Shell.Log,
		})
	})
	p.Get(page+"/now", merchant.ActRead, func(c echo.Context, who session.Principal) error {
		read, err := open(c, who)
		if err != nil {
			return err
		}
		return live.Now(c, d.view(who, read))
	})
}

// view reads the page and the number in the navigation. It is over when the session or the role is.
func (d *Surface) view(who session.Principal, read reader) live.View {
	return func(ctx context.Context) (live.State, error) {
		m, err := d.Merchants.MembershipBySession(ctx, who.Token().Reveal())
		if err != nil || m.Merchant.ID != who.Membership.Merchant.ID || m.Allow(merchant.ActRead) != nil {
			return live.State{}, live.ErrOver
		}
		parts, err := read(ctx)
		if err != nil {
			return live.State{}, err
		}
		needs, err := d.Needs(ctx, who)
		return live.State{Parts: append(parts, views.Part{Name: "needs", HTML: panel.Needs(needs)})}, err
	}
}

// openOverview reads the overview: its lists of payments, and what was paid.
func (d *Surface) openOverview(c echo.Context, who session.Principal) (reader, error) {
	length := rangeOf(c.QueryParam("days"))
	read, _ := currencyOf(who, c.QueryParam("in"))
	return func(ctx context.Context) ([]views.Part, error) {
		lists, err := d.lists(ctx, who)
		if err != nil {
			return nil, err
		}
		odd, err := d.Reports.Attention(ctx, who.KeyIDs())
		if err != nil {
			return nil, err
		}
		p := dashboard.OverviewProps{Currency: read}
		if _, err := d.sales(ctx, &p, who.KeyIDs(), length, d.now(who)); err != nil {
			return nil, err
		}
		return []views.Part{
			{Name: "odd", HTML: dashboard.NeedsMerchant(odd)},
			{Name: "count", HTML: dashboard.OpenCount(lists)},
			{Name: "lists", HTML: dashboard.OverviewLists(lists)},
			{Name: "today", HTML: dashboard.PaidToday(p.Today)},
			{Name: "volume", HTML: dashboard.Volume(p)},
			{Name: "chart", HTML: dashboard.Sales(p)},
		}, nil
	}, nil
}

// openPayments reads the first page of a list of payments.
func (d *Surface) openPayments(c echo.Context, who session.Principal) (reader, error) {
	frame, asked := d.Frame(c, who, "", paymentsPath), c.QueryParams()
	return func(ctx context.Context) ([]views.Part, error) {
		frame.Now = d.now(who)
		p, err := d.paymentsProps(ctx, frame, who, asked)
		return []views.Part{{Name: "rows", HTML: dashboard.PaymentRows(p)}}, err
	}, nil
}

// openAttention reads what needs the merchant.
func (d *Surface) openAttention(c echo.Context, who session.Principal) (reader, error) {
	reauth, err := d.StrongField(c, who, shell.NewForm(url.Values{}))
	if err != nil {
		return nil, err
	}
	frame := d.Frame(c, who, "", attentionPath)
	return func(ctx context.Context) ([]views.Part, error) {
		frame.Now = d.now(who)
		p, err := d.attentionProps(ctx, frame, who)
		p.Reauth.Field = reauth
		return []views.Part{{Name: "inbox", HTML: dashboard.Inbox(p)}}, err
	}, nil
}

// openPayment reads a payment.
func (d *Surface) openPayment(c echo.Context, who session.Principal) (reader, error) {
	x, key, err := d.ownPayment(c, who)
	if err != nil {
		return nil, err
	}
	reauth, err := d.StrongField(c, who, shell.NewForm(url.Values{}))
	if err != nil {
		return nil, err
	}
	frame := d.Frame(c, who, "", paymentsPath)
	return func(ctx context.Context) ([]views.Part, error) {
		x, err := d.Payments.Get(ctx, string(x.ID))
		if err != nil {
			return nil, err
		}
		frame.Now = d.now(who)
		p, err := d.paymentProps(ctx, who, x, key)
		if err != nil {
			return nil, err
		}
		p.Frame, p.Reauth.Field, p.Reason, p.Note = frame, reauth, reasonField, noteField
		if p.Refunds, err = d.refunds(ctx, who, x, shell.NewForm(url.Values{})); err != nil {
			return nil, err
		}
		p.Refunds.Reauth = p.Reauth
		if err := d.addHistory(ctx, &p, x); err != nil {
			return nil, err
		}
		return []views.Part{
			{Name: "verdict", HTML: dashboard.PaymentVerdict(p)},
			{Name: "money", HTML: dashboard.PaymentMoney(p)},
			{Name: "facts", HTML: dashboard.PaymentFacts(p)},
			{Name: "timeline", HTML: dashboard.PaymentTimeline(p)},
			{Name: "technical", HTML: dashboard.PaymentTechnical(p)},
			{Name: "refunds", HTML: dashboard.PaymentRefunds(p.Refunds)},
			{Name: "hooks", HTML: dashboard.PaymentWebhooks(p)},
			{Name: "acts", HTML: dashboard.PaymentActs(p)},
		}, nil
	}, nil
}
