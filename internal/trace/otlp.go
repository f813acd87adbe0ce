package trace

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// exporter sends spans as OTLP over HTTP (OpenTelemetry Protocol 1.x, http/protobuf). The messages are OpenTelemetry's
// own; its exporter would link gRPC into the program.
type exporter struct {
	target target
	client *http.Client
}

var _ sdk.SpanExporter = (*exporter)(nil)

func newExporter(t target) *exporter {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: t.roots, MinVersion: tls.VersionTLS12},
		MaxIdleConns: 1, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
	}
	return &exporter{t, &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // a header may hold a token
	}}}
}

const (
	// retryAfter is the pause before a batch is sent again that the collector had no room for.
	retryAfter = time.Second
	// maxAnswer is how much of an answer is read, so that the connection can be used again.
	maxAnswer = 64 << 10
)

// ExportSpans sends the spans, again while the collector is busy, until the timeout or the end of ctx.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	body, err := encode(spans)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, e.target.timeout)
	defer cancel()
	for {
		status, err := e.post(ctx, body)
		switch {
		case err != nil:
			return err
		case status >= 200 && status <= 299:
			return nil
		case !busy(status):
			return fmt.Errorf("the collector answered %d", status)
		}
		pause := time.NewTimer(retryAfter)
		select {
		case <-ctx.Done():
			pause.Stop()
			return fmt.Errorf("the collector answered %d: %w", status, ctx.Err())
		case <-pause.C:
		}
	}
}

// busy reports whether the same batch may be taken later (OTLP/HTTP, retryable response codes).
func busy(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

func (e *exporter) post(ctx context.Context, body []byte) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.target.url.String(), bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("make the request: %w", err)
	}
	r.Header = e.target.header.Clone()
	r.Header.Set("Content-Type", "application/x-protobuf")
	answer, err := e.client.Do(r)
	if err != nil {
		return 0, fmt.Errorf("send: %w", withoutURL(err))
	}
	_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer) // what it says does not matter
	_ = answer.Body.Close()
	return answer.StatusCode, nil
}

// Shutdown closes idle connections.
func (e *exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}
