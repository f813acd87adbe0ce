package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
)

// caller makes JSON-RPC calls to one endpoint, as they are: a reader learns what the endpoint takes and asks for no
// more, but here it is what is to be found out.
type caller struct {
	target endpoint.URL
	client *http.Client
	now    func() time.Time
}

const (
	// callTimeout bounds one request.
	callTimeout = 20 * time.Second
	// maxReply is longer than all logs of a block.
	maxReply = 32 << 20
)

// limited is the error of a call that was refused because there were too many in a time.
type limited struct{ after time.Duration }

func (limited) Error() string { return "too many calls in a time" }

// call is a call of JSON-RPC 2.0.
type call struct {
	Version string `json:"jsonrpc"`
	ID      int    `json:"id"`
	Method  string `json:"method"`
	Params  []any  `json:"params"`
}

// answer is the answer to a call.
type answer struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// result returns the result, or the error that the endpoint reports.
func (c caller) result(a answer) (json.RawMessage, error) {
	switch {
	case a.Error == nil:
		return a.Result, nil
	case endpoint.Limited(a.Error.Code, a.Error.Message):
		return nil, limited{endpoint.BackOff(a.Error.Message, a.Error.Data)}
	}
	return nil, errors.New(c.target.Redact(a.Error.Message))
}

// ask makes one call.
func (c caller) ask(ctx context.Context, method string, params ...any) (json.RawMessage, error) {
	raw, err := c.post(ctx, newCall(0, method, params))
	if err != nil {
		return nil, err
	}
	var a answer
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, errors.New("it answers with something that is no JSON-RPC: " + c.target.Redact(string(raw)))
	}
	return c.result(a)
}

// batch makes n calls in one request, and fails unless each is answered.
func (c caller) batch(ctx context.Context, n int, method string, params ...any) error {
	calls := make([]call, n)
	for i := range calls {
		calls[i] = newCall(i, method, params)
	}
	raw, err := c.post(ctx, calls)
	if err != nil {
		return err
	}
	var answers []answer
	if json.Unmarshal(raw, &answers) != nil {
		var a answer
		if json.Unmarshal(raw, &a) == nil && a.Error != nil {
			_, err := c.result(a)
			return err
		}
		return errors.New("it answers with something else than a list: " + c.target.Redact(string(raw)))
	}
	answered := make(map[int]bool, n)
	for _, a := range answers {
		if _, err := c.result(a); err != nil {
			return err
		}
		answered[a.ID] = true
	}
	if len(answered) != n {
		return fmt.Errorf("it answers %d of them", len(answered))
	}
	return nil
}

func newCall(id int, method string, params []any) call {
	if params == nil {
		params = []any{}
	}
	return call{"2.0", id, method, params}
}

// post sends a body as JSON and returns what is answered.
func (c caller) post(ctx context.Context, body any) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("make a call: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.target.Reveal(), bytes.NewReader(text))
	if err != nil {
		return nil, errors.New("a request could not be made")
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := c.client.Do(req)
	if err != nil {
		return nil, c.target.Failure(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxReply))
	after := res.Header.Get("Retry-After")
	switch {
	case err != nil:
		return nil, c.target.Failure(err)
	case res.StatusCode == http.StatusTooManyRequests,
		res.StatusCode == http.StatusServiceUnavailable && after != "":
		return nil, limited{endpoint.RetryAfter(after, c.now())}
	case res.StatusCode >= http.StatusBadRequest && !json.Valid(raw): // some add a status to an error object
		return nil, refusal{res.StatusCode, c.target.Redact(strings.TrimSpace(string(raw)))}
	}
	return raw, nil
}

const (
	// maxRest bounds how long to wait when an endpoint limits the rate, and maxRests how often.
	maxRest  = 5 * time.Second
	maxRests = 3
)

// patiently calls do again after a rest while the endpoint limits the rate: a check of something else must not fail
// because of it.
func patiently(ctx context.Context, do func() error) error {
	for range maxRests {
		err := do()
		over, ok := errors.AsType[limited](err)
		if !ok {
			return err
		}
		if err := chain.Sleep(ctx, min(over.after, maxRest)); err != nil {
			return err
		}
	}
	return do()
}
