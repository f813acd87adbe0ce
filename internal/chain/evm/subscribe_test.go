package evm_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/subscription"
)

// subscribe listens to a real chain for money to the address until the test ends, and counts what is pushed.
func subscribe(t *testing.T, a *evm.Adapter, url string, to chain.Watched) *atomic.Int64 {
	t.Helper()
	var news atomic.Int64
	f, err := subscription.New(subscription.Config{
		Endpoints: []string{"ws" + strings.TrimPrefix(url, "http")}, Protocol: a.Subscriptions(),
		News: func() { news.Add(1) }, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = f.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	set := chain.NewWatchSet(1)
	set.Add(to)
	f.Watch(set)
	await(t, "the chain takes the subscription", func() bool { return f.Live(set) })
	return &news
}

// await waits until the condition holds.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timeout while waiting until %s", what)
		}
	}
}

// pushes pays an address on a real chain, and another one before: only the first is pushed.
func pushes(t *testing.T, h chaintest.Harness, a *evm.Adapter, url string) {
	t.Helper()
	to := h.Address()
	news := subscribe(t, a, url, to)
	h.Pay(chaintest.Payment{To: h.Address(), Asset: h.Credited(), Units: 1_000_000})
	h.Pay(chaintest.Payment{To: to, Asset: h.Counterfeit(), Units: 1_000_000})
	h.Mine(1)
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 1_000_000})
	h.Mine(1)
	await(t, "the payment is pushed", func() bool { return news.Load() > 0 })
	h.Pay(chaintest.Payment{To: to, Asset: h.Other(), Units: 1_000_000})
	h.Mine(1)
	await(t, "the second payment is pushed", func() bool { return news.Load() > 1 })
	if n := news.Load(); n != 2 {
		t.Errorf("%d pushes, want 2", n)
	}
}

func TestSubscriptions_Geth(t *testing.T) {
	t.Parallel()
	g := newGeth(t, chain.Polygon)
	pushes(t, g, g.reader, g.chain.URL())
}

// TestSubscriptions_News: whatever is pushed, nothing but a transfer of our assets to our address is news.
func TestSubscriptions_News(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	to, other := s.Address(), s.Address()
	set := chain.NewWatchSet(1)
	set.Add(to)
	topic := func(a chain.Watched) string { return "0x000000000000000000000000" + string(a.Address[2:]) }
	const transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
	log := func(contract chain.Address, topics ...string) string {
		raw, err := json.Marshal(map[string]any{"address": contract, "topics": topics, "data": "0x01"})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	paid := log(s.Credited().Contract, transfer, topic(other), topic(to))
	word := `"0x` + strings.Repeat("0", 64) + `"`
	news := s.reader.Subscriptions().News
	for result, want := range map[string]bool{
		paid:                                     true,
		strings.Replace(paid, `"0x01"`, word, 1): false,
		log(s.Credited().Contract, transfer, topic(to), topic(other)):     false,
		log(s.Counterfeit().Contract, transfer, topic(other), topic(to)):  false,
		log(s.Credited().Contract, transfer, topic(other)):                false,
		log(s.Credited().Contract, topic(other), topic(other), topic(to)): false,
		log(s.Credited().Contract):                                        false, "null": false, "{}": false, "": false, "[[[": false, `"0x"`: false,
	} {
		if got := news(json.RawMessage(result), set); got != want {
			t.Errorf("%s is news: %v, want %v", result, got, want)
		}
	}
}
