package docs

import (
	"sync"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/views/docs"
	"github.com/florinpay/florin/web/shell"
)

// Options are what the pages say about the server.
type Options struct {
	GraphQL graph.Options
	Version string
	// Least and Most are the bounds of a payment's amount.
	Least, Most money.Micros
	// Currencies are those, beside US dollars, in which a price may have a rate.
	Currencies []exchange.Currency
	// FreeCredits is what a new key starts with.
	FreeCredits int64
	// SignIn and Sandbox say whether the server has a dashboard and a sandbox.
	SignIn, Sandbox bool
}

// Surface serves the documentation.
type Surface struct {
	Shell *shell.Shell
	Options
	// Account returns what is known of the signed-in reader; nil: nobody signs in here.
	Account func(echo.Context) docs.Account

	sections func() ([]section, error) // made at the first search
	openAPI  func() (*Document, error) // made at the first request
}

// New returns the surface.
func New(sh *shell.Shell, o Options) *Surface {
	s := &Surface{
		Shell: sh, Options: o,
		openAPI: sync.OnceValues(func() (*Document, error) { return buildOpenAPI(sh.BaseURL, o.Least, o.Most) }),
	}
	s.sections = sync.OnceValues(s.indexed)
	return s
}

// OpenAPI returns the OpenAPI document of the server.
func (s *Surface) OpenAPI() (*Document, error) { return s.openAPI() }
