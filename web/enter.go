package web

import (
	"context"
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
)

// call is what is known of a request beside its path and body.
type call struct{ operation.Call }

const callName = "call"

func callOf(c echo.Context) *call {
	if x, ok := c.Get(callName).(*call); ok {
		return x
	}
	return &call{}
}

// requestIDHeader names the request in the answer, for whoever asks the
// operator about it.
const requestIDHeader = "X-Request-Id"

// requestTimeout bounds every request but a stream: a database or chain that
// hangs must not keep clients waiting, or us full of them.
const requestTimeout = 45 * time.Second

// enter is what happens to every request: it gets an id, its client is worked
// out, a panic becomes an answer, and one line is logged that holds no
// argument of it.
func (s *Server) enter(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		started := time.Now()
		r := c.Request()
		x := &call{operation.Call{
			RequestID: newRequestID(), Client: s.client(r), UserAgent: r.UserAgent(), Bearer: bearer(r.Header),
		}}
		c.Set(callName, x)
		ctx, cancel := context.WithTimeout(operation.WithCall(r.Context(), &x.Call), requestTimeout)
		defer cancel()
		c.SetRequest(r.WithContext(ctx))
		c.Response().Header().Set(requestIDHeader, x.RequestID)
		if err := s.run(next, c); err != nil {
			c.Error(err)
		}
		took := time.Since(started)
		s.logAccess(c, x, took)
		if s.o.Answered != nil {
			s.o.Answered(c.Path(), methodName(r.Method), c.Response().Status, took)
		}
		return nil
	}
}

var errPanic = errors.New("a panic was recovered")

// run calls the handler and turns a panic into an error. The panic's value is
// not logged: it may hold an argument.
func (s *Server) run(next echo.HandlerFunc, c echo.Context) (err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			panic(p)
		default:
			s.d.Log.Error("panic", "request", callOf(c).RequestID, "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
			err = errPanic
		}
	}()
	return next(c)
}

// logAccess writes the route, not the address: what stands in a query may be
// anything. Reading that went well is most of what happens, and tells who
// operates this nothing that the metrics do not: it is said at debug level.
func (s *Server) logAccess(c echo.Context, x *call, took time.Duration) {
	r, w := c.Request(), c.Response()
	level := slog.LevelInfo
	if (r.Method == http.MethodGet || r.Method == http.MethodHead) && w.Status < http.StatusBadRequest {
		level = slog.LevelDebug
	}
	if !s.d.Log.Enabled(r.Context(), level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("request", x.RequestID), slog.String("method", methodName(r.Method)), slog.String("route", c.Path()),
		slog.Int("status", w.Status), slog.Int64("bytes", w.Size), slog.Duration("took", took),
	}
	if id := c.Param("txnid"); id != "" {
		attrs = append(attrs, slog.String("txnid", printable(id)))
	}
	if x.Client != "" {
		attrs = append(attrs, slog.String("client", x.Client))
	}
	s.d.Log.LogAttrs(r.Context(), level, "request", attrs...)
}

// methodName keeps to the methods there are: whoever asks may make one up, and
// put anything into it.
func methodName(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
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

// addHeaders writes what an operation told the surface beside its result.
func (x *call) addHeaders(h http.Header) {
	if x.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(seconds(x.RetryAfter)))
	}
	if x.Replayed {
		h.Set("Idempotent-Replayed", "true")
	}
}

// seconds rounds up: coming back too early is refused again.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
