package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph"
	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/lookup"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/trace"
	"github.com/florinpay/florin/web/api"
	"github.com/florinpay/florin/web/checkout"
	"github.com/florinpay/florin/web/docs"
	"github.com/florinpay/florin/web/donate"
	"github.com/florinpay/florin/web/live"
	"github.com/florinpay/florin/web/present"
	"github.com/florinpay/florin/web/shell"
)

// Deps is what the server needs.
type Deps struct {
	Payments  *payment.Service
	Campaigns *campaign.Service
	Users     *identity.Service
	Merchants *merchant.Service
	Store     operation.Store
	// Ping fails while the database does not answer.
	Ping func(context.Context) error
	// Ready fails while the server should be sent no requests because of the database; nil: Ping.
	Ready  func(context.Context) error
	Lookup *lookup.Finder
	// Refunds are what merchants pay back.
	Refunds *refund.Service
	// Recharges sells query units; nil sells none.
	Recharges operation.Recharges
	Wallets   operation.Wallets
	Sealer    *secret.Sealer
	// BuildTransfer builds transactions for wallets on Solana; nil builds none.
	BuildTransfer checkout.BuildTransfer
	// SendTransfers sends what such a wallet has only signed.
	SendTransfers checkout.SendTransfers
	// Dashboard serves the pages of merchants and operators; nil serves none.
	Dashboard *Dashboard
	Now       func() time.Time
	NewID     func(time.Time) payment.ID
	Log       *slog.Logger
}

// Options are the operator's settings.
type Options struct {
	// BaseURL and CheckoutURL are the public addresses, without a slash at
	// their ends.
	BaseURL     string
	CheckoutURL string
	Version     string
	GraphQL     graph.Options
	Rates       shell.Rates
	IdleTimeout time.Duration // of a connection
	// ClientHeader is the header in which such a proxy names the client; empty: X-Forwarded-For.
	ClientHeader string
	// Proxies are the networks whose X-Forwarded-For is believed; nil means
	// loopback.
	Proxies []netip.Prefix
	// SignUp lets anyone make a user; NewKeys is what their keys start with.
	SignUp  bool
	NewKeys operation.NewKeys
	// Sandbox serves /sandbox; nil in production.
	Sandbox http.Handler
	// SandboxKey returns the API key that the samples of a sandbox show; nil in production.
	SandboxKey func() string
	// Answered is called after each request (shell.Options). It may be nil.
	Answered func(route, method string, status int, took time.Duration)
	// Trace exports requests that change a payment (shell.Options). It may be nil.
	Trace *trace.Tracer
}

// Server is Florin's HTTP server.
type Server struct {
	d         Deps
	o         Options
	sh        *shell.Shell
	ops       *operation.Operations
	hub       *live.Hub
	presenter *present.Presenter
	api       *api.Surface
	docs      *docs.Surface
	checkout  *checkout.Surface
	donate    *donate.Surface
	health    healthCache
	ready     cachedCheck // of Ready
	draining  atomic.Bool
	handler   *echo.Echo
	http      *http.Server
}

