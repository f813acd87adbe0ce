package shell

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/views"
)

// Renderer answers a request that failed. The headers of the refusal are set.
type Renderer func(c echo.Context, r operation.Refusal) error

// ErrNotFound is the answer for an address that has nothing, or nothing for this
// caller.
var ErrNotFound = fault.New(fault.NotFound, "there is nothing at this address")

// Fail is Echo's error handler: it maps the error of a handler to a refusal and
// lets the surface of the route render it.
func (s *Shell) Fail(err error, c echo.Context) {
	if c.Response().Committed {
		// A stream or page broke off; its client has gone or will ask again.
		s.Log.Debug("response broke off", "request", CallOf(c).RequestID, "error", err)
		return
	}
	if failed := s.routeOf(c).render(c, s.Refuse(c, err)); failed != nil {
		s.Log.Debug("error response failed", "request", CallOf(c).RequestID, "error", failed)
	}
}

// Refuse maps an error to a status and message, and sets the headers that go with
// them. Errors that the caller did not cause are logged. Echo's own errors are about
// the route.
func (s *Shell) Refuse(c echo.Context, err error) operation.Refusal {
	r, ok := refuseRoute(c, err)
	if !ok {
		r = operation.Refuse(c.Request().Context(), s.Log, err)
	}
	CallOf(c).RetryAfter = r.RetryAfter
	AddHeaders(c)
	return r
}

func refuseRoute(c echo.Context, err error) (operation.Refusal, bool) {
	var route *echo.HTTPError
	if !errors.As(err, &route) || fault.Of(err) != nil {
		return operation.Refusal{}, false
	}
	switch route.Code {
	case http.StatusNotFound:
		return operation.Refusal{Code: route.Code, Message: ErrNotFound.Message}, true
	case http.StatusMethodNotAllowed:
		message := c.Request().Method + " is not allowed here; see the Allow header"
		return operation.Refusal{Code: route.Code, Message: message}, true
	}
	return operation.Refusal{}, false
}

// Problem is the JSON body of a response that no operation gave.
type Problem struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	// Reason is the word for programs of 409 and 422.
	Reason fault.Reason `json:"reason,omitempty"`
}

// ProblemOf returns the body of a refusal.
func ProblemOf(r operation.Refusal) Problem { return Problem{r.Code, r.Message, r.Reason} }

// JSON renders a refusal as JSON.
func JSON(c echo.Context, r operation.Refusal) error {
	return WriteJSON(c, r.Code, ProblemOf(r))
}

// Negotiated renders a page for a browser that reads, and JSON for everything else.
func Negotiated(c echo.Context, r operation.Refusal) error {
	if Reads(c) && AcceptsHTML(c) {
		return FailurePage(c, r, views.FailureProps{})
	}
	return JSON(c, r)
}

// Reads reports whether the method is GET or HEAD.
func Reads(c echo.Context) bool {
	m := c.Request().Method
	return m == http.MethodGet || m == http.MethodHead
}

// AcceptsHTML reports whether the request names HTML in its Accept header, as
// browsers do and programs do not.
func AcceptsHTML(c echo.Context) bool {
	return strings.Contains(c.Request().Header.Get("Accept"), "text/html")
}

// IsForm reports whether a browser sent the body by a form.
func IsForm(c echo.Context) bool {
	kind, _, _ := strings.Cut(c.Request().Header.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(kind), echo.MIMEApplicationForm)
}

// FailurePage writes the page for a refusal. The surface sets what it knows:
// Checkout, Kind, Path, and in Again the page whose form was sent. The rest comes
// from the request and the refusal. A page that failed to be read is offered again
// if that may help.
func FailurePage(c echo.Context, r operation.Refusal, p views.FailureProps) error {
	p.Page = NewPage(c)
	p.RetrySeconds = Seconds(r.RetryAfter)
	if p.Kind == "" {
		p.Kind = failureKind(r.Code, p.Checkout)
	}
	if p.Path == "" {
		p.Path = c.Request().URL.RequestURI()
	}
	if Reads(c) {
		p.Again = ""
		if r.Code == http.StatusTooManyRequests || r.Code >= http.StatusInternalServerError {
			p.Again = c.Request().URL.RequestURI()
		}
		p.Home = !p.Checkout && (r.Code == http.StatusNotFound || r.Code == http.StatusMethodNotAllowed)
		if p.Home { // what takes forms only has no page either
			p.Kind = views.FailureNotFound
		}
	}
	if r.Code == http.StatusInternalServerError {
		p.RequestID = CallOf(c).RequestID
	}
	return Render(c, r.Code, p.Page, views.Failure(p))
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
