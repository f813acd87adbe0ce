package web

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
)

// everyAnswer is what every answer carries, made once. Whoever needs another
// value sets it, which leaves these alone.
var everyAnswer = struct{ nosniff, referrer, policy, cache, transport []string }{
	nosniff: []string{"nosniff"},
	// Other sites must not learn a txnid. Our own forms need an Origin, which
	// "no-referrer" would take away in older browsers.
	referrer:  []string{"same-origin"},
	policy:    []string{"default-src 'none'; frame-ancestors 'none'"},
	cache:     []string{"no-store"},
	transport: []string{"max-age=63072000"},
}

// secureHeaders sets what every answer carries. Pages add their
// Content-Security-Policy with a nonce of their own.
func secureHeaders(https bool) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			h := c.Response().Header()
			h["X-Content-Type-Options"] = everyAnswer.nosniff
			h["Referrer-Policy"] = everyAnswer.referrer
			h["Content-Security-Policy"] = everyAnswer.policy
			h["Cache-Control"] = everyAnswer.cache
			if https {
				h["Strict-Transport-Security"] = everyAnswer.transport
			}
			return next(c)
		}
	}
}

// pageHeaders sets what a page carries. A script must come from us, a style
// from us or with the nonce, and nobody may frame the page.
func pageHeaders(h http.Header, nonce string) {
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-"+nonce+
		"'; img-src 'self' https: data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=(), interest-cohort=()")
	h.Set("X-Frame-Options", "DENY")
}

// framedHeaders set what a page carries that other sites may frame: it runs no
// script, sends no form and loads nothing of theirs.
func framedHeaders(h http.Header, nonce string) {
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self' 'nonce-"+nonce+
		"'; img-src 'self' https: data:; form-action 'none'; base-uri 'none'; frame-ancestors *")
	h.Del("X-Frame-Options")
}

var errOtherSite = fault.New(fault.Forbidden, "this form was sent from another site")

// sameSite refuses a form that another site sent. A browser says where it
// comes from; a program that says nothing has no user to betray.
func (s *Server) sameSite(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		switch r.Header.Get("Sec-Fetch-Site") {
		case "same-origin", "none":
			return next(c)
		case "":
		default:
			return errOtherSite
		}
		if origin := r.Header.Get("Origin"); origin != "" && !s.own(origin, r.Host) {
			return errOtherSite
		}
		return next(c)
	}
}

// own reports whether an origin is ours: where the request went, or a public
// address, which a proxy may have put in the place of another.
func (s *Server) own(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	public := u.Scheme + "://" + u.Host
	return u.Host == host || public == s.o.BaseURL || public == s.o.CheckoutURL
}
