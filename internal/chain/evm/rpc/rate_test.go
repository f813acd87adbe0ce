package rpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// node answers every call with "0x1" after a while and keeps when each call of a batch came.
type node struct {
	takes func(request int) time.Duration

	mu       sync.Mutex
	requests int
	calls    []time.Time
}

func (n *node) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var batch []struct{ ID int }
	if json.Unmarshal(body, &batch) != nil {
		batch = make([]struct{ ID int }, 1)
	}
	n.mu.Lock()
	n.requests++
	took := n.takes(n.requests)
	n.mu.Unlock()
	time.Sleep(took / 2)
	n.mu.Lock()
	replies := make([][]byte, len(batch))
	for i, call := range batch {
		n.calls = append(n.calls, time.Now())
		replies[i] = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":"0x1"}`, call.ID)
	}
	n.mu.Unlock()
	time.Sleep(took / 2)
	answer := bytes.Join(replies, []byte(","))
	if len(batch) > 1 {
		answer = fmt.Appendf(nil, "[%s]", answer)
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(answer))}, r.Context().Err()
}

// inOneSecond returns the most calls that came in any second.
func (n *node) inOneSecond() (most int) {
	for i, first := range n.calls {
		last := i
		for last < len(n.calls) && n.calls[last].Sub(first) < time.Second {
			last++
		}
		most = max(most, last-i)
	}
	return most
}

func limitedPool(t *testing.T, rate float64, n *node) *rpc.Pool {
	t.Helper()
	p, err := rpc.NewPool(rpc.Config{
		Network: chain.Base, ChainID: 1, Endpoints: []string{"http://one.example", "http://two.example"},
		Client: &http.Client{Transport: n}, Rate: rate,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func calls(n int) []rpc.Call {
	list := make([]rpc.Call, n)
	for i := range list {
		list[i] = rpc.NewCall("eth_blockNumber")
	}
	return list
}

// An endpoint gets no more calls in any second than its rate, each call of a batch counted, whatever is asked for at
// the same time and however long an answer takes.
func TestEndpoint_Rate(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{1, 10, 25} {
		synctest.Test(t, func(t *testing.T) {
			n := &node{takes: func(request int) time.Duration {
				return time.Duration(request*37%400) * time.Millisecond
			}}
			p := limitedPool(t, rate, n)
			one := p.Ready()[0]
			var all sync.WaitGroup
			asked := 0
			for i := range 20 {
				asked += i
				all.Go(func() {
					if replies, err := one.Ask(t.Context(), calls(i)...); err != nil || len(replies) != i {
						t.Errorf("%d of %d replies, %v", len(replies), i, err)
					}
				})
			}
			all.Wait()
			if most := n.inOneSecond(); float64(most) > rate || len(n.calls) != asked {
				t.Errorf("rate %g: %d calls in a second, %d of %d calls", rate, most, len(n.calls), asked)
			}
		})
	}
}

// An endpoint whose calls wait for the rate is not taken for one that does not answer.
func TestEndpoint_RateIsNoFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &node{takes: func(int) time.Duration { return 0 }}
		p := limitedPool(t, 1, n)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for _, e := range p.Ready() {
			all.Go(func() { _, _ = e.Ask(ctx, calls(30)...) })
		}
		time.Sleep(time.Second / 2)
		p.CheckHealth(ctx, 0)
		for _, h := range p.Health() {
			if !h.Healthy || !h.CoolUntil.IsZero() {
				t.Errorf("%s: %s until %s", h.Name, h.Reason, h.CoolUntil)
			}
		}
		cancel()
		all.Wait()
	})
}
