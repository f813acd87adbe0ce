package api

import (
	"sync"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph"
	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/web/shell"
)

// Surface serves the interface.
type Surface struct {
	Operations *operation.Operations
	GraphQL    *graph.Handler
	// Shell refuses what pages of other sites ask for.
	Shell *shell.Shell
}

// schema is the text of the schema, made once.
var schema = sync.OnceValue(graph.SDL)

// Routes adds the routes of the interface.
func (s *Surface) Routes(r shell.Router) {
	g := r.Renders(graphQLFailure)
	g.POST("/graphql", s.serveGraphQL)
	// A page of another site may send a GET without asking first.
	g.With(s.Shell.SameSite).GET("/graphql", s.serveGraphQL)
	r.AnyOrigin().Read("/schema.graphql", getSchema)
	r.POST("/create-payment", s.postCreatePayment)
	// What the payer's browser does needs no key, so a shop's own page may do it.
	r.AnyOrigin().POST("/pay", s.postPay)
	r.AnyOrigin().POST("/cancel-payment", s.postCancelPayment)
	r.GET("/orders", s.getOrders)
	r.AnyOrigin().Read("/orders/:txnid", s.getOrder)
	r.AnyOrigin().Read("/txn/:txnid", s.getOrder)
	r.AnyOrigin().POST("/txn/:txnid/find", s.postFind)
	r.Read("/events", s.getEvents)
	r.POST("/refunds", s.postRefund)
	r.Read("/refunds", s.getRefunds)
	r.Read("/refunds/:id", s.getRefund)
	r.POST("/refunds/:id/hash", s.postConfirmRefund)
	r.POST("/refunds/:id/cancel", s.postCancelRefund)
}

// graphQLFailure renders a refusal for GraphQL clients, which read errors.
func graphQLFailure(c echo.Context, r operation.Refusal) error {
	type message struct {
		Message string `json:"message"`
	}
	return shell.WriteJSON(c, r.Code, struct {
		shell.Problem

		Errors []message `json:"errors"`
	}{shell.ProblemOf(r), []message{{r.Message}}})
}
