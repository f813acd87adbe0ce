package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/jsonbody"
	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/views"
)

// getDonate is a campaign: its page for a browser, JSON for everybody else.
func (s *Server) getDonate(c echo.Context) error {
	c.Response().Header().Add("Vary", "Accept")
	if !strings.Contains(c.Request().Header.Get("Accept"), "text/html") {
		return answer(c, s, func(ctx context.Context) (*model.CampaignResult, error) {
			return s.ops.Donate(ctx, c.Param("campaignId"), c.QueryParam("before"))
		})
	}
	if txnid := c.QueryParam("pay"); txnid != "" {
		return s.getGift(c, txnid)
	}
	before, err := operation.ParseBefore(c.QueryParam("before"))
	if err != nil {
		return err
	}
	return s.donatePage(c, http.StatusOK, before, func(*views.DonateProps) {})
}

// donatePage writes the page of a campaign; add completes its props.
func (s *Server) donatePage(c echo.Context, status int, before int64, add func(*views.DonateProps)) error {
	p, err := s.donateProps(c.Request().Context(), newPage(c), c.Param("campaignId"), before)
	if err != nil {
		return err
	}
	p.Once = string(s.d.NewID(s.d.Now()))
	add(&p)
	return s.page(c, status, p.Page, views.Donate(p))
}

// getWidget is a campaign in a frame on another site.
func (s *Server) getWidget(c echo.Context) error {
	p, err := s.donateProps(c.Request().Context(), newPage(c), c.Param("campaignId"), 0)
	if err != nil {
		return err
	}
	h := c.Response().Header()
	c.Response().Before(func() { framedHeaders(h, p.Nonce) })
	return s.page(c, http.StatusOK, p.Page, views.DonateWidget(p))
}

// postDonate starts a donation: over REST, or by the form of the page.
func (s *Server) postDonate(c echo.Context) error {
	if isForm(c.Request()) {
		return s.sameSite(s.postDonateForm)(c)
	}
	return write(c, s, func(ctx context.Context, b *jsonbody.Object) (*model.DonationResult, error) {
		in := operation.DonationInput{
			CampaignID: c.Param("campaignId"), Amount: b.Decimal("amount"),
			Network: model.Network(b.Text("network")), Token: model.Token(b.Text("token")), Name: b.Text("name"), Message: b.Text("message"),
		}
		if err := b.Err(); err != nil {
			return nil, err
		}
		return s.ops.StartDonation(ctx, in)
	})
}

// isForm reports whether a browser sent the body by a form.
func isForm(r *http.Request) bool {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(kind), echo.MIMEApplicationForm)
}
