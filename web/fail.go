package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/views"
)

// problem is the body of an answer that no operation gave.
type problem struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	// Errors is what GraphQL clients look at; absent elsewhere.
	Errors []graphQLError `json:"errors,omitempty"`
}

type graphQLError struct {
	Message string `json:"message"`
}

// fail is the one place where an error of a handler becomes an answer: a page
// for a browser, JSON for everybody else.
func (s *Server) fail(err error, c echo.Context) {
	if c.Response().Committed {
		// A stream or page broke off; its client has gone or will ask again.
		s.d.Log.Debug("an answer broke off", "request", callOf(c).RequestID, "error", err)
		return
	}
	r := s.refuse(c, err)
	x := callOf(c)
	x.RetryAfter = r.RetryAfter
	x.addHeaders(c.Response().Header())
	if wantsPage(c) {
		s.failurePage(c, r)
		return
	}
	p := problem{Code: r.Code, Message: r.Message}
	if c.Path() == "/graphql" {
		p.Errors = []graphQLError{{r.Message}}
	}
	_ = writeJSON(c, r.Code, p)
}

// refuse maps an error to a status and message. Echo's own errors are about
// the route.
func (s *Server) refuse(c echo.Context, err error) operation.Refusal {
	var route *echo.HTTPError
	if errors.As(err, &route) && fault.Of(err) == nil {
		switch route.Code {
		case http.StatusNotFound:
			return operation.Refusal{Code: route.Code, Message: "there is nothing at this address"}
		case http.StatusMethodNotAllowed:
			return operation.Refusal{Code: route.Code, Message: c.Request().Method + " is not allowed here; see the Allow header"}
		}
	}
	return s.ops.Refuse(c.Request().Context(), err)
}

// wantsPage reports whether a person with a browser waits for the answer.
func wantsPage(c echo.Context) bool {
	r := c.Request()
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if s := c.Path(); inDashboard(s) || s == "/signin" || s == "/signup" || s == "/reset" || s == "/forgot" || s == "/signout" || s == "/signin/code" {
		return true
	}
	if c.Path() == transactionPath {
		return false
	}
	if strings.HasPrefix(c.Path(), "/pay/:txnid/") || c.Path() == "/pay" && reads {
		return true
	}
	if !reads && isForm(r) && (strings.HasPrefix(c.Path(), "/donate/") || strings.HasPrefix(c.Path(), "/link/")) {
		return true
	}
	return reads && c.Path() != "/graphql" && strings.Contains(r.Header.Get("Accept"), "text/html")
}

func (s *Server) failurePage(c echo.Context, r operation.Refusal) {
	checkout := strings.HasPrefix(c.Path(), "/pay")
	props := views.FailureProps{
		Page: newPage(c), Kind: failureKind(r.Code, checkout), RetrySeconds: seconds(r.RetryAfter), Checkout: checkout,
		Path: askedPath(c), Again: nextPath(c, r.Code),
	}
	if r.Code == http.StatusInternalServerError {
		props.RequestID = callOf(c).RequestID
	}
	if r.Code == http.StatusBadRequest && checkout && c.Request().Method != http.MethodPost {
		props.Kind = views.FailurePaymentUnknown // a link that lost its end
	}
	_ = s.page(c, r.Code, props.Page, views.Failure(props))
}

// askedPath is the address of the page that failed. What a form is sent to
// cannot be opened: there it is the payment's.
func askedPath(c echo.Context) string {
	if c.Request().Method == http.MethodPost && c.Param("txnid") != "" {
		return views.PayPath(c.Param("txnid"), "", views.ViewNow)
	}
	return c.Request().URL.RequestURI()
}

// nextPath is the page to open after a failure: the same once more if that may
// help, the one whose form was sent otherwise; empty for none.
func nextPath(c echo.Context, code int) string {
	r, lang := c.Request(), c.QueryParam("lang")
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		if code == http.StatusTooManyRequests || code >= http.StatusInternalServerError {
			return r.URL.RequestURI()
		}
		return ""
	}
	switch path := c.Path(); {
	case c.Param("txnid") != "":
		return payPage(c)
	case c.Param("campaignId") != "" && strings.HasPrefix(path, "/donate/"):
		return views.DonatePath(c.Param("campaignId"), lang)
	case c.Param("slug") != "" && strings.HasPrefix(path, "/link/"):
		return views.LinkPath(c.Param("slug"), lang)
	case inDashboard(path):
		return homePath
	}
	return ""
}

func failureKind(code int, checkout bool) views.FailureKind {
	switch code {
	case http.StatusNotFound:
		if checkout {
			return views.FailurePaymentUnknown
		}
		return views.FailureNotFound
	case http.StatusTooManyRequests:
		return views.FailureTooOften
	case http.StatusUnauthorized, http.StatusForbidden:
		return views.FailureForbidden
	case http.StatusConflict:
		return views.FailureConflict
	case http.StatusServiceUnavailable:
		return views.FailureUnavailable
	case http.StatusInternalServerError:
		return views.FailureInternal
	}
	return views.FailureInvalid
}