// New returns a server. It serves nothing by itself: mount Handler, or call Serve.
func New(d Deps, o Options) *Server {
	if o.GraphQL.Limits == (graph.Limits{}) {
		o.GraphQL.Limits = graph.DefaultLimits()
	}
	if d.Ready == nil {
		d.Ready = d.Ping
	}
	s := &Server{d: d, o: o, sh: shell.New(shell.Options{
		BaseURL: o.BaseURL, CheckoutURL: o.CheckoutURL, Rates: o.Rates, Answered: o.Answered,
		Proxies: o.Proxies, ClientHeader: o.ClientHeader, Trace: o.Trace,
		Now: d.Now, Log: d.Log, Forms: shell.Forms{Store: d.Store, Sealer: d.Sealer},
	})}
	s.ops = newOperations(d, o, s.sh.Limits)
	s.hub = live.NewHub(s.sh.Limits.Rates)
	s.presenter = present.New(d.Payments, present.Options{
		Now: d.Now, Origin: o.CheckoutURL, Sandbox: o.Sandbox != nil, Transfers: d.BuildTransfer != nil,
		Refunds: d.Refunds,
	})
	s.api = &api.Surface{Operations: s.ops, GraphQL: graph.New(s.ops, o.GraphQL, d.Log), Shell: s.sh}
	least, most := d.Payments.Bounds()
	s.docs = docs.New(s.sh, docs.Options{
		Least: least, Most: most,
		GraphQL: o.GraphQL, Version: o.Version, FreeCredits: o.NewKeys.Credits, Currencies: d.Payments.Currencies(),
		SignIn: d.Dashboard != nil, Sandbox: o.Sandbox != nil,
	})
	s.checkout = &checkout.Surface{
		Shell: s.sh, Payments: d.Payments, Operations: s.ops, Presenter: s.presenter,
		Hub: s.hub, BuildTransfer: d.BuildTransfer, SendTransfers: d.SendTransfers,
	}
	s.donate = donate.New(donate.Services{
		Shell: s.sh, Campaigns: d.Campaigns, Payments: d.Payments, Operations: s.ops,
		Programs:  donate.Programs{Get: s.api.GetCampaign, Post: s.api.PostDonation},
		Presenter: s.presenter, Hub: s.hub, NoteShown: s.checkout.NoteShown, NewID: d.NewID,
	})
	s.checkout.CampaignPage, s.checkout.CampaignLive = s.donate.GiftPage, s.donate.Live
	s.handler = s.routes()
	s.http = s.newHTTP()
	return s
}

// newOperations returns the operations behind REST, GraphQL and the forms.
func newOperations(d Deps, o Options, l operation.Limits) *operation.Operations {
	return operation.New(operation.Deps{
		Users: d.Users, Merchants: d.Merchants, Payments: d.Payments, Campaigns: d.Campaigns, Lookup: d.Lookup,
		Refunds: d.Refunds, Recharges: d.Recharges, Store: d.Store, Sealer: d.Sealer, Wallets: d.Wallets, Limits: l,
		BaseURL: o.BaseURL, CheckoutURL: o.CheckoutURL,
		SignUp: o.SignUp, Invite: d.Dashboard != nil && d.Dashboard.Invite, NewKeys: o.NewKeys,
		Now: d.Now, NewID: d.NewID, Log: d.Log,
	})
}

// Handler returns the whole of the server's routes.
func (s *Server) Handler() http.Handler { return s.handler }

// Changed brings the open pages of a payment up to date; with an empty id, all open
// pages. It never blocks.
func (s *Server) Changed(id payment.ID) { s.hub.Publish(id) }

// Streams returns how many open pages are kept up to date.
func (s *Server) Streams() int { return s.hub.Count() }

// CountCheck counts a wallet that the endpoints are asked about, by whose request it is.
func (s *Server) CountCheck(ctx context.Context) error { return s.sh.Limits.Checks(ctx) }

// Timeouts of the server. Streams set their own.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 15 * time.Second
	// writeTimeout is longer than the longest operation.
	writeTimeout = 90 * time.Second
	// maxHeaderBytes is what proxies of single sign-on send in cookies and tokens.
	maxHeaderBytes = 32 << 10
)

// Serve answers on the listener until Shutdown; it returns
// http.ErrServerClosed then.
func (s *Server) Serve(l net.Listener) error { return s.http.Serve(l) }

// Shutdown ends streams at once, whose browsers come back to whoever serves then, lets running requests finish until
// ctx ends, and closes what is left. Calling it twice, or before Serve, is fine.
func (s *Server) Shutdown(ctx context.Context) error {
	s.hub.Stop()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return s.http.Close()
	}
	return err
}

func (s *Server) newHTTP() *http.Server {
	return &http.Server{
		Handler: s.handler, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: s.o.IdleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: slog.NewLogLogger(s.d.Log.Handler(), slog.LevelDebug),
	}
}
