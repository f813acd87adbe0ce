package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/static"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/shell"
)

// routes is the table of contents of the server.
func (s *Server) routes() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = s.sh.Fail
	e.Use(s.sh.Enter, s.sh.Headers, s.sh.PerClient)

	r := s.sh.Router(e)
	// These cost next to nothing: a page asks for its files all at once, and a
	// monitor may ask as often as it likes.
	free := r.Unlimited()
	free.Read("/health", s.getHealth)
	free.Read(static.Prefix+"*", echo.WrapHandler(static.Handler()))

	// The interface.
	r.Renders(graphQLProblem).POST("/graphql", s.postGraphQL)
	r.POST("/create-payment", s.postCreatePayment)
	r.POST("/pay", s.postPay)
	r.POST("/cancel-payment", s.postCancelPayment)
	r.Read("/orders/:txnid", s.getOrder)
	r.Read("/txn/:txnid", s.getOrder)
	r.POST("/txn/:txnid/find", s.postFindTxn)
	r.Read("/events", s.getEvents)

	s.docRoutes(r)
	r.Read("/", s.getLanding)
	s.checkoutRoutes(r)
	s.donateRoutes(r)
	s.deskRoutes(r)

	if s.o.Sandbox != nil {
		e.Any("/sandbox", echo.WrapHandler(s.o.Sandbox))
		e.Any("/sandbox/*", echo.WrapHandler(s.o.Sandbox))
	}
	return e
}

// checkoutRoutes are the hosted checkout. Its errors are pages.
func (s *Server) checkoutRoutes(r shell.Router) {
	r = r.Renders(s.checkoutFailure)
	r.Read("/pay", s.getCheckout)
	r.GET("/pay/:txnid/live", s.getLive)
	r.Read("/pay/:txnid/receipt", s.getReceipt)
	forms := r.With(s.sh.SameSite)
	forms.POST("/pay/:txnid/start", s.postStart)
	forms.POST("/pay/:txnid/cancel", s.postCancel)
	forms.POST("/pay/:txnid/find", s.postFind)
	forms.Renders(shell.JSON).POST("/pay/:txnid/transaction", s.postTransaction)
}

// donateRoutes are donation campaigns and payment links.
func (s *Server) donateRoutes(r shell.Router) {
	d := r.Renders(s.donateFailure)
	d.Read("/donate/:campaignId", s.getDonate)
	d.POST("/donate/:campaignId/pay", s.postDonate)
	d.GET("/donate/:campaignId/live", s.getDonateLive)
	d.Read("/donate/:campaignId/widget", s.getWidget)
	d.Read("/donate/:campaignId/card.png", s.getCard)
	l := r.Renders(s.linkFailure)
	l.Read("/link/:slug", s.getLink)
	l.With(s.sh.SameSite).POST("/link/:slug", s.postLink)
}

// graphQLProblem renders a refusal for GraphQL clients, which look at errors.
func graphQLProblem(c echo.Context, r operation.Refusal) error {
	type message struct {
		Message string `json:"message"`
	}
	return shell.WriteJSON(c, r.Code, struct {
		shell.Problem

		Errors []message `json:"errors"`
	}{shell.Problem{Code: r.Code, Message: r.Message}, []message{{r.Message}}})
}

// checkoutFailure is a page that speaks of the payer's money.
func (s *Server) checkoutFailure(c echo.Context, r operation.Refusal) error {
	p := views.FailureProps{Checkout: true, Again: payPage(c)}
	if !shell.Reads(c) {
		// The address of a form cannot be opened; its payment's can.
		p.Path = views.PayPath(c.Param("txnid"), "", views.ViewNow)
	} else if r.Code == http.StatusBadRequest {
		p.Kind = views.FailurePaymentUnknown // a link that lost its end
	}
	return shell.FailurePage(c, r, p)
}

// donateFailure is a page for a browser, and JSON for a program.
func (s *Server) donateFailure(c echo.Context, r operation.Refusal) error {
	if shell.Reads(c) || !shell.IsForm(c) {
		return shell.Negotiated(c, r)
	}
	return shell.FailurePage(c, r, views.FailureProps{Again: views.DonatePath(c.Param("campaignId"), c.QueryParam("lang"))})
}

// linkFailure is donateFailure for payment links.
func (s *Server) linkFailure(c echo.Context, r operation.Refusal) error {
	if shell.Reads(c) || !shell.IsForm(c) {
		return shell.Negotiated(c, r)
	}
	return shell.FailurePage(c, r, views.FailureProps{Again: views.LinkPath(c.Param("slug"), c.QueryParam("lang"))})
}

func (s *Server) postGraphQL(c echo.Context) error {
	return s.graphQL.Serve(&afterHeader{ResponseWriter: c.Response(), call: shell.CallOf(c)}, c.Request())
}

// afterHeader adds what an operation reported to the header, just before it is
// written.
type afterHeader struct {
	http.ResponseWriter
	call *operation.Call
}

func (w *afterHeader) WriteHeader(status int) {
	shell.SetCallHeaders(w.Header(), w.call)
	w.ResponseWriter.WriteHeader(status)
}
