package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"
)

type health struct{}

// Help returns the text that --help adds to the flags.
func (health) Help() string {
	return `
Asks the server at FLORIN_LISTEN on this machine whether it is ready (GET
/readyz). The exit status is 1 if it is not, or does not answer: for HEALTHCHECK
of containers, which have no other program.

Example:

    florin health
`
}

// healthWithin bounds the question.
const healthWithin = 5 * time.Second

// Run asks.
func (health) Run(ctx context.Context, p *process) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(cfg.Listen)
	if err != nil {
		return err
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, healthWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	var answer struct{ Status, Reason string }
	const maxAnswer = 4 << 10
	err = json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&answer)
	switch {
	case err != nil:
		return fmt.Errorf("what answers there, with status %d, is not Florin", res.StatusCode)
	case res.StatusCode != http.StatusOK:
		return errors.New(answer.Status + ": " + answer.Reason)
	}
	return p.say("%s", answer.Status)
}
