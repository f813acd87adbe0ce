package web

import (
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/static"
	"github.com/florinpay/florin/web/refund"
	"github.com/florinpay/florin/web/shell"
)

// routes is the table of contents of the server: one line a surface.
func (s *Server) routes() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = s.sh.Fail
	e.Pre(shell.WithoutSlash)
	e.Use(s.sh.Enter, s.lastOfConnection, s.sh.Headers, s.sh.InClear, s.sh.PerClient, shell.Unread)

	r := s.sh.Router(e)
	// These cost next to nothing: a page requests its files all at once, and a
	// monitor may poll as often as it likes.
	free := r.Unlimited()
	free.Read("/health", s.getHealth)
	free.Read("/livez", s.getLivez)
	free.Read("/readyz", s.getReadyz)
	free.Read(static.Prefix+"*", echo.WrapHandler(static.Handler()))

	r.Read("/", s.getLanding)
	r.Read(picturePath, s.getPicture)
	s.api.Routes(r)
	s.docs.Routes(r)
	s.checkout.Routes(r)
	(&refund.Surface{
		Shell: s.sh, Refunds: s.d.Refunds, Payments: s.d.Payments, Merchant: s.presenter.Merchant, Limits: s.sh.Limits,
	}).Routes(r)
	s.donate.Routes(r)
	s.dashboardRoutes(r)

	if s.o.Sandbox != nil {
		e.Any("/sandbox", echo.WrapHandler(s.o.Sandbox))
		e.Any("/sandbox/*", echo.WrapHandler(s.o.Sandbox))
	}
	return e
}
