package checkout

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/web/live"
	"github.com/florinpay/florin/web/shell"
)

// lookEvery is how often an open page is read without an event.
const lookEvery = 12 * time.Second

// livePage is an open payment page.
type livePage struct {
	s    *Surface
	id   payment.ID
	lang string
	// campaign is the one on whose page the payment is shown; empty for its own.
	campaign string
	view     checkout.View
	via      checkout.Via
}

// livePage returns the page, whose payment has not been read yet.
func (s *Surface) livePage(c echo.Context) *livePage {
	return &livePage{
		s: s, id: payment.ID(c.Param("txnid")), lang: shell.Language(c), campaign: c.QueryParam("campaign"),
		view: checkout.ParseView(c.QueryParam("view")), via: checkout.ParseVia(c.QueryParam("via")),
	}
}

// getLive keeps a page up to date.
func (s *Surface) getLive(c echo.Context) error {
	l := s.livePage(c)
	p, err := s.Payments.Get(c.Request().Context(), string(l.id))
	if err != nil {
		return err
	}
	l.id = p.ID
	return s.Hub.Follow(c, live.Feed{
		Topic: live.Payment(l.id), Look: l.look, Every: lookEvery, Life: live.Lifetime, Log: s.Shell.Log,
	})
}

// getNow answers a page that asks what it does not show yet.
func (s *Surface) getNow(c echo.Context) error { return live.Now(c, s.livePage(c).look) }

// look reads the payment.
func (l *livePage) look(ctx context.Context) (live.State, error) {
	p, err := l.s.Payments.Get(ctx, string(l.id))
	if err != nil {
		return live.State{}, err
	}
	return l.state(ctx, p)
}

// state is what the page shows of the payment. The merchant and the codes are read and made only for what is rendered.
func (l *livePage) state(ctx context.Context, p payment.Payment) (live.State, error) {
	l.s.Payments.Look(p)
	props, err := l.s.Presenter.Outline(ctx, p, views.Page{Lang: l.lang}, l.view)
	if err != nil {
		return live.State{}, err
	}
	props.Via = l.via
	if l.campaign != "" {
		props = props.OnCampaign(l.campaign)
	}
	whole := sync.OnceValues(func() (checkout.Props, error) {
		m, err := l.s.Presenter.Merchant(ctx, p)
		l.s.Presenter.Complete(&props, m)
		l.s.Presenter.AddCodes(&props)
		return props, err
	})
	state := live.State{
		Parts:  props.Parts(whole),
		Moving: props.State == checkout.StateSeen || props.State == checkout.StateConfirming,
		// The sums of a campaign change with the payments of others.
		Settled: l.campaign == "" && settled(props),
	}
	if !p.Status.Final() {
		state.Until = p.ExpiresAt
	}
	if l.campaign != "" && l.s.CampaignLive != nil {
		parts, err := l.s.CampaignLive(ctx, l.campaign, l.lang)
		if err != nil {
			l.s.Shell.Log.Debug("the campaign on an open page could not be brought up to date", "error", err)
		}
		state.Parts = append(state.Parts, parts...)
	}
	return state, nil
}

// settled reports whether a page shows a payment that was paid, of which nothing comes or goes any more.
func settled(p checkout.Props) bool {
	coming := slices.ContainsFunc(p.Deposits, func(d checkout.Deposit) bool { return d.Kind == checkout.DepositSeen })
	return p.State == checkout.StatePaid && !p.Back.Open() && !coming
}
