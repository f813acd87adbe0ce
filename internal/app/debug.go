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
)

// debug serves the profiles of the Go runtime on an address that only this machine reaches. A nil debug serves nothing.
type debug struct {
	address  string
	server   *http.Server
	listener net.Listener
	log      *slog.Logger
}

// profileWithin is longer than any profile that is asked for.
const profileWithin = 10 * time.Minute

func newDebug(address string, log *slog.Logger) *debug {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	return &debug{address: address, log: log, server: &http.Server{
		Handler: mux, ReadHeaderTimeout: metricsReadTimeout, ReadTimeout: metricsReadTimeout,
		WriteTimeout: profileWithin, IdleTimeout: metricsIdleTimeout, MaxHeaderBytes: metricsHeaderBytes,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}}
}

// listen listens on the configured address.
func (d *debug) listen(ctx context.Context) error {
	if d == nil {
		return nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", d.address)
	if err != nil {
		return fmt.Errorf("listen on FLORIN_DEBUG_LISTEN=%s: %w", d.address, err)
	}
	d.listener = l
	d.log.Info("profiles are served", "url", "http://"+l.Addr().String()+"/debug/pprof/")
	return nil
}

// run serves until ctx ends. A profile in progress is cut off.
func (d *debug) run(ctx context.Context) error {
	if d == nil {
		return nil
	}
	stop := context.AfterFunc(ctx, func() { _ = d.server.Close() })
	defer stop()
	if err := d.server.Serve(d.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve profiles: %w", err)
	}
	return nil
}

// close releases the address of a program that never ran.
func (d *debug) close() {
	if d != nil && d.listener != nil {
		_ = d.listener.Close()
	}
}

// traceWithin bounds the export of the last spans, which a collector that does not answer must not hold up.
const traceWithin = 2 * time.Second

// closeTrace exports the last spans.
func (a *App) closeTrace(ctx context.Context) {
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), traceWithin)
	defer cancel()
	if err := a.trace.Close(end); err != nil {
		a.log.Warn("the last traces were not exported", "error", err)
	}
}
