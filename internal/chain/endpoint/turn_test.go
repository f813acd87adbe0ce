package endpoint_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain/endpoint"
)

// turning is an endpoint with a latency.
type turning struct {
	name    string
	latency time.Duration
}

// Standing is what endpoint.InTurn orders by.
func (e *turning) Standing() (endpoint.Standing, bool) {
	return endpoint.Standing{Head: 1, Latency: e.latency}, false
}

// TestInTurn: the first endpoint is asked most, each other prompt one in its turn, and none that is slow.
func TestInTurn(t *testing.T) {
	t.Parallel()
	quick := 10 * time.Millisecond
	list := []*turning{{"slow", time.Minute}, {"first", quick}, {"second", quick}, {"third", quick}}
	asked := make(map[string]int)
	for n := range uint64(600) {
		order := endpoint.InTurn(list, n)
		asked[order[0].name]++
		if len(order) != len(list) || order[len(order)-1].name != "slow" {
			t.Fatalf("turn %d: %v", n, order)
		}
	}
	if asked["first"] != 400 || asked["second"] != 100 || asked["third"] != 100 {
		t.Errorf("asked first: %v", asked)
	}
	if one := endpoint.InTurn(list[:1], 3); len(one) != 1 {
		t.Errorf("of one endpoint: %v", one)
	}
}
