package donate

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	checkoutview "github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/views/donate"
	"github.com/florinpay/florin/web/checkout"
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
		Page: shell.NewPage(
			c,
		), Merchant: merchant, Slug: l.Slug, Description: l.Description, Amount: checkout.Positive(l.Amount),
		Min: least.Display(), Max: most.Display(), Bounded: l.Min > 0 || l.Max > 0, Closed: l.Closed(),
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
	if l.Amount == 0 && !l.Closed() {
		least, most := s.linkBounds(l)
		if e := amountError(typed, least, most); e != "" {
			return s.linkAgain(c, http.StatusUnprocessableEntity, l, e, checkoutview.ProblemNone)
		}
	}
	if err := s.Shell.Limits.Open(ctx); err != nil {
		return s.refuseLink(c, l, err)
	}
	p, err := s.Campaigns.UseLink(ctx, l, typed)
	if err != nil {
		return s.refuseLink(c, l, err)
	}
	return c.Redirect(
		http.StatusSeeOther, checkoutview.PayPath(string(p.ID), c.QueryParam("lang"), checkoutview.ViewNow),
	)
}

func (s *Surface) refuseLink(c echo.Context, l campaign.Link, err error) error {
	problem := checkoutview.ProblemNone
	switch {
	case errors.Is(err, merchant.ErrNoCustodian):
		problem = checkoutview.ProblemMerchant
	case fault.Is(err, fault.Limited):
		problem = checkoutview.ProblemTooOften
	case !errors.Is(err, campaign.ErrLinkClosed):
		return err
	}
	refusal := s.Shell.Refuse(c, err)
	return s.linkAgain(c, refusal.Code, l, "", problem)
}

func (s *Surface) linkAgain(
	c echo.Context, status int, l campaign.Link, e donate.InputError, problem checkoutview.Problem,
) error {
	return s.linkPage(c, status, l, func(p *donate.LinkProps) {
		p.Typed, p.Problem = url.Values{"amount": {shownText(c.Request().PostForm.Get("amount"))}}, problem
		if e != "" {
			p.Errors = map[string]donate.InputError{"amount": e}
		}
	})
}
