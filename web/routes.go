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
	e.Use(s.enter, secureHeaders(s.secure), s.perClient)

	e.GET("/health", s.getHealth)
	e.GET(static.Prefix+"*", echo.WrapHandler(static.Handler()))

	// The interface.
	e.POST("/graphql", s.postGraphQL)
	e.POST("/create-payment", s.postCreatePayment)
	e.POST("/pay", s.postPay)
	e.POST("/cancel-payment", s.postCancelPayment)
	e.GET("/orders/:txnid", s.getOrder)
	e.GET("/txn/:txnid", s.getOrder)
	e.POST("/txn/:txnid/find", s.postFindTxn)
	e.GET("/events", s.getEvents)
	// The hosted checkout.
	e.GET("/", s.getLanding)
	e.GET("/pay", s.getCheckout)
	e.POST("/pay/:txnid/start", s.postStart, sameSite)
	e.POST("/pay/:txnid/cancel", s.postCancel, sameSite)
	e.POST("/pay/:txnid/find", s.postFind, sameSite)
	e.GET("/pay/:txnid/live", s.getLive)
	e.GET("/pay/:txnid/receipt", s.getReceipt)

	if s.o.Sandbox != nil {
		e.Any("/sandbox", echo.WrapHandler(s.o.Sandbox))
		e.Any("/sandbox/*", echo.WrapHandler(s.o.Sandbox))
	}
	return e
}

func (s *Server) postGraphQL(c echo.Context) error {
	return s.graphQL.Serve(&afterHeader{ResponseWriter: c.Response(), call: callOf(c)}, c.Request())
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
