package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof" //nolint:gosec // served to this machine alone
	"net/netip"
	"time"

	"golang.org/x/sync/errgroup"
)

// side serves metrics to the operator on an address of their own.
type side struct {
	address  string
	server   *http.Server
	listener net.Listener
	log      *slog.Logger
}

const (
	sideReadTimeout = 5 * time.Second
	sideIdleTimeout = 2 * time.Minute // longer than the usual pause between scrapes
	sideHeaderBytes = 8 << 10
	// sideWithin is how long an answer in progress may go on when the program stops.
	sideWithin = 2 * time.Second
	// scrapeWithin is longer than a scrape may take. Who asks for a profile of so many seconds gets these too.
	scrapeWithin = 15 * time.Second
)

// newSide returns the server of the metrics, and on an address of this machine of the profiles of the Go runtime, which
// show what the program does.
func newSide(address string, metrics http.Handler, log *slog.Logger) *side {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	if loopback(address) {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("POST /debug/pprof/symbol", pprof.Symbol)
	}
	return &side{address: address, log: log, server: &http.Server{
		Handler: mux, ReadHeaderTimeout: sideReadTimeout, ReadTimeout: sideReadTimeout, WriteTimeout: scrapeWithin,
		IdleTimeout: sideIdleTimeout, MaxHeaderBytes: sideHeaderBytes,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}}
}

// loopback reports whether only this machine reaches the address.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip, failed := netip.ParseAddr(host)
	return err == nil && (host == "localhost" || failed == nil && ip.IsLoopback())
}

// listen listens on the address.
func (s *side) listen(ctx context.Context) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", s.address)
	if err != nil {
		return fmt.Errorf("listen on FLORIN_METRICS_LISTEN=%s: %w", s.address, err)
	}
	s.listener = l
	s.log.Info("metrics are served", "url", "http://"+l.Addr().String()+"/metrics")
	return nil
}

// run serves until ctx ends.
func (s *side) run(ctx context.Context) error {
	group, working := errgroup.WithContext(ctx)
	group.Go(func() error {
		if err := s.server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve metrics: %w", err)
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
	if s.listener != nil {
		_ = s.listener.Close()
	}
}
