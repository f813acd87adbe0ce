package donate

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	checkoutview "github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/views/donate"
	"github.com/florinpay/florin/web/present"
	"github.com/florinpay/florin/web/shell"
)

// getLink is the page of a payment link.
func (s *Surface) getLink(c echo.Context) error {
	l, err := s.Campaigns.Link(c.Request().Context(), c.Param("slug"))
	if err != nil {
		return err
	}
	return s.linkPage(c, http.StatusOK, l, func(*donate.LinkProps) {})
}

func (s *Surface) linkPage(c echo.Context, status int, l campaign.Link, add func(*donate.LinkProps)) error {
	merchant, err := s.Presenter.Merchant(
		c.Request().Context(), payment.Payment{KeyID: l.KeyID, Kind: payment.KindMerchant},
	)
	if err != nil {
		return err
	}
	least, most := s.linkBounds(l)
	p := donate.LinkProps{
		Page:     shell.NewPage(c),
		Merchant: merchant, Slug: l.Slug, Description: l.Description, Amount: present.Positive(l.Amount),
		Price: present.Sum(l.Price),
		Min:   least.Display(), Max: most.Display(), Bounded: l.Min > 0 || l.Max > 0, Closed: l.Closed(),
	}
	if l.Amount > 0 && !p.Closed {
		p.Choices, err = s.Presenter.Choices(
			c.Request().Context(), payment.Payment{KeyID: l.KeyID, Kind: payment.KindMerchant, Amount: l.Amount},
		)
		if err != nil {
			return err
		}
	}
	add(&p)
	return shell.Render(c, status, p.Page, donate.PayLink(p))
}

// linkBounds are the amounts a payer may choose between.
func (s *Surface) linkBounds(l campaign.Link) (least, most money.Micros) {
	least, most = s.Payments.Bounds()
	if l.Max > 0 {
		most = min(most, l.Max)
	}
	return max(least, l.Min), most
}

// maxForm is more than the form of a link has.
const maxForm = 4 << 10

// postLink makes a payment of a link, of which one address may make only so many.
func (s *Surface) postLink(c echo.Context) error {
	ctx := c.Request().Context()
	form, err := shell.ReadForm(c, maxForm)
	if err != nil {
		return err
	}
	l, err := s.Campaigns.Link(ctx, c.Param("slug"))
	if err != nil {
		return err
	}
	typed := views.LocaleFor(shell.Language(c)).Plain(form.Get("amount"))
	if l.Open() && !l.Closed() {
		least, most := s.linkBounds(l)
		if e := amountError(typed, l.Price.Currency, least, most); e != "" {
			return s.linkAgain(c, http.StatusUnprocessableEntity, l, "amount", e)
		}
	}
	if _, chosen, err := linkChoice(form); chosen && err != nil && !l.Closed() {
		return s.linkAgain(c, s.Shell.Refuse(c, err).Code, l, "way", donate.InputWay)
	}
	if err := s.Shell.Limits.Open(ctx); err != nil {
		return s.refuseLink(c, l, err)
	}
	id, err := s.useLink(ctx, l, typed, form)
	if e := boundError(err); e != "" && l.Open() {
		return s.linkAgain(c, http.StatusUnprocessableEntity, l, "amount", e)
	}
	if err != nil {
		return s.refuseLink(c, l, err)
	}
	return c.Redirect(http.StatusSeeOther, checkoutview.WithVia(
		checkoutview.PayPath(string(id), c.QueryParam("lang"), checkoutview.ViewNow), checkoutview.ParseVia(form.Get("via")),
	))
}

// useLink makes a payment of the link, and starts it if the form chose how to pay. A
// choice that cannot be read makes none.
func (s *Surface) useLink(ctx context.Context, l campaign.Link, amount string, form url.Values) (payment.ID, error) {
	choice, chosen, err := linkChoice(form)
	if err != nil {
		return "", err
	}
	p, err := s.Campaigns.UseLink(ctx, l, amount)
	if err != nil || !chosen {
		return p.ID, err
	}
	_, err = s.Payments.Start(ctx, string(p.ID), choice, audit.Act{Near: operation.CallOf(ctx).Near})
	return p.ID, err
}

// linkChoice reads how the payer wants to pay, if the form says so.
func linkChoice(form url.Values) (choice payment.Choice, chosen bool, err error) {
	if form.Get("network") == "" {
		return payment.Choice{}, false, nil
	}
	choice, err = present.ParseChoice(form.Get("network"), form.Get("token"))
	return choice, true, err
}

func (s *Surface) refuseLink(c echo.Context, l campaign.Link, err error) error {
	problem := checkoutview.ProblemNone
	switch {
	case errors.Is(err, merchant.ErrNoCustodian):
		problem = checkoutview.ProblemMerchant
	case fault.Is(err, fault.Limited):
		problem = checkoutview.ProblemTooOften
	case fault.Is(err, fault.PaymentRequired):
		problem = checkoutview.ProblemMerchant
	case fault.Is(err, fault.Unprocessable), fault.Is(err, fault.Unavailable):
		problem = checkoutview.ProblemUnavailable
	case !errors.Is(err, campaign.ErrLinkClosed):
		return err
	}
	refusal := s.Shell.Refuse(c, err)
	return s.linkPage(c, refusal.Code, l, func(p *donate.LinkProps) {
		p.Typed, p.Problem = shownForm(c), problem
	})
}

// linkAgain shows the page with the problem of a field.
func (s *Surface) linkAgain(c echo.Context, status int, l campaign.Link, field string, e donate.InputError) error {
	return s.linkPage(c, status, l, func(p *donate.LinkProps) {
		p.Typed, p.Errors = shownForm(c), map[string]donate.InputError{field: e}
	})
}
