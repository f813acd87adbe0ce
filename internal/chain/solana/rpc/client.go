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
	"slices"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
)

// Limits of one request.
const (
	// maxAnswer bounds a response, so that a broken node cannot fill the memory. The signatures of the
	// fullest block are far below it.
	maxAnswer = 32 << 20
	// idleConnections is how many calls are made to a node at the same time.
	idleConnections = 8
)

// Client makes JSON-RPC calls to one node, one call a request: some providers of Solana refuse batches. It
// knows nothing of health.
type Client struct {
	target  endpoint.URL
	Name    string // host and port, without credentials
	client  *http.Client
	timeout time.Duration // of one request

	// Now returns the time, and Observe receives how long each request took and how it ended.
	Now     func() time.Time
	Observe func(took time.Duration, err error)
	// Count is called with the name and the method of every call; nil: nothing is.
	Count func(endpoint, method string)

	// Rate bounds the calls to the node; nil: nothing does. A call waits for its turn.
	Rate *endpoint.Rate

	// Alone reports whether no other node can be asked instead; nil: one can.
	Alone func() bool

	limits limits

	mu sync.Mutex
	// late is since when items of a method took too long, while none was answered in time.
	late map[string]time.Time
}

// New returns the client of an http or https address, which may hold credentials. Redirects are never followed. A
// nil client means one of its own; timeout is for one request.
func New(raw string, client *http.Client, timeout time.Duration) (*Client, error) {
	target, err := endpoint.Parse(raw)
	if err != nil {
		return nil, err
	}
	return &Client{
		target: target, Name: target.Host(), client: httpClient(client), timeout: timeout, limits: newLimits(),
		late: make(map[string]time.Time),
	}, nil
}

// Same reports whether both clients reach the same node with the same credentials.
func (w *Client) Same(other *Client) bool { return w.target.Same(other.target) }

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

// Voice names who answers (endpoint.URL.Voice).
func (w *Client) Voice() string { return w.target.Voice() }

// Redact makes text from the node safe for logs and pages.
func (w *Client) Redact(text string) string { return w.target.Redact(text) }

// reply is the envelope of a JSON-RPC response.
type reply struct {
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

// Ask is Send with a count of the request and of its time.
func (w *Client) Ask(ctx context.Context, into any, method string, params ...any) error {
	if params == nil {
		params = []any{}
	}
	for try := 0; ; try++ {
		answered, err := w.Rate.Begin(ctx, 1)
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		begin, clock := w.Now(), time.Now()
		err = w.Send(ctx, method, params, into)
		answered()
		w.note(method, time.Since(clock), err)
		w.Observe(w.Now().Sub(begin), err)
		limited, ok := errors.AsType[RateLimited](err)
		if ok {
			w.Rate.Refused()
		}
		if err != nil && !ok && ofItem(method) && w.answers(ctx, err) {
			err = endpoint.Item{Err: err}
		}
		if !ok || try == rateTries || limited.After > longestWait || w.Alone == nil || !w.Alone() {
			return err
		}
		if waitErr := chain.Sleep(ctx, limited.After); waitErr != nil {
			return err
		}
	}
}

// answers reports whether the node serves others than the item for which it failed. One that it answers with an HTTP
// status, or not at all, or not in time, may be at fault itself, too: then the node answers another call.
func (w *Client) answers(ctx context.Context, err error) bool {
	if _, status := errors.AsType[Status](err); !status && Answered(err) {
		return true
	}
	if ctx.Err() != nil || errors.Is(err, ErrLagging) {
		return errors.Is(err, context.DeadlineExceeded)
	}
	ctx, cancel := context.WithTimeout(ctx, w.timeout/itemPart)
	defer cancel()
	_, err = w.Slot(ctx, Confirmed)
	return err == nil
}

const (
	// itemPart is by how much a call for one item has less time than others: what waits for it concerns others, too.
	itemPart = 5
	// lateFor is after how long without an item of a method that is answered in this time the node is slow for all of
	// them, so that each has the whole time.
	lateFor = time.Minute
)

// Limit is how long a call may take. Who has many accounts is listed slowly by any node.
func (w *Client) Limit(method string) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	late, some := w.late[method]
	if !slices.Contains(itemMethods, method) || method == "getTokenAccountsByOwner" ||
		some && w.Now().Sub(late) >= lateFor {
		return w.timeout
	}
	return w.timeout / itemPart
}

// note keeps whether items of the method are answered in their time.
func (w *Client) note(method string, took time.Duration, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil && took < w.timeout/itemPart {
		delete(w.late, method)
	} else if _, some := w.late[method]; !some && errors.Is(err, context.DeadlineExceeded) {
		w.late[method] = w.Now()
	}
}

// itemMethods ask for single transactions, accounts or blocks, for which alone a node may fail, or for what was kept of
// old ones, which some do not say.
var itemMethods = []string{
	"getTransaction", "getBlock", "getSignaturesForAddress", "getSignatureStatuses", "getMultipleAccounts",
	"getAccountInfo", "getTokenAccountsByOwner", "getBlocks", "getFirstAvailableBlock",
}

// sendMethods are what only sending takes: a node that does not serve one of them may read as well as any.
var sendMethods = []string{
	"getLatestBlockhash", "getRecentPrioritizationFees", "getFeeForMessage", "getMinimumBalanceForRentExemption",
	"simulateTransaction", "sendTransaction", "getEpochInfo", "getBlockHeight",
}

// ofItem reports whether a failure of the method says nothing of the node's other answers.
func ofItem(method string) bool {
	return slices.Contains(itemMethods, method) || slices.Contains(sendMethods, method)
}

// A node that limits the rate, and is the only one, is asked again after what it says: a scan makes many calls, and
// would never end otherwise.
const (
	rateTries   = 2
	longestWait = 2 * time.Second
)

// Send makes one call and decodes its result into the value, which keeps its zero value where the result is
// null.
func (w *Client) Send(ctx context.Context, method string, params []any, into any) error {
	if w.Count != nil {
		w.Count(w.Name, method)
	}
	ctx, cancel := context.WithTimeout(ctx, w.Limit(method))
	defer cancel()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return fmt.Errorf("parameters of %s: %w", method, err)
	}
	status, header, answer, err := w.post(ctx, body)
	if err != nil {
		return err
	}
	if status == http.StatusTooManyRequests ||
		status == http.StatusServiceUnavailable && header.Get("Retry-After") != "" {
		return RateLimited{endpoint.RetryAfter(header.Get("Retry-After"), w.Now())}
	}
	var r reply
	if err := json.Unmarshal(answer, &r); err != nil || r.Error == nil && r.Result == nil {
		if status != http.StatusOK {
			return Status{status, w.Redact(string(answer))}
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
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.target.Reveal(), bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, errors.New("request could not be made")
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := w.client.Do(req)
	if err != nil {
		return 0, nil, nil, w.target.Failure(err)
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return 0, nil, nil, w.target.Failure(err)
	}
	if len(answer) > maxAnswer {
		return 0, nil, nil, Malformed("more than %d bytes", maxAnswer)
	}
	return resp.StatusCode, resp.Header, answer, nil
}
