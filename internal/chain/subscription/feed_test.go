package subscription_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/subscription"
)

// protocol subscribes to each address by its hex digits; what it pushes is news unless it is "other".
var protocol = subscription.Protocol{
	Heads: subscription.Call{Subscribe: "test_subscribe", Unsubscribe: "test_unsubscribe", Params: []any{"heads"}},
	Money: func(set *chain.WatchSet) (calls []subscription.Call, all bool) {
		for raw := range set.All {
			if len(calls) == 3 {
				return calls, false
			}
			calls = append(calls, subscription.Call{
				Subscribe: "test_subscribe", Unsubscribe: "test_unsubscribe", Params: []any{fmt.Sprintf("to %x", raw)},
			})
		}
		return calls, true
	},
	News: func(result json.RawMessage, _ *chain.WatchSet) bool { return string(result) != `"other"` },
}

// listener is a feed that runs until the test ends.
type listener struct {
	*testing.T
	*subscription.Feed

	news  atomic.Int64
	heads atomic.Int64
	calls atomic.Int64
	mu    sync.Mutex
	log   bytes.Buffer
}

func (l *listener) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.Write(b)
}

func (l *listener) logged() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.String()
}

func listen(t *testing.T, endpoints ...*chaintest.Pusher) *listener {
	t.Helper()
	return listenTo(t, false, endpoints...)
}

func listenTo(t *testing.T, everyHead bool, endpoints ...*chaintest.Pusher) *listener {
	t.Helper()
	l := &listener{T: t}
	var urls []string
	for _, p := range endpoints {
		urls = append(urls, p.URL)
	}
	var err error
	l.Feed, err = subscription.New(subscription.Config{
		Endpoints: urls, Protocol: protocol, News: func() { l.news.Add(1) },
		Head: func() { l.heads.Add(1) }, EveryHead: everyHead,
		Count: func(string, string) { l.calls.Add(1) },
		Log:   slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { _ = l.Feed.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		done.Wait()
	})
	return l
}

// await waits until the condition holds.
func (l *listener) await(what string, so func() bool) {
	l.Helper()
	for deadline := time.Now().Add(time.Minute); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			l.Fatalf("timeout while waiting until %s; logged:\n%s", what, l.logged())
		}
	}
}

// addresses returns a set of addresses 1 to n.
func addresses(n byte) *chain.WatchSet {
	set := chain.NewWatchSet(int(n))
	for i := range n {
		set.Add(chain.Watched{Address: chain.Address(strconv.Itoa(int(i))), Raw: []byte{i + 1}})
	}
	return set
}

func TestFeed_Pushes(t *testing.T) {
	t.Parallel()
	p := chaintest.NewPusher(t)
	l := listen(t, p)
	if made, _ := p.Connections(); made > 0 {
		t.Error("it connects while nothing is wanted")
	}
	one := addresses(1)
	l.Watch(one)
	l.await("the address is subscribed to", func() bool { return l.Live(one) && p.Subscribed("heads") == 1 })
	p.Push("to 01", "money")
	l.await("money is news", func() bool { return l.news.Load() == 1 })
	p.Push("to 01", "other")
	p.Push("heads", "block")
	two := addresses(2)
	l.Watch(two)
	if l.Live(two) {
		t.Error("it is live for addresses that are not subscribed to yet")
	}
	l.await("the second address is subscribed to", func() bool { return l.Live(two) })
	if p.Subscribed("to 01") != 1 || p.Subscribed("to 02") != 1 || l.news.Load() != 1 {
		t.Errorf("%d, %d subscriptions, %d news", p.Subscribed("to 01"), p.Subscribed("to 02"), l.news.Load())
	}
	l.Watch(one)
	l.await("the second one is not subscribed to any more", func() bool { return p.Subscribed("to 02") == 0 && l.Live(one) })
	four := addresses(4)
	l.Watch(four)
	l.await("as many as are allowed are subscribed to", func() bool { return p.Subscribed("to ") == 3 })
	if l.Live(four) {
		t.Error("it is live though an address is left out")
	}
	l.Watch(nil)
	l.await("the connection ends", func() bool { _, open := p.Connections(); return open == 0 })
}

