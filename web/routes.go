package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/static"
)

// transactionPath is the one route under a payment that a script asks.
const transactionPath = "/pay/:txnid/transaction"

// routes is the table of contents of the server.
func (s *Server) routes() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = s.fail
	e.Use(s.enter, secureHeaders(s.secure), s.perClient)

	// get also answers HEAD, which monitors and link previews send.
	get := func(path string, h echo.HandlerFunc) { e.Match([]string{http.MethodGet, http.MethodHead}, path, h) }

	get("/health", s.getHealth)
	get(static.Prefix+"*", echo.WrapHandler(static.Handler()))

	// The interface.
	e.POST("/graphql", s.postGraphQL)
	e.POST("/create-payment", s.postCreatePayment)
	e.POST("/pay", s.postPay)
	e.POST("/cancel-payment", s.postCancelPayment)
	get("/orders/:txnid", s.getOrder)
	get("/txn/:txnid", s.getOrder)
	e.POST("/txn/:txnid/find", s.postFindTxn)
	get("/events", s.getEvents)

	s.docRoutes(get)
	// The hosted checkout.
	get("/", s.getLanding)
	get("/pay", s.getCheckout)
	e.POST("/pay/:txnid/start", s.postStart, s.sameSite)
	e.POST("/pay/:txnid/cancel", s.postCancel, s.sameSite)
	e.POST("/pay/:txnid/find", s.postFind, s.sameSite)
	e.POST(transactionPath, s.postTransaction, s.sameSite)
	e.GET("/pay/:txnid/live", s.getLive)
	get("/pay/:txnid/receipt", s.getReceipt)

	// Donation campaigns and payment links.
	get("/donate/:campaignId", s.getDonate)
	e.POST("/donate/:campaignId/pay", s.postDonate)
	e.GET("/donate/:campaignId/live", s.getDonateLive)
	get("/donate/:campaignId/widget", s.getWidget)
	get("/donate/:campaignId/card.png", s.getCard)
	get("/link/:slug", s.getLink)
	e.POST("/link/:slug", s.postLink, s.sameSite)

	s.deskRoutes(e)

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
