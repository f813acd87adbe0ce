package trace

import (
	"cmp"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// target is where and how spans are sent.
type target struct {
	url     *url.URL
	header  http.Header // often with a token
	timeout time.Duration
	roots   *x509.CertPool // nil: those of the system
}

// host names the collector, without what may be a secret.
func (t target) host() string { return t.url.Scheme + "://" + t.url.Host }

// defaultTimeout is that of the OTLP exporter specification.
const defaultTimeout = 10 * time.Second

// targetOf reads the standard variables of an OTLP exporter; those for traces alone go first. on is false if none
// names a collector, or OTEL_SDK_DISABLED or OTEL_TRACES_EXPORTER turn it off. Errors do not repeat a value, which may
// be a secret.
func targetOf(getenv func(string) string) (t target, on bool, err error) {
	one := func(name string) string {
		return cmp.Or(getenv("OTEL_EXPORTER_OTLP_TRACES_"+name), getenv("OTEL_EXPORTER_OTLP_"+name))
	}
	if one("ENDPOINT") == "" || strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") ||
		getenv("OTEL_TRACES_EXPORTER") == "none" {
		return t, false, nil
	}
	if p := one("PROTOCOL"); p != "" && p != "http/protobuf" {
		return t, false, errors.New("OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf; collectors take it at port 4318")
	}
	if t.url, err = url.Parse(one("ENDPOINT")); err != nil || t.url.Host == "" ||
		t.url.Scheme != "http" && t.url.Scheme != "https" {
		return t, false, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address such as http://localhost:4318")
	}
	if getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
		t.url = t.url.JoinPath("v1/traces")
	}
	if t.header, err = headersOf(one("HEADERS")); err != nil {
		return t, false, err
	}
	t.timeout = defaultTimeout
	if text := one("TIMEOUT"); text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms <= 0 {
			return t, false, errors.New("OTEL_EXPORTER_OTLP_TIMEOUT must be milliseconds")
		}
		t.timeout = time.Duration(ms) * time.Millisecond
	}
	t.roots, err = rootsOf(one("CERTIFICATE"))
	return t, err == nil, err
}

// headersOf reads name=value pairs with commas between them, values escaped as in a URL.
func headersOf(text string) (http.Header, error) {
	h := make(http.Header)
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || strings.TrimSpace(name) == "" {
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS must be name=value, with commas between them")
		}
		h.Set(strings.TrimSpace(name), value)
	}
	return h, nil
}

// rootsOf reads a file of certificates in PEM.
func rootsOf(path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // those of the system
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("OTEL_EXPORTER_OTLP_CERTIFICATE has no certificate in PEM")
	}
	return pool, nil
}
