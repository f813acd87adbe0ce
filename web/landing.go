package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/docs"
	"github.com/florinpay/florin/web/shell"
)

// getLanding is the front page.
func (s *Server) getLanding(c echo.Context) error {
	p := views.LandingProps{Page: shell.NewPage(c), Version: s.o.Version, DocsURL: docs.StartPath}
	for _, n := range chain.Networks() {
		if _, ok := s.d.Payments.Network(n); ok {
			p.Networks = append(p.Networks, string(n))
		}
	}
	if s.d.Dashboard != nil {
		p.SignInURL = "/signin"
		if s.o.SignUp {
			p.SignUpURL = "/signup"
		}
	}
	if s.o.Sandbox != nil {
		p.SandboxURL = "/sandbox"
	}
	return shell.Render(c, http.StatusOK, p.Page, views.Landing(p))
}
