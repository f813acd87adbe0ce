package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/views/docs"
	"github.com/florinpay/florin/web/settings"
	"github.com/florinpay/florin/web/shell"
)

// getLanding is the front page.
func (s *Server) getLanding(c echo.Context) error {
	p := views.LandingProps{Page: shell.NewPage(c), Version: s.o.Version, DocsURL: docs.StartPath}
	asked := "" // what was chosen holds on the pages behind
	if views.HasLanguage(c.QueryParam("lang")) {
		asked = "?lang=" + p.Lang
	}
	p.Here = "/?lang="
	for _, n := range chain.Networks() {
		if _, ok := s.d.Payments.Network(n); ok {
			p.Networks = append(p.Networks, string(n))
		}
	}
	if s.d.Dashboard != nil {
		p.SignInURL = "/signin" + asked
		if s.o.SignUp {
			p.SignUpURL = "/signup" + asked
		}
	}
	if s.o.Sandbox != nil {
		p.SandboxURL, p.DemoURL = "/sandbox", "/sandbox/create"
	}
	p.PictureURL = picturePath + asked
	shell.AllowOwnFrames(c)
	return shell.Render(c, http.StatusOK, p.Page, views.Landing(p))
}

// picturePath is the picture of the checkout that the front page shows.
const picturePath = docs.StartPath + "/checkout-example"

// getPicture is the checkout of an imagined payment, as a picture.
func (s *Server) getPicture(c echo.Context) error {
	page := shell.NewPage(c)
	p, err := checkout.Example(page, "send", settings.Choices(s.d.Payments, merchant.Custodian{}), s.d.Now())
	if err != nil {
		return err
	}
	p.Merchant = views.Merchant{Name: page.T("Coffee shop"), Tagline: page.T("An example")}
	shell.Pictured(c, p.Nonce)
	return shell.Render(c, http.StatusOK, p.Page, checkout.Pay(p))
}
