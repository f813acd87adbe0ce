package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof" //nolint:gosec // served on an address of its own, which only this machine reaches
	"time"

	"golang.org/x/sync/errgroup"
)

// side serves something for the operator on an address of its own: metrics, or profiles. A nil side serves nothing.
type side struct {
	what, setting, path string
	address             string
	server              *http.Server
	listener            net.Listener
	log                 *slog.Logger
}

const (
	sideReadTimeout = 5 * time.Second
	sideIdleTimeout = 2 * time.Minute // longer than the usual pause between scrapes
	sideHeaderBytes = 8 << 10
	// sideWithin is how long an answer in progress may go on when the program stops.
	sideWithin = 2 * time.Second
	// scrapeWithin is longer than a scrape may take, and profileWithin than any profile that is asked for.
	scrapeWithin  = 15 * time.Second
	profileWithin = 10 * time.Minute
)

// newMetricsSide returns the server of the metrics.
func newMetricsSide(address string, metrics http.Handler, log *slog.Logger) *side {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	s := &side{what: "metrics", setting: "FLORIN_METRICS_LISTEN", path: "/metrics", address: address, log: log}
	return s.of(mux, scrapeWithin)
}

// newDebug returns the server of the profiles of the Go runtime; nil without an address.
func newDebug(address string, log *slog.Logger) *side {
	if address == "" {
		return nil
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("POST /debug/pprof/symbol", pprof.Symbol)
	s := &side{what: "profiles", setting: "FLORIN_DEBUG_LISTEN", path: "/debug/pprof/", address: address, log: log}
	return s.of(mux, profileWithin)
}

// of makes the server of the handler, whose answers take no longer than within.
func (s *side) of(h http.Handler, within time.Duration) *side {
	s.server = &http.Server{
		Handler: h, ReadHeaderTimeout: sideReadTimeout, ReadTimeout: sideReadTimeout, WriteTimeout: within,
		IdleTimeout: sideIdleTimeout, MaxHeaderBytes: sideHeaderBytes,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	return s
}

// listen listens on the address.
func (s *side) listen(ctx context.Context) error {
	if s == nil {
		return nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", s.address)
	if err != nil {
		return fmt.Errorf("listen on %s=%s: %w", s.setting, s.address, err)
	}
	s.listener = l
	s.log.Info(s.what+" are served", "url", "http://"+l.Addr().String()+s.path)
	return nil
}

// run serves until ctx ends.
func (s *side) run(ctx context.Context) error {
	if s == nil {
		return nil
	}
	group, working := errgroup.WithContext(ctx)
	group.Go(func() error {
		if err := s.server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve %s: %w", s.what, err)
		}
		return nil
	})
	group.Go(func() error {
		<-working.Done()
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), sideWithin)
		defer cancel()
		if s.server.Shutdown(end) != nil {
			return s.server.Close()
		}
		return nil
	})
	return group.Wait() //nolint:wrapcheck // it is wrapped where it arises
}

// close releases the address of a program that never ran.
func (s *side) close() {
	if s != nil && s.listener != nil {
		_ = s.listener.Close()
	}
}
