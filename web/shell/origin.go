package shell

import (
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
)

// errInClear refuses what should not have travelled without https.
var errInClear = fault.New(fault.Forbidden, "this service answers over https only; an API key that was sent without it may "+
	"have been read on the way: replace it")

// InClear refuses writes, and requests with an API key, that a proxy took over http although the public address is
// https. If they worked, nobody would notice that a program sends its key where everybody on the way can read it.
func (s *Shell) InClear(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		open := s.Secure() && strings.EqualFold(c.Request().Header.Get("X-Forwarded-Proto"), "http")
		if open && (!Reads(c) || !CallOf(c).Key.Empty()) {
			return errInClear
		}
		return next(c)
	}
}

var errOtherSite = fault.New(fault.Forbidden, "this form was sent from another site")

// noOrigin is the Origin of a browser that does not say where a form comes from: some apps show pages in a frame
// without an origin, and some extensions hide it.
const noOrigin = "null"

// SameSite refuses a form that another site sent. A browser says where the form
// comes from; one that does not say is let through like a program, for these
// forms need no session.
func (s *Shell) SameSite(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if r.Header.Get("Origin") == noOrigin {
			return next(c)
		}
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

// OwnForms is SameSite for forms behind a session: it also refuses a write that
// does not say where it comes from, as every browser does.
func (s *Shell) OwnForms(next echo.HandlerFunc) echo.HandlerFunc {
	checked := s.SameSite(next)
	return func(c echo.Context) error {
		if Reads(c) {
			return next(c)
		}
		h := c.Request().Header
		if h.Get("Origin") == noOrigin || h.Get("Sec-Fetch-Site") == "" && h.Get("Origin") == "" {
			return errOtherSite
		}
		return checked(c)
	}
}

// own reports whether an origin is this server: the host of the request, or a
// public address, if a proxy put another host into the request.
func (s *Shell) own(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	public := u.Scheme + "://" + u.Host
	return u.Host == host || public == s.BaseURL || public == s.CheckoutURL
}
