package shell

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
)

// everyResponse are the headers of every response, made once. A handler that
// needs another value sets it, which leaves these slices alone.
var everyResponse = struct{ nosniff, referrer, policy, cache, transport, origin []string }{
	nosniff: []string{"nosniff"},
	// Other sites must not learn a txnid. Our own forms need an Origin, which
	// "no-referrer" would take away in older browsers.
	referrer:  []string{"same-origin"},
	policy:    []string{"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
	cache:     []string{"no-store"},
	transport: []string{"max-age=63072000"},
	origin:    []string{"*"}, // of routes that are Router.AnyOrigin
}

// Headers sets the security headers of every response. Render replaces the
// Content-Security-Policy by one with the page's nonce.
func (s *Shell) Headers(next echo.HandlerFunc) echo.HandlerFunc {
	https := s.Secure()
	return func(c echo.Context) error {
		h := c.Response().Header()
		h["X-Content-Type-Options"] = everyResponse.nosniff
		h["Referrer-Policy"] = everyResponse.referrer
		h["Content-Security-Policy"] = everyResponse.policy
		h["Cache-Control"] = everyResponse.cache
		if https {
			h["Strict-Transport-Security"] = everyResponse.transport
		}
		if s.routeOf(c).anyOrigin {
			h["Access-Control-Allow-Origin"] = everyResponse.origin
			allowCross(c.Request(), h, s.routeOf(c).posts)
		}
		return next(c)
	}
}

// crossHeaders are what a page of another site may send: the type of a body, as some clients do with every request,
// what makes a repeated write one, and what tracing libraries add to each request. A key is not among them.
var crossHeaders = []string{
	"Accept", "Content-Type", "Idempotency-Key", "Traceparent", "Tracestate", "Baggage", "Sentry-Trace", "B3",
	"X-B3-Traceid", "X-B3-Spanid", "X-B3-Parentspanid", "X-B3-Sampled", "X-Request-Id", "X-Correlation-Id",
	"X-Requested-With", "X-Datadog-Trace-Id", "X-Datadog-Parent-Id", "X-Datadog-Origin", "X-Datadog-Sampling-Priority",
	"Newrelic", "X-Amzn-Trace-Id", "X-Cloud-Trace-Context", "Uber-Trace-Id", "Request-Id", "Cache-Control", "Pragma",
}

// allowCross answers the preflight of a request of another site. One that would send anything else, such as a key, is
// not answered, and browsers then send nothing.
func allowCross(r *http.Request, h http.Header, posts bool) {
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return
	}
	for name := range strings.SplitSeq(r.Header.Get("Access-Control-Request-Headers"), ",") {
		name = http.CanonicalHeaderKey(strings.TrimSpace(name))
		if name != "" && !slices.Contains(crossHeaders, name) {
			return
		}
	}
	methods := "GET, HEAD"
	if posts {
		methods = "POST"
	}
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Allow-Headers", strings.Join(crossHeaders, ", "))
	h.Set("Access-Control-Max-Age", "7200") // the most that browsers keep it
}

// pageHeaders sets the headers of a page. Scripts come from this server, styles
// from this server or with the nonce, and no site may frame the page.
func pageHeaders(h http.Header, nonce string) {
	Untouched(h)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-"+nonce+
		"'; img-src 'self' https: data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=(), interest-cohort=()")
	h.Set("X-Frame-Options", "DENY")
}

// Untouched tells proxies to pass the response on as it is (RFC 9111 section 5.2.2.6). One that rewrites pages would
// put a loader of its own before our scripts, which the policy blocks; one that compresses streams holds their events
// back.
func Untouched(h http.Header) { h.Set("Cache-Control", h.Get("Cache-Control")+", no-transform") }

// AllowFraming lets other sites frame the page about to be rendered, which may
// then run no script and send no form.
func AllowFraming(c echo.Context, nonce string) {
	h := c.Response().Header()
	c.Response().Before(func() {
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self' 'nonce-"+nonce+
			"'; img-src 'self' https: data:; form-action 'none'; base-uri 'none'; frame-ancestors *")
		h.Del("X-Frame-Options")
	})
}

// Pictured makes the page about to be rendered a picture: only this server may frame
// it, and it may run no script and send no form.
func Pictured(c echo.Context, nonce string) {
	h := c.Response().Header()
	c.Response().Before(func() {
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self' 'nonce-"+nonce+
			"'; img-src 'self' https: data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox")
		h.Set("X-Frame-Options", "SAMEORIGIN")
	})
}

// AllowOwnFrames lets the page about to be rendered hold frames of this server.
func AllowOwnFrames(c echo.Context) {
	h := c.Response().Header()
	c.Response().Before(func() {
		h.Set("Content-Security-Policy", h.Get("Content-Security-Policy")+"; frame-src 'self'")
	})
}
