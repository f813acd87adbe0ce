package shell

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/trace"
)

// CallOf returns what is known of a request beside its path and body.
func CallOf(c echo.Context) *operation.Call { return operation.CallOf(c.Request().Context()) }

// requestIDHeader names the request in the response, so that a client can ask the
// operator about it.
const requestIDHeader = "X-Request-Id"

// requestTimeout bounds every request but a stream: a database or chain that
// hangs must not keep clients waiting, or fill the server with them.
const requestTimeout = 45 * time.Second

// Enter is the outermost middleware: it gives the request an id, finds its
// client, turns a panic into a response, and logs one line that holds no argument
// of the request.
func (s *Shell) Enter(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		started := time.Now()
		r := c.Request()
		client := s.client(r)
		x := &operation.Call{
			RequestID: newRequestID(), Client: client, Near: Neighbourhood(client), Source: s.source(r),
			UserAgent: r.UserAgent(), Bearer: bearer(r.Header), Key: headerKey(r.Header),
		}
		ctx := newBounded(operation.WithCall(s.trace.Enter(r.Context()), x), requestTimeout)
		defer ctx.end()
		c.SetRequest(r.WithContext(ctx))
		c.Response().Header().Set(requestIDHeader, x.RequestID)
		if err := s.run(next, c); err != nil {
			c.Error(err)
		}
		took := time.Since(started)
		s.logAccess(c, x, took)
		s.trace.Answered(ctx, trace.Request{
			ID: x.RequestID, Method: methodName(r.Method), Route: c.Path(), Status: c.Response().Status,
			Began: started, Took: took,
		})
		if s.answered != nil {
			s.answered(c.Path(), methodName(r.Method), c.Response().Status, took)
		}
		return nil
	}
}

var errPanic = errors.New("a panic was recovered")

// run calls the handler and turns a panic into an error. The panic's value is
// not logged: it may hold an argument.
func (s *Shell) run(next echo.HandlerFunc, c echo.Context) (err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			panic(p)
		default:
			s.Log.Error(
				"panic", "request", CallOf(c).RequestID, "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()),
			)
			err = errPanic
		}
	}()
	return next(c)
}

// logAccess logs the route, not the address: a query may hold anything.
// Successful requests are logged at debug level, and summed up each minute: they
// are most of the traffic, and the metrics count them.
func (s *Shell) logAccess(c echo.Context, x *operation.Call, took time.Duration) {
	r, w := c.Request(), c.Response()
	if line := s.summary.add(s.Now(), w.Status, took); line != nil {
		s.Log.LogAttrs(r.Context(), slog.LevelInfo, "requests", line...)
	}
	level := slog.LevelInfo
	if w.Status < http.StatusBadRequest || w.Status == http.StatusServiceUnavailable { // the cause is logged once
		level = slog.LevelDebug
	}
	if !s.Log.Enabled(r.Context(), level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("request", x.RequestID), slog.String("method", methodName(r.Method)),
		slog.String("route", c.Path()),
		slog.Int("status", w.Status), slog.Int64("bytes", w.Size), slog.Duration("took", took),
	}
	if id := c.Param("txnid"); id != "" {
		attrs = append(attrs, slog.String("txnid", printable(id)))
	}
	if x.Client != "" {
		attrs = append(attrs, slog.String("client", x.Client))
	}
	s.Log.LogAttrs(r.Context(), level, "request", attrs...)
}

// methodName returns a method that HTTP defines, or "other": a client may send
// any text as its method.
func methodName(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return "other"
}

// maxLoggedID is longer than any txnid.
const maxLoggedID = 32

func printable(id string) string { return strconv.Quote(id[:min(len(id), maxLoggedID)]) }

// newRequestID returns 16 hexadecimal digits. They need not be secret.
func newRequestID() string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], rand.Uint64()) //nolint:gosec // a name, not a secret
	return hex.EncodeToString(b[:])
}

// bearer returns the token of the Authorization header (RFC 6750).
func bearer(h http.Header) secret.Text {
	scheme, token, ok := strings.Cut(h.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return secret.Text{}
	}
	return secret.New(strings.TrimSpace(token))
}

// headerKey returns the API key of a header, which a GraphQL client sends beside the
// operation.
func headerKey(h http.Header) secret.Text {
	for _, name := range []string{"x-api-key", "api-key"} {
		if v := h.Get(name); v != "" {
			return secret.New(v)
		}
	}
	return bearer(h)
}

// AddHeaders writes what the operations of the request reported beside their
// result.
func AddHeaders(c echo.Context) { SetCallHeaders(c.Response().Header(), CallOf(c)) }

// SetCallHeaders writes Retry-After and Idempotent-Replayed if the call has them.
func SetCallHeaders(h http.Header, x *operation.Call) {
	if x.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(Seconds(x.RetryAfter)))
	}
	if x.Replayed {
		h.Set("Idempotent-Replayed", "true")
	}
}

// Seconds rounds up: a client that comes back too early is refused again.
func Seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
