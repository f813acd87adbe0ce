package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"syscall"
	"time"

	"github.com/florinpay/florin/internal/chain/endpoint"
)

// Limits of a request.
const (
	// maxAnswer bounds an answer, in bytes. Scans aim far below it
	// (wantedAnswer); it keeps a broken node from filling the memory.
	maxAnswer = 64 << 20
	// maxBatch is the most calls in one request: Bor takes 100 by default,
	// public endpoints often fewer. Lower limits are learned from refusals.
	maxBatch = 50
)

// Call is one JSON-RPC 2.0 call.
type Call struct {
	method string
	params []any
	within time.Duration // how long it may take; 0: as long as any request
}

// NewCall returns the call of a method.
func NewCall(method string, params ...any) Call { return Call{method: method, params: params} }

// Within sets the longest time that a request with any of the calls may take, and returns them.
func Within(d time.Duration, calls ...Call) []Call {
	for i := range calls {
		calls[i].within = d
	}
	return calls
}

// Reply is the answer to a call: a result in JSON, or an error.
type Reply struct {
	Result []byte
	Err    *Error
}

// wire is the HTTP connection to one node. It sends calls and reads replies,
// and knows nothing of health.
type wire struct {
	target  endpoint.URL
	name    string // host and port, without credentials
	client  *http.Client
	timeout time.Duration // of one request
	now     func() time.Time
}

func newWire(raw string, client *http.Client, now func() time.Time) (*wire, error) {
	target, err := endpoint.Parse(raw)
	if err != nil {
		return nil, err
	}
	return &wire{target: target, name: target.Host(), client: client, now: now}, nil
}

// redact makes text from the node safe for logs and pages.
func (w *wire) redact(text string) string { return w.target.Redact(text) }

// send makes one request of the calls and returns a reply for each. Several
// calls travel as a batch; errBatchRefused says that the node refuses batches.
// The answer is read into the buffer, to which the replies refer.
func (w *wire) send(ctx context.Context, calls []Call, into *bytes.Buffer) ([]Reply, error) {
	body, err := encode(calls)
	if err != nil {
		return nil, err
	}
	status, header, err := w.post(ctx, body, into)
	answer := into.Bytes()
	if err != nil {
		return nil, w.droppedBatch(err, len(calls))
	}
	replies, refusal, err := parseReplies(answer, len(calls))
	for i := range replies {
		if replies[i].Err != nil {
			replies[i].Err.Message = w.redact(replies[i].Err.Message)
		}
	}
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable &&
		header.Get("Retry-After") != "":
		return nil, rateLimited{endpoint.RetryAfter(header.Get("Retry-After"), w.now())}
	case status == http.StatusRequestEntityTooLarge:
		return nil, ErrTooLarge
	case err == nil && refusal == nil:
		return replies, nil // some providers add a 4xx or 5xx to error objects
	case refusal != nil:
		return w.refused(refusal, len(calls))
	case status != http.StatusOK:
		return nil, w.unexpected(status, string(answer), len(calls))
	}
	return nil, err
}

// unexpected reads an HTTP status with an answer that is no JSON-RPC. A batch may be its reason.
func (w *wire) unexpected(status int, answer string, calls int) error {
	err := fmt.Errorf("HTTP status %d: %s", status, w.redact(answer))
	switch status {
	case http.StatusRequestTimeout, http.StatusGatewayTimeout, statusOriginTimeout:
		return fmt.Errorf("%w: %w", errGatewayTimeout, err)
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusUnsupportedMediaType,
		http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusNotImplemented:
		if calls > 1 {
			return fmt.Errorf("%w: %w", errBatchRefused, err)
		}
	}
	return err
}

// statusOriginTimeout is Cloudflare's status for a server behind it that does not answer in time.
const statusOriginTimeout = 524

// droppedBatch takes a connection that ends without an answer for the refusal of a batch: Erigon does that.
func (w *wire) droppedBatch(err error, calls int) error {
	if calls < 2 || errors.Is(err, ErrTooLarge) || !errors.Is(err, errDropped) {
		return err
	}
	return fmt.Errorf("%w: %w", errBatchRefused, err)
}

// refused reads a single error object that answers a whole request. Of a request of one call it is the reply, though
// it does not have its id: gateways that check a request before they pass it on do not read the id.
func (w *wire) refused(e *Error, calls int) ([]Reply, error) {
	e.Message = w.redact(e.Message)
	err := CallError(e)
	switch {
	case calls == 1:
		return []Reply{{Err: e}}, nil
	case Limited(err):
		return nil, err
	}
	return nil, fmt.Errorf("%w: %w", errBatchRefused, e)
}

func (w *wire) post(ctx context.Context, body []byte, into *bytes.Buffer) (status int, h http.Header, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.target.Reveal(), bytes.NewReader(body))
	if err != nil {
		return 0, nil, errors.New("request could not be made")
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := w.client.Do(req)
	if err != nil {
		return 0, nil, w.failure(err)
	}
	defer resp.Body.Close()
	if err := readAll(resp, into); err != nil {
		return 0, nil, w.failure(err)
	}
	return resp.StatusCode, resp.Header, nil
}

// readAll reads an answer of at most maxAnswer bytes.
func readAll(resp *http.Response, into *bytes.Buffer) error {
	into.Reset()
	if resp.ContentLength > maxAnswer {
		return ErrTooLarge
	}
	if resp.ContentLength > 0 {
		into.Grow(int(resp.ContentLength) + bytes.MinRead)
	}
	if _, err := into.ReadFrom(io.LimitReader(resp.Body, maxAnswer+1)); err != nil {
		return err
	}
	if into.Len() > maxAnswer {
		return ErrTooLarge
	}
	return nil
}

// failure returns an error of the HTTP client without the address.
func (w *wire) failure(err error) error {
	if errors.Is(err, ErrTooLarge) {
		return err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
		return fmt.Errorf("%w: %w", errDropped, w.target.Failure(err))
	}
	return w.target.Failure(err)
}

// errDropped: the connection ended before the answer did.
var errDropped = errors.New("the connection was dropped")

// encode writes one call as an object and several as an array. The id of a
// call is its position.
func encode(calls []Call) ([]byte, error) {
	var b bytes.Buffer
	if len(calls) > 1 {
		b.WriteByte('[')
	}
	for i, c := range calls {
		if i > 0 {
			b.WriteByte(',')
		}
		params, err := json.Marshal(c.params)
		if err != nil {
			return nil, fmt.Errorf("parameters of %s: %w", c.method, err)
		}
		if c.params == nil {
			params = []byte("[]")
		}
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, i, c.method, params)
	}
	if len(calls) > 1 {
		b.WriteByte(']')
	}
	return b.Bytes(), nil
}
