package rpc_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/sha3"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// stateNode answers requests that read the state of accounts after a while, with a status, and all others at once.
type stateNode struct {
	takes  time.Duration
	status int
	asked  int // such requests
}

func (n *stateNode) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	status := http.StatusOK
	if strings.Contains(string(body), "eth_call") || strings.Contains(string(body), "eth_getBalance") {
		n.asked++
		select {
		case <-r.Context().Done():
			return nil, r.Context().Err()
		case <-time.After(n.takes):
		}
		status = n.status
	}
	var replies []string
	for i, part := range strings.Split(string(body), `"id":`)[1:] {
		result := "0x1"
		if strings.Contains(part, "eth_getCode") {
			result = "0x01"
		}
		replies = append(replies, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%q}`, i, result))
	}
	answer := replies[0]
	if len(replies) > 1 {
		answer = "[" + strings.Join(replies, ",") + "]"
	}
	if status != http.StatusOK {
		answer = "no JSON"
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(answer))}, nil
}

// pool reads through the node alone, which has the contract that reads many balances or has not.
func (n *stateNode) pool(t *testing.T, contract bool) *rpc.Pool {
	t.Helper()
	c := rpc.Config{
		Network: chain.Base, ChainID: 1, Endpoints: []string{"http://one.example"}, Client: &http.Client{Transport: n},
		Multicall: rpc.Multicall{At: rpc.Address{1}},
	}
	if contract {
		keccak := sha3.NewLegacyKeccak256()
		keccak.Write([]byte{1})
		keccak.Sum(c.Multicall.Code[:0])
	}
	p, err := rpc.NewPool(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestBalances_EndpointFails: an endpoint that hangs, or breaks off, whichever balances are asked for, rests, longer
// each time, and is asked little before.
func TestBalances_EndpointFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		node    stateNode
		holders int
		most    int // requests of a reading
	}{
		"Hangs":      {stateNode{takes: time.Hour}, 200, 2},
		"HangsFew":   {stateNode{takes: time.Hour}, 3, 2},
		"HangsOne":   {stateNode{takes: time.Hour}, 1, 2},
		"BreaksMany": {stateNode{status: http.StatusBadGateway}, 200, 17},
		"BreaksFew":  {stateNode{status: http.StatusBadGateway}, 3, 4},
	} {
		for _, contract := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				n := &stateNode{status: http.StatusOK}
				p := n.pool(t, contract)
				read := func() error {
					return p.Do(t.Context(), func(ctx context.Context, e *rpc.Endpoint) error {
						_, err := e.Balances(ctx, nil, make([]rpc.Address, c.holders), 1)
						return err
					})
				}
				if err := read(); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				rest := time.Duration(0)
				for range 3 {
					*n = c.node
					if err := read(); err == nil || n.asked == 0 || n.asked > c.most {
						t.Errorf("%s, contract %t: %d requests, %v", name, contract, n.asked, err)
					}
					again := time.Until(p.Health()[0].CoolUntil)
					if again <= rest {
						t.Errorf("%s, contract %t: rests for %s after %s", name, contract, again, rest)
					}
					rest = again
					time.Sleep(rest)
				}
			})
		}
	}
}

// TestBalances_Slow: an endpoint may take as long for balances as for any request.
func TestBalances_Slow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &stateNode{takes: rpc.DefaultTimeout - time.Second, status: http.StatusOK}
		err := n.pool(t, false).Do(t.Context(), func(ctx context.Context, e *rpc.Endpoint) error {
			b, err := e.Balances(ctx, nil, make([]rpc.Address, 20), 1)
			if err == nil && len(b.Unread) > 0 {
				err = b.Unread[0]
			}
			return err
		})
		if err != nil || n.asked != 1 {
			t.Errorf("%d requests, %v", n.asked, err)
		}
	})
}
