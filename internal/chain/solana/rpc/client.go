// Package rpc is the JSON-RPC client of one Solana node: one call a request, bounded answers, and failures by what
// they mean. It knows nothing of health or of other nodes. No error text holds credentials.
package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Limits of one request.
const (
	// maxAnswer bounds a response, so that a broken node cannot fill the memory. The signatures of the
	// fullest block are far below it.
	maxAnswer = 32 << 20
	// idleConnections is how many calls are made to a node at the same time.
	idleConnections = 8
	// maxMessage is how much of a node's error text is kept.
	maxMessage = 200
)

// Client makes JSON-RPC calls to one node, one call a request: some providers of Solana refuse batches. It
// knows nothing of health.
type Client struct {
	target  *url.URL
	Name    string // host and port, without credentials
	secrets []string
	client  *http.Client
	timeout time.Duration // of one request
}

// New returns the client of an http or https address, which may hold credentials. Redirects are never followed. A
// nil client means one of its own; timeout is for one request.
func New(raw string, client *http.Client, timeout time.Duration) (*Client, error) {
	target, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return nil, errors.New("an endpoint must be an http or https address") // raw may hold credentials
	}
	return &Client{
		target: target, Name: target.Host, secrets: credentials(target), client: httpClient(client), timeout: timeout,
	}, nil
}

// credentials lists the parts of an address that may be secret: providers put keys into the path, the query
// or the user.
func credentials(u *url.URL) (secrets []string) {
	const shortest = 6 // shorter parts are "v1" or "rpc"
	parts := strings.Split(u.EscapedPath(), "/")
	for _, values := range u.Query() {
		parts = append(parts, values...)
	}
	password, _ := u.User.Password()
	for _, part := range append(parts, u.User.Username(), password) {
		if len(part) >= shortest {
			secrets = append(secrets, part)
		}
	}
	return secrets
}

// httpClient returns a client that follows no redirect, since that would send credentials to another host.
func httpClient(given *http.Client) *http.Client {
	c := &http.Client{}
	if given != nil {
		*c = *given
	} else if t, ok := http.DefaultTransport.(*http.Transport); ok {
		t = t.Clone()
		t.MaxIdleConnsPerHost = idleConnections
		c.Transport = t
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}

// Redact makes text from a node safe for logs and pages: bounded, on one line, without the endpoint's
// credentials.
func (w *Client) Redact(text string) string {
	for _, secret := range w.secrets {
		text = strings.ReplaceAll(text, secret, "***")
	}
	text = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "…"
	}
	return text
}

// reply is the envelope of a JSON-RPC response.
type reply struct {
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

// Send makes one call and decodes its result into the value, which keeps its zero value where the result is
// null.
func (w *Client) Send(ctx context.Context, method string, params []any, into any) error {
	ctx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return fmt.Errorf("parameters of %s: %w", method, err)
	}
	status, header, answer, err := w.post(ctx, body)
	if err != nil {
		return err
	}
	if status == http.StatusTooManyRequests {
		return RateLimited{retryAfter(header)}
	}
	var r reply
	if err := json.Unmarshal(answer, &r); err != nil || r.Error == nil && r.Result == nil {
		if status != http.StatusOK {
			return fmt.Errorf("HTTP status %d: %s", status, w.Redact(string(answer[:min(len(answer), maxMessage)])))
		}
		return Malformed("%s", method)
	}
	if r.Error != nil {
		r.Error.Message = w.Redact(r.Error.Message)
		return fmt.Errorf("%s: %w", method, classify(r.Error))
	}
	if err := json.Unmarshal(r.Result, into); err != nil {
		return Malformed("%s", method)
	}
	return nil
}

func (w *Client) post(ctx context.Context, body []byte) (status int, h http.Header, answer []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.target.String(), bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, errors.New("request could not be made")
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := w.client.Do(req)
	if err != nil {
		return 0, nil, nil, w.transportError(err)
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return 0, nil, nil, w.transportError(err)
	}
	if len(answer) > maxAnswer {
		return 0, nil, nil, Malformed("more than %d bytes", maxAnswer)
	}
	return resp.StatusCode, resp.Header, answer, nil
}

// transportError removes the address, which may hold credentials, from an error of the HTTP client.
func (w *Client) transportError(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return err
	}
	return errors.New(w.Redact(err.Error()))
}
