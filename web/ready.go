package web

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/web/shell"
)

// probe is the body of /livez and /readyz.
type probe struct {
	Status string `json:"status"`
	// Reason says what to do; omitted when there is nothing.
	Reason string `json:"reason,omitempty"`
}

// States of a probe.
const (
	probeReady       = "ready"
	probeDraining    = "draining"
	probeUnavailable = "unavailable"
)

// getLivez answers 200 as long as the process answers at all: a restart mends neither a database nor a network.
func (*Server) getLivez(c echo.Context) error {
	return shell.WriteJSON(c, http.StatusOK, probe{Status: healthOK})
}

// getReadyz answers 200 while requests should be sent here: the database answers and has the schema of this program,
// and the server is not about to stop.
func (s *Server) getReadyz(c echo.Context) error {
	if s.draining.Load() {
		return shell.WriteJSON(c, http.StatusServiceUnavailable, probe{probeDraining, "the server is about to stop"})
	}
	err := s.ready.check(c.Request().Context(), s.d.Ready)
	if err == nil {
		return shell.WriteJSON(c, http.StatusOK, probe{Status: probeReady})
	}
	return shell.WriteJSON(c, http.StatusServiceUnavailable, probe{probeUnavailable, withoutDatabase(err)})
}

// withoutDatabase says why the database cannot be used, in words that anybody may read.
func withoutDatabase(err error) string {
	switch known := fault.Of(err); {
	case errors.Is(err, fault.ErrFull):
		return fault.ErrFull.Message + ", so that nothing can be stored"
	case known != nil && !errors.Is(err, fault.ErrStorage):
		return known.Message
	}
	return "the database does not answer"
}

// cachedCheck is the result of a check of the database, kept for pingKept so that probes cannot load it.
type cachedCheck struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

// check returns the last result, or that of a new check.
func (k *cachedCheck) check(ctx context.Context, run func(context.Context) error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if time.Since(k.at) > pingKept {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pingTimeout)
		defer cancel()
		k.err = run(ctx)
		k.at = time.Now()
	}
	return k.err
}

// Drain ends readiness and goes on serving; each answer from now on is the last of its connection, so that clients and
// balancers connect elsewhere. Shutdown follows.
func (s *Server) Drain() { s.draining.Store(true) }

// lastOfConnection closes the connection after the answer while the server drains.
func (s *Server) lastOfConnection(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if s.draining.Load() {
			c.Response().Header().Set(echo.HeaderConnection, "close")
		}
		return next(c)
	}
}
