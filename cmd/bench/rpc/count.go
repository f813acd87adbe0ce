package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// call is a JSON-RPC call as a provider counts it: every call of a batch by itself.
type call struct {
	ID     json.RawMessage
	Method string
	Params []json.RawMessage
}

// answerer answers one call with a result in JSON.
type answerer interface{ answer(c call) string }

// counter is an endpoint that answers in the process and counts what it is asked.
type counter struct {
	node answerer

	mu       sync.Mutex
	calls    map[string]int64 // by method
	requests int64
	bytes    int64 // of answers
	down     atomic.Bool
}

func newCounter(n answerer) *counter { return &counter{node: n, calls: make(map[string]int64)} }

// RoundTrip implements http.RoundTripper.
func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.down.Load() {
		return nil, errDown
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	batch := len(body) > 0 && body[0] == '['
	calls := make([]call, 1)
	if batch {
		err = json.Unmarshal(body, &calls)
	} else {
		err = json.Unmarshal(body, &calls[0])
	}
	if err != nil {
		return nil, err
	}
	replies := make([][]byte, len(calls))
	for i, one := range calls {
		answer, refused := c.node.answer(one), "result"
		if answer == tooManyBlocks {
			refused = "error"
		}
		replies[i] = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%q:%s}`, one.ID, refused, answer)
	}
	answer := bytes.Join(replies, []byte(","))
	if batch {
		answer = fmt.Appendf(nil, "[%s]", answer)
	}
	c.count(calls, len(answer))
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(answer)),
		ContentLength: int64(len(answer)), Request: r,
	}, nil
}

func (c *counter) count(calls []call, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	c.bytes += int64(size)
	for _, one := range calls {
		c.calls[one.Method]++
	}
}

// hosts are the endpoints of one network by host.
type hosts map[string]*counter

// RoundTrip implements http.RoundTripper.
func (all hosts) RoundTrip(r *http.Request) (*http.Response, error) {
	return all[r.URL.Host].RoundTrip(r)
}

// usage is what the endpoints of one network were asked.
type usage struct {
	calls           map[string]int64
	requests, bytes int64
}

// each returns how often each endpoint was asked.
func (all hosts) each() map[string]int64 {
	counts := make(map[string]int64, len(all))
	for host, c := range all {
		c.mu.Lock()
		for _, n := range c.calls {
			counts[host] += n
		}
		c.mu.Unlock()
	}
	return counts
}

func (all hosts) usage() usage {
	u := usage{calls: make(map[string]int64)}
	for _, c := range all {
		c.mu.Lock()
		u.requests += c.requests
		u.bytes += c.bytes
		for method, n := range c.calls {
			u.calls[method] += n
		}
		c.mu.Unlock()
	}
	return u
}

// total returns how many calls were made.
func (u usage) total() (n int64) {
	for _, calls := range u.calls {
		n += calls
	}
	return n
}
