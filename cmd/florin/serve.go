package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/trace"
)

type serve struct{}

// Help returns the text that --help adds to the flags.
func (serve) Help() string {
	return `
Serves until SIGINT or SIGTERM. Then /readyz answers 503 while it serves on for
FLORIN_DRAIN_WAIT; requests and deliveries in progress end, and it ends with
status 0. A second signal ends it at once. The database is brought up to date
first. Several instances may serve the same PostgreSQL database.

Example:

    FLORIN_SECRET_KEY=… FLORIN_BEP20_RPC=https://… florin serve
`
}

// Run serves until ctx ends.
func (serve) Run(ctx context.Context, p *process) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	log := app.NewLogger(cfg)
	traces, err := trace.New(ctx, trace.Options{Getenv: p.getenv, Version: buildVersion(), Log: log})
	if err != nil {
		return err
	}
	log = slog.New(traces.Handler(log.Handler()))
	a, err := app.New(ctx, cfg, app.Options{Version: buildVersion(), Log: log, Trace: traces})
	if err != nil {
		return err
	}
	addr, err := a.Listen(ctx)
	if err != nil {
		return errors.Join(err, a.Close())
	}
	log.Info(
		"florin serves", "address", addr.String(), "url", cfg.BaseURL, "version", buildVersion(), "networks",
		len(cfg.Networks),
	)
	return a.Run(ctx)
}
