package shell

import (
	"log/slog"
	"net/netip"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/trace"
)

// Options are what a shell is made of.
type Options struct {
	// BaseURL and CheckoutURL are the public addresses, without a slash at
	// their ends.
	BaseURL, CheckoutURL string
	Rates                Rates
	// Proxies are the networks whose X-Forwarded-For is believed; nil means
	// loopback.
	Proxies []netip.Prefix
	// ClientHeader is the header in which such a proxy names the client; empty: X-Forwarded-For.
	ClientHeader string
	// Answered is called after each request with the route it matched (empty
	// for none) and its method ("other" for one that HTTP does not define). It
	// may be nil, and must return quickly.
	Answered func(route, method string, status int, took time.Duration)
	// Trace exports requests that change a payment; nil: none.
	Trace *trace.Tracer
	Now   func() time.Time
	Log   *slog.Logger
	Forms Forms
}

// Forms keep what numbered forms were answered (Shell.Once).
type Forms struct {
	Store  idempotency.Store // nil: forms are not numbered
	Sealer *secret.Sealer
}

// Shell is what surfaces use of the server around them.
type Shell struct {
	BaseURL, CheckoutURL string
	Limits               *Limits
	Now                  func() time.Time
	Log                  *slog.Logger

	proxies []netip.Prefix
	forms   Forms
	notes   notes
	// clientHeader is Options.ClientHeader.
	clientHeader string
	summary      summary
	answered     func(route, method string, status int, took time.Duration)
	trace        *trace.Tracer
	routes       map[routeKey]route
}

// New returns a shell without routes.
func New(o Options) *Shell {
	if o.Rates == (Rates{}) {
		o.Rates = DefaultRates()
	}
	if o.Proxies == nil {
		o.Proxies = loopback()
	}
	return &Shell{
		BaseURL: o.BaseURL, CheckoutURL: o.CheckoutURL, Limits: NewLimits(o.Rates, o.Now), Now: o.Now, Log: o.Log,
		proxies: o.Proxies, clientHeader: o.ClientHeader, forms: o.Forms, answered: o.Answered, trace: o.Trace,
		routes: make(map[routeKey]route),
	}
}

// Secure reports whether the public addresses are https.
func (s *Shell) Secure() bool { return strings.HasPrefix(s.BaseURL, "https://") }
