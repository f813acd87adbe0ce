package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/static"
)

// routes is the table of contents of the server.
func (s *Server) routes() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = s.fail
	e.Use(s.enter, secureHeaders(s.secure))

	e.GET("/health", s.getHealth)
	e.GET(static.Prefix+"*", echo.WrapHandler(static.Handler()))

	limited := e.Group("", s.perClient)
	// The interface.
	limited.POST("/graphql", s.postGraphQL)
	limited.POST("/create-payment", s.postCreatePayment)
	limited.POST("/pay", s.postPay)
	limited.POST("/cancel-payment", s.postCancelPayment)
	limited.GET("/orders/:txnid", s.getOrder)
	limited.GET("/txn/:txnid", s.getOrder)
	limited.POST("/txn/:txnid/find", s.postFindTxn)
	// The hosted checkout.
	limited.GET("/", s.getLanding)
	limited.GET("/pay", s.getCheckout)
	limited.POST("/pay/:txnid/start", s.postStart, sameSite)
	limited.POST("/pay/:txnid/cancel", s.postCancel, sameSite)
	limited.POST("/pay/:txnid/find", s.postFind, sameSite)
	limited.GET("/pay/:txnid/live", s.getLive)
	limited.GET("/pay/:txnid/receipt", s.getReceipt)

	if s.o.Sandbox != nil {
		e.Any("/sandbox", echo.WrapHandler(s.o.Sandbox))
		e.Any("/sandbox/*", echo.WrapHandler(s.o.Sandbox))
	}
	return e
}

func (s *Server) postGraphQL(c echo.Context) error {
	call := callOf(c)
	r := c.Request()
	if err := s.graphQL.Serve(&afterHeader{ResponseWriter: c.Response(), call: call}, r); err != nil {
		return err
	}
	return nil
}

// afterHeader adds what an operation told the surface to the header, just
// before it is written.
type afterHeader struct {
	http.ResponseWriter
	call *call
}

func (w *afterHeader) WriteHeader(status int) {
	w.call.addHeaders(w.Header())
	w.ResponseWriter.WriteHeader(status)
}
