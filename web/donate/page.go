package donate

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/views/donate"
	"github.com/florinpay/florin/web/shell"
)

// getDonate is a campaign: its page for a browser, JSON for programs.
func (s *Surface) getDonate(c echo.Context) error {
	c.Response().Header().Add("Vary", "Accept")
	if !strings.Contains(c.Request().Header.Get("Accept"), "text/html") {
		return s.Programs.Get(c)
	}
	if txnid := c.QueryParam("pay"); txnid != "" {
		return s.getGift(c, txnid)
	}
	before, err := operation.ParseBefore(c.QueryParam("before"))
	if err != nil {
		return err
	}
	return s.donatePage(c, http.StatusOK, before, func(*donate.Props) {})
}

// donatePage writes the page of a campaign; add completes its props.
func (s *Surface) donatePage(c echo.Context, status int, before int64, add func(*donate.Props)) error {
	p, err := s.donateProps(c.Request().Context(), shell.NewPage(c), c.Param("campaignId"), before)
	if err != nil {
		return err
	}
	p.Once = string(s.NewID(s.Shell.Now()))
	add(&p)
	return shell.Render(c, status, p.Page, donate.Campaign(p))
}

// getWidget is a campaign in a frame on another site.
func (s *Surface) getWidget(c echo.Context) error {
	p, err := s.donateProps(c.Request().Context(), shell.NewPage(c), c.Param("campaignId"), 0)
	if err != nil {
		return err
	}
	shell.AllowFraming(c, p.Nonce)
	return shell.Render(c, http.StatusOK, p.Page, donate.Widget(p))
}

// postDonate starts a donation: over REST, or by the form of the page.
func (s *Surface) postDonate(c echo.Context) error {
	if shell.IsForm(c) {
		return s.Shell.SameSite(s.postDonateForm)(c)
	}
	return s.Programs.Post(c)
}