// TestFeed_Faulty: whatever an endpoint does, the feed says that it is not live, comes back later, shows no credential,
// and works as soon as the endpoint does.
func TestFeed_Faulty(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]chaintest.PushFaults{
		"Refuses":        {Refuse: true},
		"IsSilent":       {Silent: true},
		"Drops":          {Drop: true},
		"SendsGarbage":   {Garbage: true},
		"SendsTooMuch":   {Huge: 1 << 20},
		"RefusesToWatch": {Reject: map[string]string{"to 01": "no logs for key " + chaintest.Secret}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := chaintest.NewPusher(t)
			p.Set(f)
			l := listen(t, p)
			set := addresses(1)
			l.Watch(set)
			l.await("the connection is given up", func() bool { return strings.Contains(l.logged(), "ended") })
			if l.Live(set) || l.news.Load() > 0 {
				t.Error("it is live")
			}
			p.Set(chaintest.PushFaults{})
			l.await("it is live again", func() bool { return l.Live(set) })
			if made, _ := p.Connections(); made > 8 {
				t.Errorf("%d connections were made", made)
			}
			if strings.Contains(l.logged(), chaintest.Secret) {
				t.Errorf("a credential is logged:\n%s", l.logged())
			}
		})
	}
}

func TestFeed_FallsSilent(t *testing.T) {
	t.Parallel()
	p := chaintest.NewPusher(t)
	l := listen(t, p)
	set := addresses(1)
	l.Watch(set)
	l.await("it is live", func() bool { return l.Live(set) })
	p.Set(chaintest.PushFaults{Silent: true})
	l.await("the silence is noticed", func() bool { return !l.Live(set) })
	p.Set(chaintest.PushFaults{})
	l.await("it is live again", func() bool { return l.Live(set) })
}

// TestFeed_NoBlocks: an endpoint that answers and pushes no block any more is not live.
func TestFeed_NoBlocks(t *testing.T) {
	t.Parallel()
	p := chaintest.NewPusher(t)
	l := listen(t, p)
	set := addresses(1)
	l.Watch(set)
	l.await("it is live", func() bool { return l.Live(set) && p.Subscribed("heads") == 1 })
	for range 10 {
		p.Push("heads", "block")
		time.Sleep(subscription.HeadPace + 100*time.Millisecond) // the pace of blocks is what is measured
	}
	if p.Subscribed("heads") != 1 {
		t.Fatal("blocks that come slowly are not wanted")
	}
	l.await("it is noticed that blocks no longer come", func() bool { return !l.Live(set) })
}

// TestFeed_ManyBlocks: where blocks come fast they are not paid for.
func TestFeed_ManyBlocks(t *testing.T) {
	t.Parallel()
	p := chaintest.NewPusher(t)
	l := listen(t, p)
	set := addresses(1)
	l.Watch(set)
	l.await("it is live", func() bool { return l.Live(set) && p.Subscribed("heads") == 1 })
	for range 20 {
		p.Push("heads", "block")
	}
	l.await("blocks are not subscribed to", func() bool { return p.Subscribed("heads") == 0 })
	if !l.Live(set) {
		t.Error("it is not live any more")
	}
}

// TestFeed_Flood: an endpoint that pushes without end is left alone before that has cost a share of the budget.
func TestFeed_Flood(t *testing.T) {
	t.Parallel()
	p := chaintest.NewPusher(t)
	l := listen(t, p)
	set := addresses(1)
	l.Watch(set)
	l.await("it is live", func() bool { return l.Live(set) })
	for range 2_000 {
		p.Push("to", "money")
	}
	l.await("the connection ends", func() bool { _, open := p.Connections(); return open == 0 })
	l.await("that is logged", func() bool { return strings.Contains(l.logged(), "pushes too much") })
	if l.calls.Load() > 500 {
		t.Errorf("%d calls and pushes are counted", l.calls.Load())
	}
}

// TestFeed_EveryHead: a node of one's own pushes every block, whatever is watched and however fast they come, and no
// money.
func TestFeed_EveryHead(t *testing.T) {
	t.Parallel()
	p := chaintest.NewPusher(t)
	l := listenTo(t, true, p)
	l.await("blocks are subscribed to", func() bool { return p.Subscribed("heads") == 1 })
	l.Watch(addresses(2))
	for i := range int64(20) {
		p.Push("heads", "block")
		l.await("the block is heard", func() bool { return l.heads.Load() == i+1 })
	}
	if p.Subscribed("heads") != 1 || p.Subscribed("to 01") != 0 {
		t.Errorf("subscribed %d times to blocks, %d times to money", p.Subscribed("heads"), p.Subscribed("to 01"))
	}
}
